import type { ContenderName } from '../contenders.ts';
import { measure, type Sample } from '../measure.ts';
import type { RunningContender } from '../start-contender.ts';
import { median } from '../table.ts';
import { logProgress } from '../terminal.ts';
import type { Testbed } from '../testbed.ts';
import type { Wrk, WrkSample } from '../wrk.ts';
import type { SectionOptions } from './section.ts';

/** Samples of one contender, round by round. */
export interface Series {
  readonly name: ContenderName;
  readonly peak: readonly Sample[];
  /** The peak by wrk; empty if the contender is not measured by wrk. */
  readonly byWrk: readonly WrkSample[];
  /** The peak again after wrk. A process gets faster for some seconds, so wrk is compared with the mean of both. */
  readonly afterWrk: readonly Sample[];
  /** The fixed rate of the second part, in requests a second. */
  readonly rate: number;
  readonly atRate: readonly Sample[];
}

/** The contenders and what is sent to them. */
export interface MixRun {
  readonly testbed: Testbed;
  readonly running: readonly RunningContender[];
  /** Stops the contender at this place of `running` and starts it again. */
  readonly restart: (place: number) => Promise<RunningContender>;
  readonly requests: readonly Buffer[];
  readonly wrk: Wrk | undefined;
}

export const CONNECTIONS = 64;
/** Part of a contender's own peak at which its latency is measured. */
const LOAD_FACTOR = 0.7;
/** Connections at a fixed rate: one must be free when a request falls due. */
const OPEN_LOOP_CONNECTIONS = 256;
/** A new process compiles its hot functions and has empty caches. */
const WARM_UP_S = 3;
/** After the turns of the others, caches are stale, and new connections have each packet acknowledged at once. */
const SETTLE_S = 1;
/** Distance of the first requests of two rounds: each round sends other requests, and the same to every contender. */
export const ROUND_OFFSET = 37_777;
/** Contenders that wrk measures too. */
const BY_WRK: readonly ContenderName[] = ['guildrank', 'node:http'];

/** Measures all contenders: first at their peak, then at a fixed rate. */
export async function runRounds(run: MixRun, { seconds, rounds }: SectionOptions): Promise<Series[]> {
  const { testbed, running, restart, requests, wrk } = run;
  const plan = { requests, connections: CONNECTIONS, seconds };
  const series = running.map(({ name }, place) => ({
    place,
    name,
    peak: [] as Sample[],
    byWrk: [] as WrkSample[],
    afterWrk: [] as Sample[],
    rate: 0,
    atRate: [] as Sample[],
  }));
  for (let round = 0; round < rounds; round++) {
    for (const { place, name, peak, byWrk, afterWrk } of alternating(series, round)) {
      logProgress(`round ${round + 1} of ${rounds}, peak: ${name}`);
      // One start of a process can be a sixth faster than the next, so the median is over the starts too.
      const contender = round === 0 ? (running[place] as RunningContender) : await restart(place);
      const from = (round + 1) * ROUND_OFFSET;
      peak.push(await measure(testbed, contender, { ...plan, settleSeconds: WARM_UP_S, from }));
      if (!wrk || !BY_WRK.includes(name)) continue;
      logProgress(`round ${round + 1} of ${rounds}, wrk: ${name}`);
      byWrk.push(await wrk.measure(contender, { connections: CONNECTIONS, settleSeconds: SETTLE_S, seconds, from }));
      afterWrk.push(await measure(testbed, contender, { ...plan, settleSeconds: SETTLE_S, from }));
    }
  }
  for (const one of series) one.rate = LOAD_FACTOR * median(one.peak.map((sample) => sample.requestsPerSecond));
  for (let round = 0; round < rounds; round++) {
    for (const { place, name, rate, atRate } of alternating(series, round)) {
      logProgress(`round ${round + 1} of ${rounds}, at ${LOAD_FACTOR * 100} % of peak: ${name}`);
      const load = { ...plan, settleSeconds: SETTLE_S, connections: OPEN_LOOP_CONNECTIONS, rate };
      const from = (rounds + round + 1) * ROUND_OFFSET;
      atRate.push(await measure(testbed, running[place] as RunningContender, { ...load, from }));
    }
  }
  return series;
}

/** Reverses the order in every second round, so that no contender always follows the same one. */
function alternating<T>(all: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? all : all.toReversed();
}
