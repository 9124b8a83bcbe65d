import { type RunningContender, startContender } from '../contenders.ts';
import { fillBenchGuild } from '../data.ts';
import { measure, type Sample } from '../measure.ts';
import { atMost, figure, logProgress, median, type SectionResult, tableLines } from '../report.ts';
import { type FilledGuild, PAGE_SIZE, pagePath, requestBytes } from '../requests.ts';
import { type BenchOptions, withTestbed } from '../testbed.ts';

const SIZES = [1000, 10_000, 100_000, 1_000_000];
const SERVICES = ['guildrank', 'cache off'] as const;
const PAGES = ['first', 'last'] as const;
/** Part of the measured seconds for one cell: there are many, and latency without a queue is steady. */
const PART_OF_SECONDS = 0.25;
const MEMORY_GOAL = 330;

/** Medians over the rounds for one page of one guild. */
interface ScaleCell {
  readonly service: string;
  readonly members: number;
  readonly page: (typeof PAGES)[number];
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
  readonly redisCpuUs: number;
}

/** A guild, and the Redis memory of all its keys. */
interface MeasuredGuild extends FilledGuild {
  readonly bytesPerMember: number;
}

/**
 * Measures latency and CPU time of the first and the last page for guilds of 10^3 to 10^6 members, and Redis memory a member. One
 * connection requests one page again and again, so that nothing queues and nothing is merged.
 */
export function runScale(options: BenchOptions): Promise<SectionResult> {
  return withTestbed(options, async (testbed) => {
    await fillBenchGuild(testbed.store, 0, 1); // Loads the scripts, which do not count as memory of members.
    const guilds: MeasuredGuild[] = [];
    for (const size of options.small ? SIZES.slice(0, 3) : SIZES) {
      logProgress(`scale: filling a guild with ${size} members`);
      const before = await testbed.usedMemory();
      const guild = await fillBenchGuild(testbed.store, size, size);
      guilds.push({ ...guild, bytesPerMember: ((await testbed.usedMemory()) - before) / size });
    }
    const services: RunningContender[] = [];
    try {
      for (const name of SERVICES) services.push(await startContender(testbed, name));
      const cells = services.flatMap((service) =>
        guilds.flatMap((guild) => PAGES.map((page) => ({ service, guild, page, samples: [] as Sample[] }))),
      );
      // The first round warms up and is not counted.
      for (let round = 0; round <= options.rounds; round++) {
        logProgress(`scale: ${round === 0 ? 'warming up' : `round ${round} of ${options.rounds}`}`);
        for (const { service, guild, page, samples } of cells) {
          const path = `/api/v1/servers/${guild.id}${pagePath(page === 'first' ? 1 : guild.members / PAGE_SIZE)}`;
          const load = { requests: [requestBytes({ path, guild })], from: 0, connections: 1, settleSeconds: 0 };
          const sample = await measure(testbed, service, { ...load, seconds: options.seconds * PART_OF_SECONDS });
          if (round > 0) samples.push(sample);
        }
      }
      const results = cells.map(({ service, guild: { members }, page, samples }): ScaleCell => {
        const of = (value: (sample: Sample) => number) => median(samples.map(value));
        return {
          service: service.name,
          members,
          page,
          p50Ms: of((sample) => sample.p50Ms),
          p99Ms: of((sample) => sample.p99Ms),
          cpuUs: of((sample) => sample.cpuUs.server),
          redisCpuUs: of((sample) => sample.cpuUs.redis),
        };
      });
      return scaleResult(results, guilds);
    } finally {
      await Promise.all(services.map((service) => service.stop()));
    }
  });
}

/** Returns the tables from the smallest guild to the largest, and the goals for how flat they are. */
function scaleResult(
  cells: readonly ScaleCell[],
  memory: readonly Pick<MeasuredGuild, 'members' | 'bytesPerMember'>[],
): SectionResult {
  const smallest = memory[0] as (typeof memory)[0];
  const largest = memory.at(-1) as (typeof memory)[0];
  const cost = ({ cpuUs, redisCpuUs }: ScaleCell) => cpuUs + redisCpuUs;
  const flatness = SERVICES.flatMap((service) => {
    const cellOf = ({ members }: typeof smallest, page: ScaleCell['page']) =>
      cells.find((cell) => cell.service === service && cell.members === members && cell.page === page) as ScaleCell;
    const first = cellOf(largest, 'first');
    const last = cellOf(largest, 'last');
    const ofSmallest = cellOf(smallest, 'first');
    const name = `(${service}, ${figure(largest.members)} members)`;
    return [
      atMost(`last page over first page, p50 ${name}`, last.p50Ms / first.p50Ms, 1.3),
      atMost(`CPU in relation to ${figure(smallest.members)} ${name}`, cost(first) / cost(ofSmallest), 1.3),
    ];
  });
  const memoryRow = ({ members, bytesPerMember }: typeof smallest) => [figure(members), figure(bytesPerMember)];
  return {
    data: { cells, memory: memory.map(({ members, bytesPerMember }) => ({ members, bytesPerMember })) },
    lines: [
      ...tableLines(
        ['', 'members', 'page', 'p50 ms', 'p99 ms', 'CPU µs a request', 'µs of Redis'],
        cells.map(({ service, members, page, p50Ms, p99Ms, cpuUs, redisCpuUs }) => {
          return [service, figure(members), page, figure(p50Ms), figure(p99Ms), figure(cpuUs), figure(redisCpuUs)];
        }),
      ),
      '',
      ...tableLines(['members', 'bytes a member in Redis'], memory.map(memoryRow)),
    ],
    // Redis's hash tables double: how full they are matters least in the largest guild.
    goals: [...flatness, atMost('bytes a member in the largest guild', largest.bytesPerMember, MEMORY_GOAL)],
  };
}
