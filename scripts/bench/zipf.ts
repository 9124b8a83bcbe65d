/** Random choice of guilds and sizes of guilds by Zipf's law. Pure. */

/** Returns a source of numbers in [0, 1), the same sequence for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Returns a function that draws indexes from 0 to count - 1, index k in proportion to 1 / (k + 1). O(log count) a draw. */
export function zipfSampler(count: number, random: () => number): () => number {
  const upTo = new Float64Array(count);
  let sum = 0;
  for (let k = 0; k < count; k++) {
    sum += 1 / (k + 1);
    upTo[k] = sum;
  }
  return () => {
    const target = random() * sum;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((upTo[middle] as number) > target) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}

/**
 * Returns the sizes of the guilds, most visited first, on a Zipf-Mandelbrot curve: 1,000 guilds of 100,000 to 10 members, 1,000,000 in
 * all; or a tenth of the guilds, of the largest size and of the sum.
 */
export function guildSizes(small: boolean): number[] {
  const { count, largest, q, s } = small
    ? { count: 100, largest: 10_000, q: 51.5522, s: 6.52215 }
    : { count: 1000, largest: 100_000, q: 8.22352, s: 1.96207 };
  return Array.from({ length: count }, (_, k) => Math.round(largest * ((1 + q) / (k + 1 + q)) ** s));
}
