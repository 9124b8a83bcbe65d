import { Cluster, Redis } from 'ioredis';
import { describe, expect, it, vi } from 'vitest';
import { parseConfig } from '../../../src/config/service.ts';
import { createReader } from '../../../src/kit/reader.ts';
import { createWriter, InvalidInputError } from '../../../src/kit/writer.ts';

const LONG = 'a'.repeat(65);

describe('createWriter', () => {
  const sent = vi.fn().mockRejectedValue(new Error('nothing may be sent'));
  const writer = createWriter({ evalsha: sent, eval: sent });

  it.each<[unknown, string]>([
    ['', '""'],
    ['a b', '"a b"'],
    ['a\nb', '"a\\nb"'],
    ['é', '"é"'],
    [LONG, `"${LONG}"`],
    [undefined, 'undefined (undefined)'],
    [null, 'null (object)'],
    [7, '7 (number)'],
    [123456789012345678n, '123456789012345678 (bigint)'],
  ])('the id %s of a guild or a user is refused by name, and nothing is sent', async (id, shown) => {
    const bad = id as string;
    const message = (kind: string) => `The ${kind} id ${shown} must be a text of 1 to 64 of A-Z a-z 0-9 _ - .`;
    const good = { userId: '1', set: 5 };
    for (const [kind, write] of [
      ['guild', () => writer.record(bad, good)],
      ['guild', () => writer.recordMany(bad, [])],
      ['guild', () => writer.remove(bad, ['1'])],
      ['user', () => writer.record('g', { userId: bad, set: 5 })],
      ['user', () => writer.recordMany('g', [good, { userId: bad, add: 5 }])],
      ['user', () => writer.remove('g', ['1', bad])],
    ] as const) {
      const error = await write().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InvalidInputError);
      expect((error as Error).message).toBe(message(kind));
    }
    expect(sent).not.toHaveBeenCalled();
  });

  it('replicas is refused when it is no whole number from 1 to 100, or when the connection cannot ask for replicas', () => {
    const redis = new Redis({ lazyConnect: true });
    for (const replicas of [0, 1.5, 101]) expect(() => createWriter(redis, { replicas })).toThrow(InvalidInputError);
    expect(() => createWriter(redis, { replicas: 1 })).not.toThrow();
    expect(() => createWriter(new Cluster([], { lazyConnect: true }), { replicas: 1 })).toThrow(
      'replicas does not work on a Cluster: leave it out, and fail over with CLUSTER FAILOVER, which loses no write',
    );
    const own = { evalsha: async () => [], scriptLoad: async () => '' };
    expect(() => createWriter(own, { replicas: 1 })).toThrow('replicas needs a client of ioredis or node-redis');
  });

  it('a connection in a transaction is refused, because it gives no replies', async () => {
    const queued = vi.fn().mockResolvedValue('QUEUED');
    const call = createWriter({ evalsha: queued, eval: queued }).award('g', { userId: '1', amount: 5 });
    await expect(call).rejects.toThrow(InvalidInputError);
    await expect(call).rejects.toThrow('The connection is in a transaction, which gives no replies before exec');
  });

  it('a connection that puts a prefix before each key is refused', () => {
    const options = { lazyConnect: true, keyPrefix: 'bot:' };
    const clients = [
      new Redis(options),
      new Cluster([], options),
      new Cluster([], { lazyConnect: true, redisOptions: options }),
    ];
    for (const client of clients) {
      expect(() => createWriter(client)).toThrow(InvalidInputError);
      expect(() => createWriter(client)).toThrow(
        'The connection has the keyPrefix "bot:", and the service would not find the data: give the writer a connection without a keyPrefix',
      );
    }
    expect(() => createWriter(new Redis({ lazyConnect: true }), { keyPrefix: 'bot' })).not.toThrow();
  });
});

describe('keyPrefix', () => {
  const call = async () => [];
  const client = { evalsha: call, eval: call };
  it.each(['', 'a b', '{x}', 'a{b', 'é', 'a'.repeat(65), 7, null])(
    'the keyPrefix is refused by the rule of the service: %j',
    (bad) => {
      const keyPrefix = bad as string;
      if (typeof bad === 'string' && bad !== '')
        expect(() => parseConfig({ KEY_PREFIX: bad })).toThrow(/KEY_PREFIX must be 1 to 64 of A-Z a-z 0-9 : _ \. -$/);
      for (const create of [createWriter, createReader]) {
        expect(() => create(client, { keyPrefix })).toThrow(InvalidInputError);
        expect(() => create(client, { keyPrefix })).toThrow(
          `keyPrefix must be 1 to 64 of A-Z a-z 0-9 : _ . -, not ${JSON.stringify(bad)}`,
        );
      }
    },
  );

  it.each(['a', 'bot:2', 'A_b-c.d', 'a'.repeat(64)])('the keyPrefix can be %s', (keyPrefix) => {
    expect(() => createWriter(client, { keyPrefix })).not.toThrow();
    expect(parseConfig({ KEY_PREFIX: keyPrefix }).keyPrefix).toBe(keyPrefix);
  });
});
