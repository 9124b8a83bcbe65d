/**
 * Whether every variant runs, as `npm run test:long` asks for by ALL_VARIANTS. Where variants share their code, the second tier runs
 * one: one proxy, one framework, one generator, and Firefox only where an engine can differ.
 */
export const ALL_VARIANTS = Boolean(process.env.ALL_VARIANTS);
