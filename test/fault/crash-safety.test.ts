import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/embedded-redis.ts';
import { recordFigure } from '../helpers/figures.ts';
import { guildOn, type TestGuild } from '../helpers/guild.ts';
import { runScript } from '../helpers/process.ts';
import { hasRedis } from '../helpers/stores.ts';
import { until } from '../helpers/until.ts';

/** CRASH_RUNS=50 is the full length. */
const RUNS = Number(process.env.CRASH_RUNS ?? 8);
const SEED = Number(process.env.CRASH_SEED ?? 1);
const GUILD = 'crash';

describe.skipIf(!hasRedis)('the counters of a guild', () => {
  let redis: EmbeddedRedis;
  let guild: TestGuild;

  beforeAll(async () => {
    redis = await startEmbeddedRedis();
    guild = await guildOn(redis.url);
  });
  afterAll(async () => {
    guild?.close();
    await redis?.stop();
  });

  const writer = (seed: number) => runScript(['test/fault/busy-writer.ts', redis.url, GUILD, String(seed)]);
  const revision = () => guild.store.client.hget(`gr:{${GUILD}}:stats`, 'rev');
  const audited = async () => (await guild.store.audit.check(GUILD)).exact;

  it(`are exact after each of ${RUNS} writers was killed with SIGKILL in the middle of its work`, async () => {
    for (let run = 0; run < RUNS; run++) {
      const before = await revision();
      const child = writer(SEED + run);
      await until(async () => (await revision()) !== before);
      await delay((run * 37) % 113);
      child.kill('SIGKILL');
      expect(await child.ended).toEqual({ code: null, signal: 'SIGKILL' });
      expect(await audited()).toBe(true);
    }
    const { actual } = await guild.store.audit.check(GUILD);
    expect(actual.members).toBeGreaterThan(0n);
    recordFigure('writer killed with SIGKILL', { times: RUNS, members: Number(actual.members), drift: 0 });
  });

  it('are exact at every moment while two importers and a bot write to it at once', async () => {
    const before = await revision();
    const children = [writer(SEED + 1000), writer(SEED + 2000)];
    await until(async () => (await revision()) !== before);
    let writes = 0;
    for (let i = 0; i < 300; i++) {
      await guild.store.writer.record(GUILD, { userId: `m${i % 40}`, add: (i * 7) % 50 });
      writes++;
      if (i % 60 === 0) expect(await audited()).toBe(true);
    }
    for (const child of children) await child.stop();
    expect(await audited()).toBe(true);
    recordFigure('two importers and a bot at once', { bot_writes: writes, drift: 0 });
  });
});
