import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A page of Playwright or Puppeteer. */
interface Page {
  evaluate(script: string): Promise<unknown>;
}

/** Returns what axe finds on the page: the rule and the elements of each violation. */
export async function axeViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(source);
  return (await page.evaluate(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, any }) =>
      [id, target.flat().join(' '), ...any.map(({ message }) => message)].join(': '))))`,
  )) as string[];
}
