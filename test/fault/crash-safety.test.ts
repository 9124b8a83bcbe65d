import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { recordFigure } from '../support/figures.ts';
import { guildSuite } from '../support/guild.ts';
import { needs } from '../support/needs.ts';
import { runScript } from '../support/process.ts';
import { PATIENT } from '../support/wait.ts';
import { type BundledProgram, bundleProgram } from './bundled.ts';

/** CRASH_RUNS=50 is the full length. */
const RUNS = Number(process.env.CRASH_RUNS ?? 2);
/** Each run starts a process and recounts up to 100,000 members. */
const PATIENCE = { timeout: 180_000 + RUNS * 10_000 };
const SEED = Number(process.env.CRASH_SEED ?? 1);
const GUILD = 'crash';

describe('the counters of a guild', needs('redis-server'), () => {
  const suite = guildSuite();
  const beginBoards = ({ guildConfig }: Core) => guildConfig.update(GUILD, { boards: ['week', 'month'] });
  let program: BundledProgram;
  beforeAll(async () => {
    program = await bundleProgram('test/fault/busy-writer.ts');
    await beginBoards(suite.guild.store);
  });
  afterAll(() => program?.remove());

  const writer = (seed: number, url = suite.redis.url) => runScript([program.path, url, GUILD, String(seed)]);
  const seed = (randomSeed: number, args: readonly string[]) =>
    runScript(['src/cli/main.ts', 'seed', '--guild', GUILD, '--random-seed', String(randomSeed), ...args], {
      REDIS_URL: suite.redis.url,
    });
  /** Returns the number of members that a --replace has staged. */
  const staged = () => suite.guild.store.client.zcard(`gr:{${GUILD}}:next:xp`);
  const revision = () => suite.guild.store.client.hget(`gr:{${GUILD}}:stats`, 'rev');
  const moment = async () => `${await revision()} ${await staged()}`;
  /** Returns whether the counters of the guild, and of the archives of its seasons, are exact. */
  const audited = () => areExact(suite.guild.store);

  it(
    `the counters are exact after each of ${RUNS} writers was killed with SIGKILL in the middle of its work`,
    PATIENCE,
    async () => {
      for (let run = 0; run < RUNS; run++) {
        const before = await revision();
        const child = writer(SEED + run);
        await vi.waitFor(async () => expect(await revision()).not.toBe(before), PATIENT);
        await delay((run * 37) % 113);
        child.kill('SIGKILL');
        expect(await child.ended).toEqual({ code: null, signal: 'SIGKILL' });
        expect(await audited()).toBe(true);
      }
      // The end of a season leaves all of them without XP.
      const members = await suite.guild.store.client.zcard(`gr:{${GUILD}}:xp`);
      expect(members).toBeGreaterThan(0);
      recordFigure('writer killed with SIGKILL', { times: RUNS, members, drift: 0 });
    },
  );

  it(
    `the counters are exact after Redis was killed with SIGKILL ${RUNS} times beside a writer, and read its file again`,
    PATIENCE,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'guildrank-crash-'));
      const options = ['--dir', folder, '--appendonly', 'yes', '--appendfsync', 'always'];
      let members = 0;
      try {
        for (let run = 0; run < RUNS; run++) {
          const redis = await startEmbeddedRedis(options);
          const client = new Redis(redis.url);
          const store = openCore(client, 'gr');
          await beginBoards(store);
          const rev = () => client.hget(`gr:{${GUILD}}:stats`, 'rev');
          const before = await rev();
          expect(await areExact(store)).toBe(true);
          expect(await client.zcard(`gr:{${GUILD}}:xp`)).toBeGreaterThanOrEqual(Math.min(members, 1));
          const child = writer(SEED + 5000 + run, redis.url);
          await vi.waitFor(async () => expect(await rev()).not.toBe(before), PATIENT);
          await delay(100 + ((run * 53) % 211));
          members = await client.zcard(`gr:{${GUILD}}:xp`);
          client.disconnect();
          redis.process.kill('SIGKILL');
          await child.stop();
          await redis.stop();
        }
        const redis = await startEmbeddedRedis(options);
        const client = new Redis(redis.url);
        expect(await areExact(openCore(client, 'gr'))).toBe(true);
        client.disconnect();
        await redis.stop();
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
      recordFigure('Redis killed with SIGKILL', { times: RUNS, members, drift: 0 });
    },
  );

  it('the counters are exact at every moment while two importers and a bot write to the guild at once', async () => {
    const before = await revision();
    const children = [writer(SEED + 1000), writer(SEED + 2000)];
    await vi.waitFor(async () => expect(await revision()).not.toBe(before), PATIENT);
    let writes = 0;
    for (let i = 0; i < 300; i++) {
      await suite.guild.store.writer.record(GUILD, { userId: `m${i % 40}`, add: (i * 7) % 50 });
      writes++;
      if (i % 60 === 0) expect(await audited()).toBe(true);
    }
    for (const child of children) await child.stop();
    expect(await audited()).toBe(true);
    recordFigure('two importers and a bot at once', { bot_writes: writes, drift: 0 });
  });

  it(
    `the counters are exact after each of ${RUNS} seed commands was killed with SIGKILL while it imported or swapped the guild`,
    PATIENCE,
    async () => {
      const seen = { importing: 0, replacing: 0, done: 0 };
      for (let run = 0; run < RUNS; run++) {
        const replaces = run % 2 === 1;
        // A killed --replace leaves its lock behind, and a killed writer its season. Both would refuse the next --replace.
        await suite.guild.store.client.del(...['next:xp:lock', 'season:xp'].map((key) => `gr:{${GUILD}}:${key}`));
        const before = await moment();
        const child = seed(run, replaces ? ['--generate', '20000', '--replace'] : ['--generate', '100000']);
        await vi.waitFor(async () => expect(await moment(), child.output()).not.toBe(before), PATIENT);
        await delay((run * 137) % 701);
        child.kill('SIGKILL');
        const { signal } = await child.ended;
        const work = replaces ? 'replacing' : 'importing';
        seen[signal === null ? 'done' : work]++;
        expect(await audited()).toBe(true);
      }
      await suite.guild.store.client.del(`gr:{${GUILD}}:next:xp:lock`);
      expect(await seed(RUNS, ['--generate', '1000', '--replace']).ended).toEqual({ code: 0, signal: null });
      expect([await audited(), await staged()]).toEqual([true, 0]);
      expect(await suite.guild.store.client.zcard(`gr:{${GUILD}}:xp`)).toBe(1000);
      recordFigure('seed command killed with SIGKILL', { times: RUNS, ...seen, drift: 0 });
    },
  );

  it('the counters are exact while two seed commands and a bot write to the same members', async () => {
    const children = [0, 1].map((n) => seed(n, ['--generate', '20000']));
    const ended = Promise.all(children.map((child) => child.ended));
    let running = true;
    void ended.then(() => {
      running = false;
    });
    let writes = 0;
    for (; running; writes++) {
      await suite.guild.store.writer.record(GUILD, { userId: `m${writes % 40}`, add: (writes * 7) % 50 });
      if (writes % 200 === 0) expect(await audited()).toBe(true);
    }
    expect(await ended).toEqual(children.map(() => ({ code: 0, signal: null })));
    expect(await audited()).toBe(true);
    recordFigure('two seed commands and a bot at once', { bot_writes: writes, drift: 0 });
  });
});

/** Returns whether the counters of {@link GUILD} are exact, and those of the archives of its seasons. */
async function areExact({ client, counters }: Core): Promise<boolean> {
  const guilds = (await client.keys(`gr:{${GUILD}*}:stats`)).map((key) => /{(.*)}/.exec(key)?.[1] as string);
  for (const guild of guilds) if (!(await counters.check(guild)).exact) return false;
  return true;
}
