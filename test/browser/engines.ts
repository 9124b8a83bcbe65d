import { expect } from 'vitest';
import { type Page, type PuppeteerPage, sharedChromium, sharedFirefox } from '../../tools/browser.ts';
import type { Need } from '../support/needs.ts';

/** What a page asks of the system of its visitor. */
export interface System {
  readonly colorScheme: 'light' | 'dark';
  readonly reducedMotion?: 'reduce' | 'no-preference';
  readonly forcedColors?: 'active' | 'none';
}

/** The request of a page, in both drivers. */
export interface PageRequest {
  url(): string;
  method(): string;
  headers(): Record<string, string>;
}

/** An answer that a test gives in place of the server. */
export interface PageAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly contentType?: string;
  readonly body?: string;
}

/** The keys that tests press, as both drivers name them. */
type Key = 'Enter' | ' ' | 'Tab' | 'ArrowLeft' | 'ArrowRight' | 'Home' | 'End';

/** What the pages of both drivers have. */
export interface EnginePage {
  readonly keyboard: { type(text: string): Promise<void>; press(key: Key): Promise<void> };
  readonly mouse: { click(x: number, y: number): Promise<void> };
  goto(url: string): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
  // The drivers have types of their own for what a listener gets.
  on(event: 'request', listener: (request: unknown) => void): unknown;
  on(event: 'console', listener: (message: unknown) => void): unknown;
  on(event: 'pageerror', listener: (error: unknown) => void): unknown;
}

/** A page, and what each driver does in a way of its own. */
export interface Tab<P extends EnginePage = EnginePage> {
  readonly page: P;
  resize(width: number, height: number): Promise<void>;
  /** Lets `answer` answer each request; one without an answer goes to the server. */
  intercept(answer: (request: PageRequest) => Promise<PageAnswer | undefined>): Promise<void>;
  /** Makes it as it was opened: no document, no listener, no interception, the first size and system. The cache of the browser stays. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Limit of a test in which axe looks at pages in many sizes and themes: minutes on a busy machine. */
export const MANY_LOOKS_MS = 600_000;

const SIZE = { width: 800, height: 900 };

const LISTENED = ['request', 'console', 'pageerror'] as const;

/** Opens a page of Chromium, in a context of its own. */
export async function openChromium(system: System): Promise<Tab<Page>> {
  const context = await (await sharedChromium()).newContext({ viewport: SIZE, ...system });
  const page = await context.newPage();
  return {
    page,
    resize: (width, height) => page.setViewportSize({ width, height }),
    intercept: async (answer) => {
      await page.route('**/*', async (route) => {
        const given = await answer(route.request());
        await (given ? route.fulfill(given) : route.continue());
      });
    },
    clear: async () => {
      await page.goto('about:blank');
      for (const name of LISTENED) await page.removeAllListeners(name, { behavior: 'wait' });
      await page.unrouteAll();
      await page.setViewportSize(SIZE);
      await page.emulateMedia({ reducedMotion: null, forcedColors: null, ...system });
    },
    close: () => context.close(),
  };
}

/** Opens a page of Firefox, in a context of its own. Firefox has one system for all pages: it changes for those that are open too. */
export async function openFirefox({ colorScheme, reducedMotion, forcedColors }: System): Promise<Tab<PuppeteerPage>> {
  const browser = await sharedFirefox();
  const dark = colorScheme === 'dark';
  const reduced = reducedMotion === 'reduce';
  const forced = forcedColors === 'active';
  const settings = {
    'layout.css.prefers-color-scheme.content-override': dark ? 0 : 1,
    'ui.prefersReducedMotion': Number(reduced),
    'ui.useAccessibilityTheme': Number(forced),
    'browser.display.document_color_use': forced ? 2 : 0,
  };
  const [configuration] = await browser.pages();
  await configuration?.evaluate(
    `for (const [name, value] of ${JSON.stringify(Object.entries(settings))}) Services.prefs.setIntPref(name, value)`,
  );
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport(SIZE);
  // The processes of the pages hear of a setting later. Forced colours decide over the theme.
  const asked = { 'forced-colors: active': forced, 'prefers-reduced-motion: reduce': reduced };
  await page.waitForFunction(
    `${JSON.stringify(Object.entries(forced ? asked : { ...asked, 'prefers-color-scheme: dark': dark }))}
      .every(([name, value]) => matchMedia('(' + name + ')').matches === value)`,
  );
  return {
    page,
    resize: (width, height) => page.setViewport({ width, height }),
    intercept: async (answer) => {
      await page.setRequestInterception(true);
      page.on('request', async (request) => {
        const given = await answer(request);
        await (given ? request.respond(given) : request.continue());
      });
    },
    clear: async () => {
      await page.goto('about:blank');
      for (const name of LISTENED) page.removeAllListeners(name);
      await page.setRequestInterception(false);
      await page.setViewport(SIZE);
    },
    close: () => context.close(),
  };
}

/** A browser that the same tests run in as in the other one. */
export interface Engine<P extends EnginePage = EnginePage> {
  readonly name: string;
  readonly need: Need;
  open(system: System): Promise<Tab<P>>;
}

export const CHROMIUM: Engine<Page> = { name: 'Chromium', need: 'chromium', open: openChromium };
export const FIREFOX: Engine<PuppeteerPage> = { name: 'Firefox', need: 'firefox-esr', open: openFirefox };

/** What a page did that a person does not see. */
export interface PageWatch {
  /** Messages of the console and uncaught errors. */
  readonly complaints: string[];
  /** Addresses of requests to other hosts. */
  readonly elsewhere: string[];
}

/** Records what a page does from now on. @param home start of the addresses that are no other host. */
export function watchPage(page: Pick<EnginePage, 'on'>, home: string): PageWatch {
  const watch: PageWatch = { complaints: [], elsewhere: [] };
  page.on('console', (message) => watch.complaints.push((message as { text(): string }).text()));
  page.on('pageerror', (error) => watch.complaints.push(`uncaught: ${(error as Error).message}`));
  onRequest(page, (request) => {
    if (!request.url().startsWith(home) && !request.url().startsWith('data:')) watch.elsewhere.push(request.url());
  });
  return watch;
}

/** Calls `listener` with each request of a page from now on. */
export function onRequest(page: Pick<EnginePage, 'on'>, listener: (request: PageRequest) => void): void {
  page.on('request', (request) => listener(request as PageRequest));
}

/** Waits until each picture of a member on a page has loaded or failed. The page may forbid `eval`, which `waitForFunction` needs. */
export async function picturesSettled(page: Page): Promise<void> {
  const areComplete = "[...document.querySelectorAll('.avatar img')].every(({ complete }) => complete)";
  await expect.poll(() => page.evaluate(areComplete)).toBe(true);
}
