/** The cost of one unit of work, measured. docs/scaling.md says how. */
export interface Figures {
  /** Redis memory of a guild without members, with one API key. */
  readonly guildBytes: number;
  /** Redis memory of a member of a guild of up to 128 members, and of a larger one. */
  readonly smallMemberBytes: number;
  readonly memberBytes: number;
  /** CPU time of Redis, in microseconds: of a request whose API key the process knows, more for another one, of a write of the bot. */
  readonly redisUs: { readonly request: number; readonly lookUp: number; readonly write: number };
  /** CPU time of the service, in microseconds. */
  readonly serviceUs: { readonly request: number; readonly lookUp: number };
}

/** What a deployment has to carry. Requests are spread over the guilds by Zipf's law with exponent 1. */
export interface Demand {
  readonly guilds: number;
  readonly members: number;
  readonly requestsPerS: number;
  readonly writesPerS: number;
  /** Whether the load balancer sends all requests of a guild to the same process. */
  readonly isRouted?: boolean;
}

export interface Limits {
  /** Data of one master. Its machine has twice as much, for a save, and for the reserve of the allocator. */
  readonly masterBytes: number;
  /** Share of a core that may be busy, so that a failed neighbour can be carried. */
  readonly busy: number;
  /** Prices of a month. Replace them by those of the provider. */
  readonly pricePerCore: number;
  readonly pricePerGb: number;
}

/** The machines for a demand. */
export interface Plan {
  readonly dataBytes: number;
  readonly masters: number;
  /** What decides the number of masters. */
  readonly by: 'memory' | 'CPU';
  readonly processes: number;
  /** Share of requests whose API key the process has to look up. */
  readonly lookUps: number;
  readonly connectionsPerMaster: number;
  readonly guildsPerSlot: number;
  /** Requests a second of the most visited guild, and the most that one master can answer for one guild. */
  readonly hottest: number;
  readonly guildLimit: number;
  /** For a month, with one replica for each master. */
  readonly price: number;
}

/** Measured on Node 20.20.2 and Redis 7.0.15 by test/long/scaling.test.ts; memberBytes by `npm run bench -- scale`. */
export const FIGURES: Figures = {
  guildBytes: 850,
  smallMemberBytes: 260,
  memberBytes: 349,
  redisUs: { request: 57, lookUp: 266, write: 85 },
  serviceUs: { request: 101, lookUp: 225 },
};

export const LIMITS: Limits = { masterBytes: 12e9, busy: 0.6, pricePerCore: 25, pricePerGb: 3.5 };

const SLOTS = 16_384;
/** A process keeps the identity of an API key this long. */
const IDENTITY_S = 5;
/** Guilds up to this size have a ranking without a skip list. */
const SMALL_GUILD = 128;

/** Returns the Redis memory of guilds of equal size. */
export function dataBytes({ guilds, members }: Pick<Demand, 'guilds' | 'members'>, figures = FIGURES): number {
  const each = members / guilds <= SMALL_GUILD ? figures.smallMemberBytes : figures.memberBytes;
  return guilds * figures.guildBytes + members * each;
}

/** Returns the share of requests whose API key is looked up, when each process gets an equal part of each guild's requests. */
export function lookUpShare(guilds: number, requestsPerS: number, processes: number): number {
  let harmonic = 0;
  for (let k = 1; k <= guilds; k++) harmonic += 1 / k;
  let share = 0;
  for (let k = 1; k <= guilds; k++) {
    const part = 1 / (k * harmonic);
    // One look-up serves the requests of the time that it is kept.
    share += part / (1 + (part * requestsPerS * IDENTITY_S) / processes);
  }
  return share;
}

/** Returns the CPU microseconds of a request. */
export function requestUs({ request, lookUp }: { readonly request: number; readonly lookUp: number }, lookUps: number) {
  return request + lookUps * lookUp;
}

/** Returns the machines that carry a demand. */
export function planFor(demand: Demand, figures = FIGURES, limits = LIMITS): Plan {
  const { guilds, requestsPerS, writesPerS, isRouted = false } = demand;
  let processes = 1;
  let lookUps = 0;
  // More processes know fewer API keys each, which needs more processes.
  for (let step = 0; step < 5; step++) {
    lookUps = lookUpShare(guilds, requestsPerS, isRouted ? 1 : processes);
    processes = Math.ceil((requestsPerS * requestUs(figures.serviceUs, lookUps)) / 1e6 / limits.busy);
  }
  const bytes = dataBytes(demand, figures);
  const redisUs = requestsPerS * requestUs(figures.redisUs, lookUps) + writesPerS * figures.redisUs.write;
  const byMemory = Math.ceil(bytes / limits.masterBytes);
  const byCpu = Math.ceil(redisUs / 1e6 / limits.busy);
  const masters = Math.max(byMemory, byCpu);
  // A Redis needs a second core to save and to replicate.
  const memoryGb = (2 * bytes) / 1e9 + processes * 0.25;
  const price =
    masters * 2 * 2 * limits.pricePerCore +
    processes * limits.pricePerCore +
    (memoryGb + (2 * bytes) / 1e9) * limits.pricePerGb;
  return {
    dataBytes: bytes,
    masters,
    by: byMemory >= byCpu ? 'memory' : 'CPU',
    processes,
    lookUps,
    connectionsPerMaster: processes,
    guildsPerSlot: guilds / SLOTS,
    hottest: requestsPerS / harmonicOf(guilds),
    guildLimit: (limits.busy * 1e6) / figures.redisUs.request,
    price,
  };
}

function harmonicOf(n: number): number {
  return Math.log(n) + 0.5772 + 1 / (2 * n);
}
