import { RefusedError } from '../errors.ts';
import type { ClientStore } from '../store/store.ts';
import { type Fields, type LastLine, movedKeySchema, oversizedField } from './move-lines.ts';

/** Fields of the counters that only work in progress needs, and that are not moved. */
const RUNNING = ['rev', 'recount', 'replacing'];

/**
 * Reads all that is stored of a guild except its members: the last line of the stream. Two round trips.
 * @param stats its counters.
 * @throws RefusedError for an API key that was written by hand, and for a text above its bound, because the other end of the move refuses them.
 */
export async function readLastLine(
  { client, redisKeys }: ClientStore,
  guildId: string,
  { rev = '', ...stats }: Readonly<Record<string, string>>,
): Promise<LastLine> {
  const keys = redisKeys.guild(guildId);
  const quotaKey = redisKeys.quota(guildId);
  const [ranked, hidden, config, season, about, shas, used, usage, count, ttl] = await Promise.all([
    client.zcard(keys.xp),
    client.zcard(keys.hidden),
    client.hgetall(keys.config),
    client.hgetall(keys.season),
    client.hgetall(keys.about),
    client.hgetall(keys.apiKeys),
    client.hgetall(keys.apiKeysUsed),
    client.hgetall(keys.usage),
    client.get(quotaKey),
    client.pttl(quotaKey),
  ]);
  const apiKeys = Object.entries(shas).map(async ([id, sha256]) => {
    const record = await client.hgetall(redisKeys.apiKey(sha256));
    return { id, sha256, record: listed(record) };
  });
  const moved = (await Promise.all(apiKeys)).filter(({ record }) => record.length > 0);
  refuseUnfitKeys(moved, guildId, keys.apiKeys);
  const hashes = { config: listed(config), about: listed(about) } as const;
  for (const hash of ['config', 'about'] as const) {
    const field = oversizedField(hash, hashes[hash]);
    if (field !== undefined) throw new RefusedError('field_oversized', { guild: guildId, field, hash: keys[hash] });
  }
  return {
    ranked,
    hidden,
    rev,
    ...hashes,
    season: listed(season),
    stats: listed(Object.fromEntries(Object.entries(stats).filter(([name]) => !RUNNING.includes(name)))),
    keys: moved,
    used: listed(used),
    usage: listed(usage),
    quota: { used: /^\d+$/.test(count ?? '') ? String(count) : '0', untilMs: ttl > 0 ? Date.now() + ttl : 0 },
  };
}

/** @throws RefusedError for an API key that was written by hand, or stands in the list twice. */
function refuseUnfitKeys(moved: LastLine['keys'], guildId: string, listKey: string): void {
  const unfit = moved.find((key) => !movedKeySchema.safeParse(key).success);
  if (unfit) throw new RefusedError('key_unfit', { guild: guildId, key: unfit.id });
  if (new Set(moved.map(({ sha256 }) => sha256)).size < moved.length)
    throw new RefusedError('key_twice', { guild: guildId, list: listKey });
}

const bytes = (text: string) => Buffer.from(text).toString('latin1');

/** Returns the fields and values of a hash in turn, as texts of bytes. */
function listed(hash: Record<string, string>): Fields {
  return Object.entries(hash).flatMap(([name, value]) => [bytes(name), bytes(value)]);
}
