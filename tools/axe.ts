import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from './browser.ts';

const file = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const source = readFileSync(file, 'utf8');

/** A page of Playwright or Puppeteer. */
type AnyPage = Page | { evaluate(script: string): Promise<unknown> };

/** The rules of axe that judge colours. A theme changes colours alone: in a further one, only these can find anything new. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** The rules that judge what a smaller window alone can make wrong. */
export const SCROLL_RULES = ['scrollable-region-focusable'];

/** The rules that judge what the size of the window can change, where a page has the same elements in each size. */
export const SIZE_RULES = [...COLOUR_RULES, ...SCROLL_RULES];

/** Returns what axe finds on the page: the rule and the elements of each violation. @param rules those to judge by; all unless given. */
export async function axeViolations(page: AnyPage, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await ('context' in page ? loadAsFile(page) : page.evaluate(source));
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  return (await page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, any }) =>
      [id, target.flat().join(' '), ...any.map(({ message }) => message)].join(': '))))`,
  )) as string[];
}

/** Loads axe into a page of Chromium, which reads the file itself. As text in a message, axe takes several times as long. */
async function loadAsFile(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { result } = await session.send('Runtime.evaluate', {
    expression: "Object.assign(document.createElement('input'), { type: 'file' })",
  });
  const { objectId = '' } = result;
  await session.send('DOM.setFileInputFiles', { files: [file], objectId });
  const read = 'async function () { this.text = await this.files[0].text(); }';
  await session.send('Runtime.callFunctionOn', { objectId, functionDeclaration: read, awaitPromise: true });
  await session.send('Runtime.callFunctionOn', { objectId, functionDeclaration: 'function () { eval?.(this.text); }' });
  await session.detach();
}
