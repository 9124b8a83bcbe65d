import { readFileSync } from 'node:fs';
import { guildIdOf, userIdOf } from '../data.ts';
import { logProgress } from '../terminal.ts';
import type { Testbed } from '../testbed.ts';
import type { SectionOptions } from './section.ts';

export const GUILD = guildIdOf(0);
export const BARE_GUILD = guildIdOf(1);
export const CALLS_IN_FLIGHT = 64;
/** Unit of the CPU time in /proc/PID/stat. */
const TICK_MS = 10;

export interface Round {
  readonly callsPerS: number;
  /** CPU time of a call in Redis, in microseconds. */
  readonly redisUs: number;
}

/** Sends awards and bare commands in turn, on one connection. */
export async function compareAward({ store, redis }: Testbed, members: number, { rounds, seconds }: SectionOptions) {
  const { client, writer, redisKeys } = store;
  const { xp, memberPrefix } = redisKeys.guild(BARE_GUILD);
  let turn = 0;
  const user = () => userIdOf((turn++ * 7919) % members);
  const calls = {
    bare: () => {
      const id = user();
      return client
        .pipeline()
        .zincrby(xp, 15, id)
        .hset(memberPrefix + id, 'username', 'name')
        .exec();
    },
    award: () => writer.award(GUILD, { userId: user(), amount: 15, username: 'name' }),
  };
  const measured: Record<keyof typeof calls, Round[]> = { bare: [], award: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const name of ['bare', 'award'] as const) {
      const result = await callFor(seconds, calls[name], redis.process.pid as number);
      // The first round warms up.
      if (round > 0) measured[name].push(result);
    }
    logProgress(`kit: round ${round} of ${rounds}`);
  }
  return measured;
}

async function callFor(seconds: number, call: () => Promise<unknown>, redisPid: number): Promise<Round> {
  const [startedAt, cpuBefore] = [performance.now(), cpuMs(redisPid)];
  let done = 0;
  const caller = async (): Promise<void> => {
    for (; performance.now() - startedAt < seconds * 1000; done++) await call();
  };
  await Promise.all(Array.from({ length: CALLS_IN_FLIGHT }, caller));
  const ms = performance.now() - startedAt;
  return { callsPerS: (done / ms) * 1000, redisUs: ((cpuMs(redisPid) - cpuBefore) / done) * 1000 };
}

function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
