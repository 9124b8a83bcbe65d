import { appendFileSync } from 'node:fs';

/** Appends the figures of a test to the file that FIGURES_FILE names, if any. docs/reliability.md reports them. */
export function recordFigure(what: string, figures: Record<string, number | string>): void {
  const file = process.env.FIGURES_FILE;
  if (file) appendFileSync(file, `${JSON.stringify({ what, ...figures })}\n`);
}
