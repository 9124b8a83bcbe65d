import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { createReader } from '../../src/kit/reader.ts';
import {
  createWriter,
  InvalidInputError,
  RefusedError,
  StoreUnavailableError,
  type WriterClient,
} from '../../src/kit/writer.ts';
import {
  type ClientKind,
  clientKinds,
  clusterKinds,
  openSentinel,
  unconnectedClient,
} from '../../tools/bot-clients.ts';
import { startCluster } from '../support/cluster.ts';
import { needs } from '../support/needs.ts';
import { startSentinelSet } from '../support/sentinel.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { PATIENT } from '../support/wait.ts';

const MAX = Number.MAX_SAFE_INTEGER;
/** ioredis 6.0 rounds whole numbers above this one. */
const LEVEL = MAX - 48;
const CUTS = 5;

/** Runs each call once, and says what came of it without what depends on the time. */
async function tour(client: WriterClient, guild: string) {
  const writer = createWriter(client);
  const reader = createReader(client);
  await writer.recordMany(guild, [
    { userId: 'top', set: MAX, username: 'Tòp\n', level: LEVEL },
    { userId: 'b', set: 300 },
  ]);
  const { revision, ...award } = await writer.award(guild, {
    userId: 'a',
    amount: 400,
    cooldownMs: 60_000,
    rank: true,
  });
  const top = await writer.award(guild, { userId: 'top', amount: 0 });
  const set = await writer.record(guild, { userId: 'top', set: MAX });
  const waiting = await writer.award(guild, { userId: 'a', amount: 400, cooldownMs: 60_000 });
  const { claimed, streak } = await writer.claimDaily(guild, { userId: 'b', reward: [10, 20] });
  const found = await writer.setProfiles(guild, [{ userId: 'a', username: 'Ann' }]);
  const hidden = await writer.hide(guild, ['b', 'nobody'], { reason: 'left' });
  const page = await reader.page(guild);
  const around = await reader.around(guild, 'a', 1);
  const member = await reader.member(guild, 'b');
  const named = (await reader.find(guild, 'TOP')).map(({ userId }) => userId);
  const cards = [await reader.card(guild, 'top'), await reader.card(guild, 'b')];
  const unhidden = await writer.unhide(guild, ['b']);
  const synced = await writer.syncMembers(guild, ['a', 'b', 'top']);
  const season = await writer.resetSeason(guild, { archiveAs: `${guild}.s1` });
  const stats = await reader.stats(guild);
  const removed = await writer.remove(guild, ['a', 'b', 'nobody']);
  const others = { found, hidden, page, around, member, named, cards, unhidden, synced, season, stats, removed };
  const levels = [top.levelBefore, top.level, set.level, set.members[0]?.level, set.created];
  return { award, levels, onCooldown: waiting.onCooldown, claim: { claimed, streak }, ...others };
}

/** Cuts a connection before the reply of each of several writes, and counts what Redis did. */
async function expectNoSecondWrite(client: WriterClient, proxy: TcpProxy, userId: string): Promise<void> {
  const writer = createWriter(client);
  const add = () => writer.record('cut', { userId, add: 1 });
  let { xp } = await vi.waitFor(add, PATIENT);
  for (let cut = 0; cut < CUTS; cut++) {
    proxy.dropNextReply();
    const error = await add().catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'StoreUnavailableError', code: 'unreachable' });
    proxy.behave();
    const after = await vi.waitFor(add, PATIENT);
    expect(after.xp - xp - 1, 'times that the write was done').toBeLessThanOrEqual(1);
    ({ xp } = after);
  }
}

/** Loses the reply of each of several awards, and sends it again for the same event. Counts XP and level-ups. */
async function expectOnce(client: WriterClient, proxy: TcpProxy, userId: string): Promise<void> {
  const writer = createWriter(client);
  let levelUps = 0;
  for (let n = 0; n < CUTS; n++) {
    const award = () => writer.award('once', { userId, amount: 300, cooldownMs: 1, eventId: `${userId} ${n}` });
    proxy.dropNextReply();
    const first = await award().catch(() => undefined);
    proxy.behave();
    const { level, levelBefore } = first ?? (await vi.waitFor(award, PATIENT));
    levelUps += level - levelBefore;
    await delay(2);
  }
  expect(await createReader(client).member('once', userId)).toMatchObject({ xp: 300 * CUTS, level: levelUps });
}

const TOP = { rank: 1, userId: 'top', username: 'Tòp\n', level: LEVEL, xp: MAX };
const ANN = { rank: 2, userId: 'a', username: 'Ann', level: 2, xp: 400 };
/** An explicit level does not follow XP. */
const NO_WAY = { progress: null, nextLevelXp: null };
const EXPECTED = {
  award: {
    ...{ awarded: 400, xpBefore: 0, levelBefore: 0, xp: 400, level: 2, xpToNextLevel: 75 },
    ...{ created: true, hidden: false, rank: 2, onCooldown: false, cooldownLeftMs: 60_000, repeated: false },
  },
  levels: [LEVEL, LEVEL, LEVEL, LEVEL, 0],
  onCooldown: true,
  claim: { claimed: true, streak: 1 },
  found: ['a'],
  hidden: { changed: 1, hidden: [{ userId: 'b', reasons: ['left'] }] },
  page: { data: [TOP, ANN], total: 2, page: 1, period: null },
  around: { data: [TOP, ANN], total: 2, period: null },
  member: null,
  named: ['top'],
  cards: [
    { ...TOP, ...NO_WAY, total: 2, above: null, below: ANN, dailyStreak: 0, hidden: null },
    {
      ...{ rank: null, userId: 'b', username: 'b', level: 2, xp: 310, total: 2, above: null, below: null },
      ...{ progress: { gained: 55, needed: 220 }, nextLevelXp: 475, dailyStreak: 1, hidden: ['left'] },
    },
  ],
  unhidden: { changed: 0, hidden: [{ userId: 'b', reasons: ['left'] }] },
  synced: { ranked: 2, left: 0, returned: 1 },
  season: { archived: 3, reset: 3 },
  stats: {
    ...{ totalMembers: 0, totalXp: 0n, averageLevel: 0, xpCurve: 'standard', xpMultiplier: 1 },
    curve: { a: 10, b: 135, c: 455, d: 0, q: 6, m: 1 },
  },
  removed: 2,
};

describe('the writer and the reader', needs('redis-server'), () => {
  let redis: EmbeddedRedis;
  let admin: Redis;
  beforeAll(async () => {
    redis = await startEmbeddedRedis();
    admin = new Redis(redis.url);
  });
  afterAll(async () => {
    admin?.disconnect();
    await redis?.stop();
  });

  describe.each(clientKinds)('the writer and the reader on $name', (kind: ClientKind) => {
    let open: Awaited<ReturnType<ClientKind['open']>>;
    beforeAll(async () => {
      open = await kind.open(redis.url);
    });
    afterAll(() => open?.close());

    it(`each call works with ${kind.name}, with XP up to 2^53-1 exact`, async () => {
      await admin.script('FLUSH');
      expect(await tour(open.client, kind.name.replaceAll(' ', '-'))).toEqual(EXPECTED);
    });

    // ioredis 6 reads 2^53-1 wrongly.
    if (kind.name !== 'ioredis 6')
      it(`calls with ${kind.name} tell levels up to 2^53-1 exactly`, async () => {
        const writer = createWriter(open.client);
        const record = await writer.record('levels', { userId: 'u', set: 1, level: MAX });
        expect([record.level, (await writer.award('levels', { userId: 'u', amount: 1 })).level]).toEqual([MAX, MAX]);
      });

    it(`calls with ${kind.name} go on after Redis has lost the scripts`, async () => {
      const writer = createWriter(open.client);
      const { xp } = await writer.record('g', { userId: 'u', add: 1 });
      await admin.script('FLUSH');
      expect((await writer.record('g', { userId: 'u', add: 1 })).xp).toBe(xp + 1);
      await admin.script('FLUSH');
      expect((await createReader(open.client).page('g')).total).toBe(1);
    });

    it(`calls with ${kind.name} keep the code of a refusal and the error of Redis`, async () => {
      const writer = createWriter(open.client);
      const refused = await writer.record('g', { userId: 'u', add: -1000 }).catch((error) => error);
      expect(refused).toBeInstanceOf(RefusedError);
      expect(refused).toMatchObject({ code: 'range', params: { index: 0 } });
      await admin.set('gr:{other}:xp', 'text');
      await admin.hset('gr:{newer}:stats', 'model', '99');
      const wrong = await writer.record('other', { userId: 'u', add: 1 }).catch((error) => error);
      expect(wrong).toBeInstanceOf(StoreUnavailableError);
      expect(wrong).toMatchObject({ code: 'WRONGTYPE', cause: { message: expect.stringContaining('WRONGTYPE') } });
      const newer = await writer.award('newer', { userId: 'u', amount: 1 }).catch((error) => error);
      expect(newer).toMatchObject({ code: 'MODEL', message: expect.stringContaining('update it') });
    });

    it(`a write with ${kind.name} is done once at most when its reply is lost`, async () => {
      const proxy = await startTcpProxy(redis.port);
      const cut = await kind.open(`redis://127.0.0.1:${proxy.port}`);
      try {
        await expectNoSecondWrite(cut.client, proxy, kind.name.replaceAll(' ', '-'));
      } finally {
        await cut.close();
        await proxy.stop();
      }
    });

    it(`an award of an event with ${kind.name} is done once when its reply is lost and it is sent again, and tells its level-up`, async () => {
      const proxy = await startTcpProxy(redis.port);
      const cut = await kind.open(`redis://127.0.0.1:${proxy.port}`);
      try {
        await expectOnce(cut.client, proxy, kind.name.replaceAll(' ', '-'));
      } finally {
        await cut.close();
        await proxy.stop();
      }
    });

    it(`calls with ${kind.name} fail when the connection is closed`, async () => {
      const closed = await kind.open(redis.url);
      await closed.close();
      const error = await createReader(closed.client)
        .stats('g')
        .catch((thrown) => thrown);
      expect(error).toMatchObject({ name: 'StoreUnavailableError', code: 'unreachable' });
    });
  });

  const withTransactions = clientKinds.filter(({ name }) => name !== 'an object with evalsha and scriptLoad');
  it.each(withTransactions)('the writer refuses a transaction of $name, which gives no replies', async (kind) => {
    const { client, close } = await kind.open(redis.url);
    try {
      const transaction = (client as WriterClient & { multi(): WriterClient }).multi();
      expect(() => createWriter(transaction)).toThrow('The connection is a transaction or a pipeline');
    } finally {
      await close();
    }
  });

  it('the writer refuses an object that is no connection, and the reader a prefix of node-redis, with the fix', () => {
    for (const client of [{}, { evalsha: () => Promise.resolve() }]) {
      expect(() => createWriter(client as never)).toThrow(
        'The connection must be a client of ioredis or node-redis, or an object with the functions evalsha and scriptLoad',
      );
    }
    expect(() => createReader(unconnectedClient({ keyPrefix: 'bot:' }))).toThrow(InvalidInputError);
  });

  it('a write is done once at most through a sentinel of node-redis 5 and 6', async () => {
    const set = await startSentinelSet();
    const { port } = await set.master();
    const proxy = await startTcpProxy(port);
    try {
      for (const version of [5, 6] as const) {
        const { client, close } = await openSentinel(version, set, { [port]: proxy.port });
        try {
          await expectNoSecondWrite(client, proxy, `u${version}`);
        } finally {
          await close();
        }
      }
    } finally {
      await proxy.stop();
      await set.stop();
    }
  });

  it('the writer and the reader work on a Cluster, where replicas is refused', async () => {
    const cluster = await startCluster();
    try {
      const ports = cluster.nodes.map(({ port }) => port);
      for (const kind of clusterKinds) {
        const { client, close } = await kind.open(ports);
        try {
          expect(await tour(client, kind.name.replaceAll(' ', '-')), kind.name).toEqual(EXPECTED);
          const replicated = () => createWriter(client, { replicas: 1 });
          expect(replicated, kind.name).toThrow('replicas does not work on a Cluster');
        } finally {
          await close();
        }
      }
    } finally {
      await cluster.stop();
    }
  });
});
