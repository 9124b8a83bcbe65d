/**
 * The least rights in Redis that the service and the bot need, as arguments of ACL SETUSER; docs/security.md shows them.
 * The rights in parentheses need Redis 7. EVALSHA needs full rights on its keys, so the reads have full key patterns and no
 * writing command, and each writing command has only the few keys that it may write.
 */

const CONNECTION = ['+ping', '+info', '+hello', '+cluster|slots', '+cluster|shards'];
const SCRIPTS = ['+eval', '+evalsha'];
const READS = ['+hget', '+hmget', '+hgetall', '+zcard', '+zscore', '+zrevrank', '+zrevrange'];

/** Reads guilds and keys, writes quotas, receives invalidations. */
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
