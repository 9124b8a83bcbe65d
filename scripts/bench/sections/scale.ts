import { bareRecordOf, guildIdOf, seedGuild, seedMembers } from '../data.ts';
import { measure, type Sample } from '../measure.ts';
import { type LoadedGuild, requestBytes } from '../mix.ts';
import { type RunningContender, startContender } from '../start-contender.ts';
import { median } from '../table.ts';
import { logProgress } from '../terminal.ts';
import { openTestbed, type Testbed } from '../testbed.ts';
import { type Memory, scaleResult } from './scale-report.ts';
import type { SectionOptions, SectionResult } from './section.ts';

const SIZES = [1000, 10_000, 100_000, 1_000_000];
const BARE_MEMBERS = 100_000;
const PAGE_SIZE = 10;
const SERVICES = ['guildrank', 'cache off'] as const;
/** Part of the measured seconds for one cell: there are many, and latency without a queue is steady. */
const PART_OF_SECONDS = 0.25;

/** One page of one guild, requested again and again on one connection, so that nothing queues and nothing is merged. */
interface Cell {
  readonly service: RunningContender;
  readonly guild: LoadedGuild;
  readonly page: 'first' | 'last';
  readonly request: Buffer;
  readonly samples: Sample[];
}

/** Measures latency and CPU time of the first and the last page for guilds of 10^3 to 10^6 members, and Redis memory a member. */
export async function runScale(options: SectionOptions): Promise<SectionResult> {
  const testbed = await openTestbed(options);
  const services: RunningContender[] = [];
  try {
    const memory: Memory[] = [];
    const guilds: LoadedGuild[] = [];
    await seedGuild(testbed.store, 0, 1); // Loads the scripts, which do not count as memory of members.
    memory.push(await measureMemory(testbed, 'username alone', BARE_MEMBERS, () => seedBare(testbed)));
    for (const size of options.small ? SIZES.slice(0, 3) : SIZES) {
      const seed = async () => void guilds.push(await seedGuild(testbed.store, size, size));
      memory.push(await measureMemory(testbed, 'username, streak and claim', size, seed));
    }
    for (const name of SERVICES) services.push(await startContender(testbed, name));
    const cells = services.flatMap((service) => guilds.flatMap((guild) => cellsOf(service, guild)));
    const seconds = options.seconds * PART_OF_SECONDS;
    // The first round warms up and is not counted.
    for (let round = 0; round <= options.rounds; round++) {
      logProgress(`scale: ${round === 0 ? 'warming up' : `round ${round} of ${options.rounds}`}`);
      for (const { service, request, samples } of cells) {
        const sample = await measure(testbed, service, { requests: [request], from: 0, connections: 1, seconds });
        if (round > 0) samples.push(sample);
      }
    }
    return scaleResult(cells.map(summarise), memory, options);
  } finally {
    await Promise.all(services.map((service) => service.stop()));
    await testbed.close();
  }
}

/** Seeds and measures the growth of Redis's memory. */
async function measureMemory(
  testbed: Testbed,
  content: string,
  members: number,
  seed: () => Promise<void>,
): Promise<Memory> {
  logProgress(`scale: seeding a guild of ${members} members`);
  const before = await testbed.usedMemory();
  await seed();
  return { content, members, bytesPerMember: ((await testbed.usedMemory()) - before) / members };
}

function seedBare({ store }: Testbed): Promise<void> {
  return seedMembers(store, guildIdOf(1), BARE_MEMBERS, 1, bareRecordOf);
}

function cellsOf(service: RunningContender, guild: LoadedGuild): Cell[] {
  return (['first', 'last'] as const).map((page) => {
    const number = page === 'first' ? 1 : Math.ceil(guild.members / PAGE_SIZE);
    const path = `/api/v1/servers/${guild.id}/leaderboard?page=${number}&limit=${PAGE_SIZE}`;
    return { service, guild, page, request: requestBytes({ path, guild }), samples: [] };
  });
}

function summarise({ service, guild, page, samples }: Cell) {
  const of = (value: (sample: Sample) => number) => median(samples.map(value));
  const failed = samples.flatMap(({ failures }) => Object.values(failures)).reduce((a, b) => a + b, 0);
  return {
    service: service.name,
    members: guild.members,
    page,
    p50Ms: of((sample) => sample.p50Ms),
    p99Ms: of((sample) => sample.p99Ms),
    cpuUs: of((sample) => sample.cpuUs.server),
    redisCpuUs: of((sample) => sample.cpuUs.redis),
    failed,
  };
}
