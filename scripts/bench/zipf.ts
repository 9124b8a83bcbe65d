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

/** Returns a function that draws indexes from 0 to count - 1, index k in proportion to 1 / (k + 1)^exponent. O(log count) a draw. */
export function zipfSampler(count: number, random: () => number, exponent = 1): () => number {
  const upTo = new Float64Array(count);
  let sum = 0;
  for (let k = 0; k < count; k++) {
    sum += (k + 1) ** -exponent;
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
 * Returns the sizes of `count` guilds, largest first, on a Zipf-Mandelbrot curve A / (rank + q)^s through both ends, with the sum `total`.
 * @throws if no such curve has that sum.
 */
export function guildSizes(count: number, smallest: number, largest: number, total: number): number[] {
  const sizesFor = (q: number): number[] => {
    const s = Math.log(largest / smallest) / Math.log((count + q) / (1 + q));
    return Array.from({ length: count }, (_, k) => Math.round(largest * ((1 + q) / (k + 1 + q)) ** s));
  };
  // A larger q makes the curve flatter at its start, so the sum grows with q.
  let low = 0;
  let high = 1e9;
  if (sum(sizesFor(low)) > total || sum(sizesFor(high)) < total) {
    throw new Error(`No Zipf curve gives ${count} guilds of ${smallest} to ${largest} members ${total} in all`);
  }
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (sum(sizesFor(middle)) > total) high = middle;
    else low = middle;
  }
  const sizes = sizesFor(low);
  // The second guild takes the remainder of the rounding, which is small beside its size.
  sizes[1] = (sizes[1] as number) + total - sum(sizes);
  return sizes;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
