import type { recordOf } from './data.ts';

/** Returns ZADD and HSET of one member in Redis's protocol: the same content as from the writer, without counters and revision. */
export function rawCommands(guildId: string, { userId, set, profile }: ReturnType<typeof recordOf>): string {
  const fields: string[] = [];
  if (profile?.username != null) fields.push('username', profile.username);
  if (profile?.dailyStreak != null) fields.push('daily_streak', String(profile.dailyStreak));
  if (profile?.lastDailyClaim != null) {
    fields.push('last_daily_claim', new Date(profile.lastDailyClaim).toISOString());
  }
  const base = `gr:{${guildId}}`;
  return command('ZADD', `${base}:xp`, String(set), userId) + command('HSET', `${base}:member:${userId}`, ...fields);
}

function command(...args: readonly string[]): string {
  return `*${args.length}\r\n${args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`).join('')}`;
}
