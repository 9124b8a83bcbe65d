import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it, vi } from 'vitest';
import { createWriter } from '../../src/kit/writer.ts';
import { sentinelKinds } from '../../tools/bot-clients.ts';
import { recordFigure } from '../support/figures.ts';
import { needs } from '../support/needs.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { type SentinelSet, startSentinelSet } from '../support/sentinel.ts';
import { PATIENT } from '../support/wait.ts';
import { type AwardingBot, startAwardingBot } from '../topology/awarding-bot.ts';

/** Each takes ten seconds: a Sentinel lets a failover begin only a while after the last one. */
const FAILOVERS = Number(process.env.PLANNED_FAILOVERS ?? 4);

/** Runs bots of each kind of client through failovers, and compares the XP that they were told of with the XP that is stored then. */
async function failOverUnder(set: SentinelSet, replicas: number | undefined, failOver: () => Promise<unknown>) {
  const closes: (() => unknown)[] = [];
  const bots: { readonly bot: AwardingBot; readonly repeats: boolean }[] = [];
  try {
    for (const { name, open } of sentinelKinds) {
      const { client, close } = await open(set);
      closes.push(close);
      const writer = createWriter(client, replicas === undefined ? {} : { replicas });
      for (const repeats of [false, true]) {
        const guild = `${name.replaceAll(' ', '-')}.${repeats ? 'repeated' : 'once'}`;
        bots.push({ bot: startAwardingBot(writer, guild, repeats), repeats });
      }
    }
    const goOn = async () => {
      const before = bots.map(({ bot }) => bot.counts.acknowledged);
      await vi.waitFor(() => {
        for (const [index, { bot }] of bots.entries())
          expect(bot.counts.acknowledged, bot.guild).toBeGreaterThan((before[index] as number) + 20);
      }, PATIENT);
    };
    await goOn();
    for (let n = 0; n < FAILOVERS; n++) {
      await failOver();
      await goOn();
    }
    const told = await Promise.all(bots.map(async ({ bot }) => await bot.stop()));
    const { url } = await set.master();
    const admin = new Redis(url);
    try {
      const figures = { acknowledged: 0, failed: 0, lost: 0, wrong: 0 };
      for (const [index, { bot, repeats }] of bots.entries()) {
        figures.acknowledged += bot.counts.acknowledged;
        figures.failed += bot.counts.failed;
        for (const [userId, xp] of told[index] ?? []) {
          const stored = Number(await admin.zscore(`gr:{${bot.guild}}:xp`, userId));
          figures.lost += Math.max(0, xp - stored);
          if (repeats) figures.wrong += Math.abs(xp - stored);
        }
      }
      return figures;
    } finally {
      admin.disconnect();
    }
  } finally {
    await Promise.allSettled(bots.map(({ bot }) => bot.stop()));
    for (const close of closes) await close();
  }
}

/** Runs SENTINEL FAILOVER, and waits until all servers follow the new master. */
async function sentinelFailover(set: SentinelSet): Promise<void> {
  const [, port] = (set.addresses.split(',')[0] as string).split(':');
  const sentinel = new Redis(Number(port), '127.0.0.1');
  try {
    const old = await set.master();
    // A Sentinel refuses until it knows that the last failover is over.
    await vi.waitFor(() => sentinel.call('SENTINEL', 'FAILOVER', set.name), PATIENT);
    await vi.waitFor(async () => {
      expect(await set.master()).not.toBe(old);
      expect(await set.isReplica(old)).toBe(true);
    }, PATIENT);
  } finally {
    sentinel.disconnect();
  }
}

/** The script of the runbook. */
const SCRIPT = join(repository, 'deploy/redis/planned-failover.sh');

/** Runs the script of the runbook. */
async function runbookFailover(set: SentinelSet): Promise<void> {
  const [first] = set.addresses.split(',');
  const env = { SENTINEL_URL: `redis://${first}`, NAME: set.name };
  const old = await set.master();
  // A Sentinel refuses until it knows that the last failover is over.
  await vi.waitFor(async () => {
    expect(await runProgram('sh', [SCRIPT], { env })).toMatchObject({ code: 0, stderr: '' });
    expect(await set.master()).not.toBe(old);
  }, PATIENT);
}

describe('a planned failover under load', needs('redis-server'), () => {
  it.each([1, 2])(
    'with %s as the number of replicas, a planned failover loses no XP of a call that succeeded under the option replicas, and a repeat counts once',
    { timeout: 120_000 + FAILOVERS * 40_000 },
    async (replicas) => {
      const set = await startSentinelSet(replicas);
      try {
        const figures = await failOverUnder(set, replicas, () => sentinelFailover(set));
        recordFigure(`planned failovers, ${replicas} replicas`, { failovers: FAILOVERS, ...figures });
        expect(figures).toMatchObject({ lost: 0, wrong: 0 });
        expect(figures.failed).toBeGreaterThan(0);
      } finally {
        await set.stop();
      }
    },
  );

  it('a planned failover by the script of the runbook alone loses no XP of a call that succeeded', {
    ...needs('redis-cli'),
    timeout: 120_000 + FAILOVERS * 40_000,
  }, async () => {
    const set = await startSentinelSet();
    try {
      await set.setDownAfter(10_000);
      const figures = await failOverUnder(set, undefined, () => runbookFailover(set));
      recordFigure('planned failovers by the runbook', { failovers: FAILOVERS, ...figures });
      expect(figures).toMatchObject({ lost: 0, wrong: 0 });
    } finally {
      await set.stop();
    }
  });
});
