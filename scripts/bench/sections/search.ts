import { NameSearch } from '../../../src/core/reads/name-search.ts';
import { fillMembers, guildIdOf } from '../data.ts';
import { cpuSeconds } from '../processes.ts';
import { atMost, figure, logProgress, median, type SectionResult, tableLines } from '../report.ts';
import { type BenchOptions, type Testbed, withTestbed } from '../testbed.ts';

const MEMBERS = 200_000;
const GUILD = guildIdOf(0);
const SEED = 1;
/** Found everywhere, seldom and never. */
const TEXTS = ['a', 'raven', 'n 1', 'quiet raven 7', 'nobody at all'];
const FIRST_GOAL_MS = 1000;
const NEXT_GOAL_MS = 20;
const REDIS_GOAL_MS = 3;
const ALL_COMMANDS = 1_000_000;

/** One round: a search that reads the names, and searches in the names that are kept. Times are in milliseconds. */
interface Round {
  readonly first: number;
  /** The longest of the next searches. */
  readonly next: number;
  /** CPU time of Redis for all of them. */
  readonly redisCpu: number;
  /** Time of each script of Redis, by its slow log. */
  readonly scripts: readonly number[];
}

/** Measures the searches of one process in a guild of 200,000 members. */
export function runSearch(options: BenchOptions): Promise<SectionResult> {
  const members = options.small ? MEMBERS / 10 : MEMBERS;
  return withTestbed(options, async (testbed) => {
    logProgress(`search: filling a guild with ${members} members`);
    await fillMembers(testbed.store, GUILD, members, SEED);
    const { client } = testbed.store;
    await client.config('SET', 'slowlog-max-len', ALL_COMMANDS);
    await client.config('SET', 'slowlog-log-slower-than', 0);
    const rounds: Round[] = [];
    // The first round warms up and is not counted.
    for (let round = 0; round <= options.rounds; round++) {
      logProgress(`search: ${round === 0 ? 'warming up' : `round ${round} of ${options.rounds}`}`);
      const measured = await measureRound(testbed);
      if (round > 0) rounds.push(measured);
    }
    return searchResult(members, rounds);
  });
}

async function measureRound({ store, redis }: Testbed): Promise<Round> {
  const search = new NameSearch(store, () => 0);
  const find = async (text: string) => {
    const startedAt = performance.now();
    await search.find(GUILD, text);
    return performance.now() - startedAt;
  };
  const pid = redis.process.pid as number;
  await store.client.slowlog('RESET');
  const cpuBefore = cpuSeconds(pid);
  const first = await find(TEXTS[0] as string);
  const next: number[] = [];
  for (const text of TEXTS) next.push(await find(text));
  const redisCpu = (cpuSeconds(pid) - cpuBefore) * 1000;
  const entries = (await store.client.slowlog('GET', ALL_COMMANDS)) as [number, number, number, string[]][];
  const scripts = entries.filter(([, , , [name = '']]) => /^eval/i.test(name)).map(([, , us]) => us / 1000);
  return { first, next: Math.max(...next), redisCpu, scripts };
}

function searchResult(members: number, rounds: readonly Round[]): SectionResult {
  const of = (value: (round: Round) => number) => median(rounds.map(value));
  const scripts = rounds.flatMap((round) => round.scripts);
  const first = of((round) => round.first);
  const next = of((round) => round.next);
  const longest = scripts.reduce((one, other) => Math.max(one, other), 0);
  const above = scripts.filter((ms) => ms > REDIS_GOAL_MS).length;
  return {
    data: { members, rounds },
    lines: tableLines(
      ['search by name', 'ms'],
      [
        [`the first search, of ${figure(members)} members`, figure(first)],
        ['the longest of the next searches', figure(next)],
        ['CPU time of Redis for all', figure(of((round) => round.redisCpu))],
        ['a script of Redis, median', figure(median(scripts))],
        [
          `the longest of ${figure(scripts.length)} scripts, of which ${above} took above ${REDIS_GOAL_MS} ms`,
          figure(longest),
        ],
      ],
    ),
    goals: [
      atMost('milliseconds of the first search', first, FIRST_GOAL_MS),
      atMost('milliseconds of the next searches', next, NEXT_GOAL_MS),
      atMost('milliseconds of a script in Redis', longest, REDIS_GOAL_MS),
    ],
  };
}
