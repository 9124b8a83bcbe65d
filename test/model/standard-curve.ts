const standardReach = (n: bigint) => (10n * n ** 3n + 135n * n ** 2n + 455n * n) / 6n;

/** The least XP of a level on the curve `standard`. */
export function naiveStandardXp(level: number): number {
  return Number(standardReach(BigInt(level)));
}

/** Returns the level at `xp` on 5n^3/3 + 45n^2/2 + 455n/6, by counting up in exact arithmetic from a safe start. */
export function naiveStandardLevel(xp: number): number {
  let low = 0n;
  let high = 200_000n;
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (standardReach(middle) <= BigInt(xp)) low = middle;
    else high = middle - 1n;
  }
  return Number(low);
}
