/** The address of the repository in package.json, as a web page has it; undefined before a release writes it there. */
const addressOf = ({ repository }) => repository?.url.replace(/^git\+/, '').replace(/\.git$/, '');

/**
 * Returns the page of the package guildrank-writer. Before a release no registry has the package, and no address the guide.
 * @param manifest that of the package guildrank.
 */
export function writerReadme(manifest) {
  const { version } = manifest;
  const address = addressOf(manifest);
  const name = address ? 'guildrank-writer' : `./guildrank-writer-${version}.tgz`;
  const guide = address ? `[docs/bots.md](${address}/blob/v${version}/docs/bots.md)` : '`docs/bots.md`';
  return `# guildrank-writer

Writes and reads the XP, levels and leaderboards of community servers, from a bot in JavaScript over its own connection to Redis. It is the
kit of Guildrank, which serves the same data over HTTP. It depends on no package, and loads with \`import\` and with \`require\`.

\`\`\`sh
npm install ${name} ioredis
\`\`\`

\`\`\`js
import { Redis } from 'ioredis';
import { createWriter } from 'guildrank-writer';

const redis = new Redis(process.env.REDIS_URL, { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 });
const writer = createWriter(redis);
const award = { userId: '42', amount: { min: 100, max: 125 }, cooldownMs: 60_000, eventId: 'message-1' };
const { level, levelBefore } = await writer.award('123456789012345678', award);
if (level > levelBefore) console.log(\`level \${level}\`);
redis.disconnect();
\`\`\`

It takes clients of ioredis and of node-redis, from version 5 on. The other entries are \`guildrank-writer/reader\`, \`/rules\`, \`/card\` and \`/curves\`.

The guide is ${guide} in the repository of Guildrank: retries, rules and rewards, voice, boards, hiding, rank cards, seasons, failover and
errors.
`;
}
