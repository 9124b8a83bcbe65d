import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A page of Playwright or Puppeteer. */
interface Page {
  evaluate(script: string): Promise<unknown>;
}

/** The rules of axe that judge colours. A theme changes colours alone: in a further one, only these can find anything new. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** The rules that judge what the size of the window can change, where a page has the same elements in each size. */
export const SIZE_RULES = [...COLOUR_RULES, 'scrollable-region-focusable'];

/** Returns what axe finds on the page: the rule and the elements of each violation. @param rules those to judge by; all unless given. */
export async function axeViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(source);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  return (await page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, any }) =>
      [id, target.flat().join(' '), ...any.map(({ message }) => message)].join(': '))))`,
  )) as string[];
}
