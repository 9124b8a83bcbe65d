import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { createWriter, InvalidInputError, RefusedError, StoreUnavailableError } from '../../src/kit/writer.ts';
import { type ClientKind, clientKinds } from '../../tools/bot-clients.ts';
import { needs } from '../support/needs.ts';
import { redisForTest } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';

const OBJECT = 'an object with evalsha and scriptLoad';
const kinds: ClientKind[] = [
  ...clientKinds.filter(({ name }) => name !== OBJECT),
  {
    name: 'ioredis 5 that sends commands again',
    open: async (url) => {
      const client = new Redis(url).on('error', () => {});
      return { client, close: () => client.disconnect() };
    },
  },
];

// Each kind has servers of its own, and waits most of its time: for replicas, and for a replica that connects again.
describe.concurrent.each(kinds)('a writer with the option replicas, on $name', needs('redis-server'), (kind) => {
  let master: EmbeddedRedis | undefined;
  let replica: EmbeddedRedis | undefined;
  let admin: Redis | undefined;
  let replicaAdmin: Redis | undefined;
  const url = () => (master as EmbeddedRedis).url;

  /** Makes the replica follow the master, and waits until it does. */
  const attach = async () => {
    await replicaAdmin?.replicaof('127.0.0.1', (master as EmbeddedRedis).port);
    await vi.waitFor(async () => expect(await admin?.info('replication')).toContain('state=online'), PATIENT);
  };
  /** Promotes the replica, and waits until the old master has lost it. Nobody tells the old master. */
  const promote = async () => {
    await replicaAdmin?.replicaof('NO', 'ONE');
    await vi.waitFor(async () => expect(await admin?.info('replication')).toContain('connected_slaves:0'), PATIENT);
  };
  const xpOn = (server: Redis | undefined, guild: string) => server?.zscore(`gr:{${guild}}:xp`, 'u');

  beforeAll(async () => {
    const options = ['--repl-diskless-sync-delay', '0'];
    [master, replica] = await Promise.all([startEmbeddedRedis(options), startEmbeddedRedis(options)]);
    admin = new Redis(master.url);
    replicaAdmin = new Redis(replica.url);
    await attach();
  });
  afterAll(async () => {
    for (const client of [admin, replicaAdmin]) client?.disconnect();
    await Promise.all([master?.stop(), replica?.stop()]);
  });

  const guild = kind.name.replaceAll(' ', '-');
  const award = { userId: 'u', amount: 300, eventId: 'message' };
  /** Sends a call again, as its error advises, while a busy machine keeps the replica from having it within a second. Its event counts once. */
  const confirmed = <T>(call: () => Promise<T>): Promise<T> => vi.waitFor(call, PATIENT);

  it.sequential('a write succeeds when the replica has the call, for one call and for many at once', async () => {
    const { client, close } = await kind.open(url());
    try {
      const writer = createWriter(client, { replicas: 1 });
      await admin?.script('FLUSH');
      const add = (eventId: string) => confirmed(() => writer.award(guild, { userId: 'u', amount: 1, eventId }));
      await add('first');
      expect(await xpOn(replicaAdmin, guild)).toBe('1');
      const calls = Array.from({ length: 50 }, (_, n) => add(`call ${n}`));
      const refused = writer.record(guild, { userId: 'u', add: -1000 });
      await expect(refused).rejects.toThrow(RefusedError);
      for (const [n, { xp, repeated }] of (await Promise.all(calls)).entries()) if (!repeated) expect(xp).toBe(n + 2);
      expect(await xpOn(replicaAdmin, guild)).toBe('51');
    } finally {
      await close();
    }
  });

  it.sequential('a write fails on a master whose replica was promoted, and a repeat of the event counts once there', async () => {
    const { client, close } = await kind.open(url());
    const kept = `${guild}.kept`;
    try {
      const writer = createWriter(client, { replicas: 1 });
      await promote();
      const error = await writer.award(kept, award).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error).toMatchObject({
        message:
          'The call was done, but a failover may lose it: 0 of 1 replicas have it after 1000 ms. Send it again with the same eventId',
        ...{ notSent: false, code: 'timeout' },
      });
      await attach();
      expect(await confirmed(() => writer.award(kept, award))).toMatchObject({ xp: 300, repeated: true });
      expect(await xpOn(replicaAdmin, kept)).toBe('300');
    } finally {
      await close();
    }
  });

  it.sequential('a write fails on a master whose replica was promoted, and a repeat of the event counts once on the new master', async () => {
    const lost = `${guild}.lost`;
    const old = await kind.open(url());
    const next = await kind.open((replica as EmbeddedRedis).url);
    try {
      await promote();
      const call = createWriter(old.client, { replicas: 1 }).award(lost, award);
      await expect(call).rejects.toThrow('a failover may lose it');
      expect(await createWriter(next.client).award(lost, award)).toMatchObject({ xp: 300, repeated: false });
      expect(await xpOn(replicaAdmin, lost)).toBe('300');
    } finally {
      await old.close();
      await next.close();
      await attach();
    }
  });

  it.sequential('a write fails when the connection breaks before the replica has the call, and asks on no other connection', async () => {
    const { client, close } = await kind.open(url());
    try {
      const writer = createWriter(client, { replicas: 1 });
      // Redis knows the script afterwards.
      await confirmed(() => writer.award(`${guild}.cut`, { userId: 'u', amount: 1, eventId: 'first' }));
      await promote();
      let outcome: Promise<unknown> | undefined;
      let isWaiting = false;
      const send = () => {
        isWaiting = true;
        const call = writer.award(`${guild}.cut`, award).catch((error: unknown) => error);
        outcome = call.finally(() => {
          isWaiting = false;
        });
      };
      const id = await vi.waitFor(async () => {
        // A busy machine can keep this process from looking for the second for which a call waits.
        if (!isWaiting) send();
        // Before its call arrives, the connection still has the last command of the call before, but does not wait.
        const waiting = /^id=(\d+) .* flags=b .* cmd=wait /m.exec(String(await admin?.client('LIST')));
        expect(waiting).toBeTruthy();
        return waiting?.[1] as string;
      }, PATIENT);
      await admin?.client('KILL', 'ID', id);
      // A WAIT that is sent again would find the replica here.
      await attach();
      expect(await outcome).toMatchObject({ name: 'StoreUnavailableError', notSent: false });
    } finally {
      await close();
    }
  });
});

describe('the option replicas', needs('redis-server'), () => {
  it('the option replicas is refused where WAIT cannot follow the script on its connection, with the fix', async () => {
    const client = { evalsha: async () => [], scriptLoad: async () => '' };
    expect(() => createWriter(client, { replicas: 1 })).toThrow(InvalidInputError);
    expect(() => createWriter(client, { replicas: 1 })).toThrow('replicas needs a client of ioredis or node-redis');
    const redis = await redisForTest();
    const { client: good, close } = await (kinds[0] as ClientKind).open(redis.url);
    for (const replicas of [0, 1.5, -1, 101, '1' as never]) {
      expect(() => createWriter(good, { replicas })).toThrow('replicas');
    }
    await close();
  });
});
