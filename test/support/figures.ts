import { appendFileSync } from 'node:fs';

/** Adds a line to the file that FIGURES_FILE names, if any: what docs/reliability.md reports was measured this way. */
export function recordFigure(what: string, figures: Record<string, number | string>): void {
  const file = process.env.FIGURES_FILE;
  if (file) appendFileSync(file, `${JSON.stringify({ what, ...figures })}\n`);
}
