import { type RunningContender, startContender } from '../contenders.ts';
import { bareRecordOf, guildIdOf, seedGuild, seedMembers } from '../data.ts';
import { measure, type Sample } from '../measure.ts';
import { type LoadedGuild, requestBytes } from '../mix.ts';
import { openStage, type Stage } from '../stage.ts';
import { median } from '../table.ts';
import { logProgress } from '../terminal.ts';
import { type Memory, scaleResult } from './scale-report.ts';
import type { SectionOptions, SectionResult } from './section.ts';

const SIZES = [1000, 10_000, 100_000, 1_000_000];
const BARE_MEMBERS = 100_000;
const PAGE_SIZE = 10;
const SERVICES = ['guildrank', 'cache off'] as const;
/** The cells are many and each needs little: latency without a queue settles fast. */
const PART_OF_SECONDS = 0.25;

/** One page of one guild, asked for over and over on one connection, so that nothing waits and nothing is merged. */
interface Cell {
  readonly service: RunningContender;
  readonly guild: LoadedGuild;
  readonly page: 'first' | 'last';
  readonly request: Buffer;
  readonly samples: Sample[];
}

/** Latency and processor time of the first and the last page from a thousand to a million members; memory a member. */
export async function runScale(options: SectionOptions): Promise<SectionResult> {
  const stage = await openStage(options.pinning);
  const services: RunningContender[] = [];
  try {
    const memory: Memory[] = [];
    const guilds: LoadedGuild[] = [];
    await seedGuild(stage.store, 0, 1); // So that loading the scripts is not weighed.
    memory.push(await weigh(stage, 'username alone', BARE_MEMBERS, () => seedBare(stage)));
    for (const size of options.small ? SIZES.slice(0, 3) : SIZES) {
      const seed = async () => void guilds.push(await seedGuild(stage.store, size, size));
      memory.push(await weigh(stage, 'username, streak and claim', size, seed));
    }
    for (const name of SERVICES) services.push(await startContender(stage, name));
    const cells = services.flatMap((service) => guilds.flatMap((guild) => cellsOf(service, guild)));
    const seconds = options.seconds * PART_OF_SECONDS;
    // The first round warms up and is not counted.
    for (let round = 0; round <= options.rounds; round++) {
      logProgress(`scale: ${round === 0 ? 'warming up' : `round ${round} of ${options.rounds}`}`);
      for (const { service, request, samples } of cells) {
        const sample = await measure(stage, service, { requests: [request], from: 0, connections: 1, seconds });
        if (round > 0) samples.push(sample);
      }
    }
    return scaleResult(cells.map(summarise), memory, options);
  } finally {
    await Promise.all(services.map((service) => service.stop()));
    await stage.close();
  }
}

/** Seeds and notes what that took of Redis's memory. */
async function weigh(stage: Stage, content: string, members: number, seed: () => Promise<void>): Promise<Memory> {
  logProgress(`scale: seeding a guild of ${members} members`);
  const before = await stage.usedMemory();
  await seed();
  return { content, members, bytesPerMember: ((await stage.usedMemory()) - before) / members };
}

function seedBare({ store }: Stage): Promise<void> {
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
