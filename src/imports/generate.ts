import type { ImportRow, RowEntry } from './rows.ts';

const ENTRIES_AT_ONCE = 250;
const DAY_MS = 86_400_000;
/** The day is fixed, so that the same seed gives the same members on any day. */
const LAST_CLAIM_DAY = Date.parse('2026-01-15T00:00:00Z');
/** First digits of 17-, 18- and 19-digit ids, each with room for 50 million members. Nine random digits follow. */
const ID_STARTS = [40_000_000, 140_000_000, 1_040_000_000] as const;

const FIRST = [
  'amber',
  'brisk',
  'calm',
  'dusty',
  'early',
  'fuzzy',
  'glad',
  'hazy',
  'icy',
  'jolly',
  'keen',
  'lucky',
  'mellow',
  'noble',
  'odd',
  'proud',
  'quiet',
  'rapid',
];
const SECOND = [
  'badger',
  'comet',
  'dragon',
  'ember',
  'falcon',
  'goblin',
  'heron',
  'ibis',
  'jackal',
  'kraken',
  'lynx',
  'moth',
  'newt',
  'otter',
  'panda',
  'raven',
];

/**
 * Generates members to try things out: a few with very much XP, most with little, many with equal XP, one in fifty with
 * none. The same seed gives the same members; a larger count begins with the members of a smaller count.
 */
export async function* generateEntries(
  count: number,
  seed: string,
  onRead: (amount: number) => void,
): AsyncGenerator<RowEntry[]> {
  let entries: RowEntry[] = [];
  let at = 0;
  for (const row of generateMembers(count, seed)) {
    entries.push({ at: ++at, row });
    if (entries.length === ENTRIES_AT_ONCE || at === count) {
      onRead(entries.length);
      yield entries;
      entries = [];
    }
  }
}

/** Generates the members of {@link generateEntries} one by one. Ids are distinct and have 17 to 19 digits. */
export function* generateMembers(count: number, seed: string): Generator<ImportRow> {
  const random = randomNumbers(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  const orders: number[] = [...ID_STARTS];
  for (let i = 0; i < count; i++) {
    const size = pick(3);
    const order = orders[size] ?? 0;
    orders[size] = order + 1;
    const userId = `${order}${String(pick(1e9)).padStart(9, '0')}`;
    const streak = pick(3) === 0 ? pick(366) : 0;
    yield {
      userId,
      username: `${FIRST[pick(FIRST.length)]}_${SECOND[pick(SECOND.length)]}${pick(1000)}`,
      // Pareto-distributed: half have less than 54 XP, one in a thousand has more than 49,000.
      xp: pick(50) === 0 ? 0 : Math.min(20_000_000, Math.floor(25 / (1 - random()) ** 1.1)),
      dailyStreak: streak,
      lastDailyClaim: streak > 0 ? new Date(LAST_CLAIM_DAY + pick(DAY_MS)).toISOString() : null,
    };
  }
}

/**
 * Returns a generator of numbers from 0 up to 1 that depend on the seed alone: sfc32 (Chris Doty-Humphrey's PractRand),
 * with its state filled by an FNV-1a hash of the seed.
 */
function randomNumbers(seed: string): () => number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(seed)) hash = Math.imul(hash ^ byte, 0x01000193);
  let a = hash;
  let b = 0x9e3779b9;
  let c = seed.length;
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  // Similar seeds give similar first numbers, which are dropped.
  for (let i = 0; i < 15; i++) next();
  return next;
}
