import { RESERVED_SPACE } from '../../src/service/http/site/widget-file.ts';

/** Codes that the page of the demo offers to copy. Each does what it says as it is copied, as long as the demo runs. */
export interface Snippets {
  readonly tag: string;
  readonly javascript: string;
  readonly python: string;
  readonly curl: string;
}

/** The values that the snippets name. */
export interface SnippetValues {
  /** Address of the service, without a slash at its end. */
  readonly url: string;
  readonly guildId: string;
  readonly key: string;
  readonly redisUrl: string;
  readonly visitor: { readonly id: string; readonly name: string };
}

/** XP before the multiplier of the guild: enough for several places. */
const AMOUNT = 5000;

/** Writes the snippets. The values need no escaping in JavaScript, Python and a shell: ids, API keys and addresses have none of their characters. */
export function snippetsOf({ url, guildId, key, redisUrl, visitor }: SnippetValues): Snippets {
  return {
    tag: `${RESERVED_SPACE}
<script src="${url}/widget.js" defer></script>
<guild-leaderboard guild="${guildId}"></guild-leaderboard>`,
    javascript: `import { Redis } from 'ioredis';
import { connectionOptions, createWriter } from 'guildrank-kit/writer';

const redis = new Redis('${redisUrl}', connectionOptions());
const writer = createWriter(redis);
const { xp, level } = await writer.award('${guildId}', { userId: '${visitor.id}', amount: ${AMOUNT} });
console.log(\`${visitor.name} has \${xp} XP and level \${level}\`);
redis.disconnect();`,
    python: `import asyncio
from guildrank import connection_options, create_writer
from redis.asyncio import Redis

async def main():
    async with Redis.from_url("${redisUrl}", **connection_options()) as redis:
        writer = create_writer(redis)
        award = await writer.award("${guildId}", "${visitor.id}", ${AMOUNT})
        print(f"${visitor.name} has {award.xp} XP and level {award.level}")

asyncio.run(main())`,
    curl: `curl -H 'x-api-key: ${key}' '${url}/api/v1/servers/${guildId}/leaderboard?limit=3'`,
  };
}
