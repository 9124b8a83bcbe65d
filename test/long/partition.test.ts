import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { endOfOutage } from '../fault/judgement.ts';
import { recordFigure } from '../support/figures.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { needs } from '../support/needs.ts';
import { type ServiceProcess, startServiceProcess } from '../support/process.ts';
import { PATIENT } from '../support/wait.ts';
import { findFault } from '../topology/history.ts';
import { type Cut, type Network, REDIS, SOURCES, STALE_MS, startNetwork } from '../topology/network.ts';
import { Bot, type Recording, startRecording } from '../topology/recorder.ts';
import { type Partition, partitions } from './partitions.ts';

/** PARTITION_ROUNDS=5 is the full length: every partition, in other orders each time. Without it, the short form runs once. */
const ROUNDS = Number(process.env.PARTITION_ROUNDS ?? 0);
const CHOSEN = partitions.filter(({ isShort }) => ROUNDS > 0 || isShort);
const RUNS = Array.from({ length: Math.max(1, ROUNDS) }, (_, round) =>
  CHOSEN.map((it) => [it.name, round, it] as const),
);

const MEMBERS = ['bot0', 'bot1'];
/** A partition lasts this long after what it must cause has come. */
const MOMENT_MS = 1000;
/** Time between two cuts, and between the ends of two. */
const STEP_MS = 20;
/** Good answers are back this soon: replicas report to their master, and Sentinels to the service, once a second or so. */
const BACK_MS = 5000;
/** No answer takes longer. The timed suites judge the promised 300 ms. */
const BOUND_MS = 1000;

describe('a Sentinel set in a network that is cut', { ...needs('redis-server'), timeout: 120_000 }, () => {
  let network: Network;
  let guild: TestGuild;
  let bot: Bot;
  let service: ServiceProcess;

  beforeAll(async () => {
    network = await startNetwork();
    guild = await guildOn(network.env);
    service = await startServiceProcess({ ...network.env, ...guild.env, SOURCE_ADDRESS: SOURCES.service }, [
      '--import',
      './test/long/source-address.ts',
    ]);
    bot = await Bot.start(network.env, guild.id);
  });
  afterAll(async () => {
    bot?.stop();
    await service?.stop();
    guild?.close();
    await network?.stop();
  });

  /** Adds once to each member. @returns the XP of each, which all three Redis have. */
  const firstXp = () =>
    Promise.all(
      MEMBERS.map((userId) =>
        vi.waitFor(async () => {
          const call = await bot.add(userId, 2);
          expect(call?.xp).toBeGreaterThan(0);
          return call?.xp as number;
        }, PATIENT),
      ),
    );

  const inflict = async ({ promotes, outage }: Partition, cuts: readonly Cut[], { answers }: Recording) => {
    const before = await network.master();
    const sent = performance.now();
    for (const cut of cuts) {
      network.cut([cut]);
      await delay(STEP_MS);
    }
    if (promotes) {
      await vi.waitFor(async () => expect(await network.master(), 'a replica is promoted').not.toBe(before), PATIENT);
    }
    if (outage === 'yes') {
      const refused = () => answers.some(({ status, sentAt }) => status === 503 && sentAt > sent);
      await vi.waitFor(() => expect(refused(), 'an answer of 503').toBe(true), PATIENT);
    }
    await delay(MOMENT_MS);
  };

  /** Returns the longest that the service took for a request, in milliseconds. */
  const slowestSince = (epochMs: number): number => {
    const lines = service.lines().filter(({ time, msg }) => msg === 'request' && Date.parse(String(time)) > epochMs);
    return Math.max(...lines.map(({ duration_ms }) => Number(duration_ms)));
  };

  it.each(RUNS.flat())(
    'the service answers what is allowed while %s (round %i), and all is well afterwards',
    async (name, round, it) => {
      await network.whole();
      const xp = await firstXp();
      const master = await network.master();
      const [x, y] = REDIS.filter((place) => place !== master) as [typeof master, typeof master];
      // In another order each round, and healed from the other end in every second one.
      const cuts = it.cuts(master, x, y);
      const order = [...cuts.slice(round % cuts.length), ...cuts.slice(0, round % cuts.length)];
      const recording = startRecording({ ...service, ...guild, guildId: guild.id }, bot, MEMBERS, it.replicas);
      const began = Date.now();
      let healed = 0;
      try {
        await vi.waitFor(() => expect(recording.answers.length).toBeGreaterThan(20), PATIENT);
        await inflict(it, order, recording);
        for (const cut of round % 2 === 0 ? order : order.toReversed()) {
          network.heal([cut]);
          await delay(STEP_MS);
        }
        healed = performance.now();
        await vi.waitFor(() => {
          for (const calls of recording.calls.values()) {
            const later = calls.filter(({ start, end }) => start > healed && end !== undefined);
            expect(new Set(later.map(({ kind }) => kind)), 'acknowledged additions, and reads').toEqual(
              new Set(['add', 'read']),
            );
          }
        }, PATIENT);
        await network.whole();
      } finally {
        network.heal(cuts);
        await recording.stop();
      }
      const { answers, calls } = recording;
      expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
      expect(service.lines().filter(({ msg }) => msg === 'request failed')).toEqual([]);
      expect((await guild.store.counters.check(guild.id)).exact).toBe(true);
      const slowest = slowestSince(began);
      expect(slowest).toBeLessThan(BOUND_MS + service.worstLag(began));
      const refused = answers.filter(({ status }) => status === 503);
      if (it.outage === 'no') expect(refused.length).toBeLessThan(answers.length / 5);
      let staleMs = 0;
      for (const [n, userId] of MEMBERS.entries()) {
        const history = calls.get(userId) ?? [];
        const faultWith = (staleMs: number) => findFault(history, xp[n] as number, { mayLose: it.promotes, staleMs });
        const fault = faultWith(it.isStale ? STALE_MS : 0);
        const around = history.filter(({ start }) => fault && Math.abs(start - fault.start) < 1000);
        expect([fault, around], `what no order explains of ${userId}, and the calls around it`).toEqual([
          undefined,
          [],
        ]);
        while (it.isStale && faultWith(staleMs)) staleMs += 250;
      }
      const late = refused.map(({ sentAt }) => sentAt - healed).filter((ms) => ms > 0);
      const backMs = endOfOutage(late);
      expect(backMs).toBeLessThan(BACK_MS + service.worstLag(began));
      const additions = [...calls.values()].flat().filter(({ kind }) => kind === 'add');
      recordFigure(`partition: ${name}`, {
        ...{ round, answers: answers.length, unavailable: refused.length, slowestMs: Math.round(slowest), staleMs },
        acknowledged: additions.filter(({ end }) => end !== undefined).length,
        unknown: additions.filter(({ end }) => end === undefined).length,
        ...{ backMs: Math.round(backMs), stragglers: late.filter((ms) => ms > backMs).length },
      });
    },
  );
});
