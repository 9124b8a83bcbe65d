/**
 * The least rights in Redis that the service and the bot work with, as arguments of ACL SETUSER; docs/security.md shows them.
 * Needs Redis 7 for the rights in parentheses. EVALSHA asks for full rights on the keys it is given, so the reads stand beside
 * full key patterns without a single writing command, and each writing command stands beside the few keys it may write.
 */

const CONNECTION = ['+ping', '+info', '+hello', '+cluster|slots', '+cluster|shards'];
const SCRIPTS = ['+eval', '+evalsha'];
const READS = ['+hget', '+hmget', '+hgetall', '+zcard', '+zscore', '+zrevrank', '+zrevrange'];

/** Reads guilds and keys, writes quotas, hears of changes. */
export const SERVICE_RIGHTS: readonly string[] = [
  'resetchannels',
  ...['~gr:{*}:*', '~gr:key:*', '&gr:changed', '-@all'],
  ...[...CONNECTION, ...SCRIPTS, '+subscribe', '+unsubscribe', ...READS],
  '(~gr:quota:{*} +eval +evalsha +incrby +pttl +expire)',
];

/** Writes members and counters, reads the curve; no keys, no quotas, no plans. */
export const BOT_RIGHTS: readonly string[] = [
  'resetchannels',
  ...['~gr:{*}:xp', '~gr:{*}:stats', '~gr:{*}:member:*', '~gr:{*}:config', '-@all'],
  ...[...CONNECTION, ...SCRIPTS, '+time', ...READS],
  '(~gr:{*}:xp ~gr:{*}:stats ~gr:{*}:member:* +hset +hdel +hincrby +zadd +zrem +del)',
];
