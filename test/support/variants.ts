/**
 * Whether every variant runs, as `npm run test:long` asks for by ALL_VARIANTS. Where variants share their code, the second tier runs
 * one: one proxy, one framework, one generator, and Firefox only where an engine can differ.
 */
export const ALL_VARIANTS = Boolean(process.env.ALL_VARIANTS);

/**
 * Returns how many runs a test with random values has: `all` of them, as `npm run test:long` asks for, or a fifth, and then at least five,
 * or `all` if `all` is less.
 */
export const randomRuns = (all: number): number =>
  ALL_VARIANTS ? all : Math.min(all, Math.max(5, Math.ceil(all / 5)));

/** Returns the cases of a script that a further client runs: each refusal and a third of the others, or all as `npm run test:long` asks for. */
export const someCases = <T extends { readonly reply: unknown }>(cases: readonly T[]): T[] =>
  cases.filter(({ reply }, n) => ALL_VARIANTS || n % 3 === 0 || (Array.isArray(reply) && reply[0] === 'REFUSED'));
