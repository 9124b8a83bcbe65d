import { GuildrankClient } from './client.ts';

/** Prints the statistics of a server, its first five members and the streak of the first. See README.md. */
const { GUILDRANK_URL = 'http://127.0.0.1:8080', GUILDRANK_KEY = '' } = process.env;
const [guild = ''] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);

const client = new GuildrankClient({ url: GUILDRANK_URL, key: GUILDRANK_KEY });
try {
  const { total_members, average_level } = await client.stats(guild);
  say(`${total_members} members with XP, level ${average_level} on average`);
  const { data } = await client.leaderboard(guild, { limit: 5 });
  for (const { rank, username, level, xp } of data) say(`${rank}. ${username}, level ${level}, ${xp} XP`);
  const [first] = data;
  const member = first && (await client.member(guild, first.user_id));
  if (member) say(`${member.username} has claimed ${member.daily_streak} days in a row`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
