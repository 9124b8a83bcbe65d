import { afterAll, beforeAll, beforeEach, describe, onTestFinished } from 'vitest';
import { axeViolations } from '../../tools/axe.ts';
import type { Page } from '../../tools/browser.ts';
import { needs } from '../support/needs.ts';
import { ALL_VARIANTS } from '../support/variants.ts';
import { CHROMIUM, type Engine, type EnginePage, FIREFOX, type System, watchPage } from './engines.ts';
import { startWidgetSite } from './widget-site.ts';
import { WidgetView } from './widget-view.ts';

/** Members with falling XP. @param step difference of XP between two. */
export const members = (count: number, first: number, step: number) =>
  Array.from({ length: count }, (_, i) => ({
    userId: `u${i}`,
    set: first - i * step,
    username: `Member ${i}`,
  }));

/** Gives the guild boards: its members u5 to u11 gain 10 to 70 XP this week and month. */
export async function fillBoards({ store: { guildConfig, writer } }: WidgetView): Promise<void> {
  await guildConfig.update('guild', { boards: ['week', 'month'] });
  const gains = Array.from({ length: 7 }, (_, i) => ({ userId: `u${i + 5}`, add: 10 * (i + 1) }));
  await writer.recordMany('guild', gains);
}

interface ViewOptions {
  /** Settings of the service. */
  readonly env?: Record<string, string>;
  /** The system of the visitor: dark, with reduced motion, by default. */
  readonly system?: System;
}

/** Starts the service before the tests of a suite. Each test has a guild with these members, and a page without a document. */
export function widgetView<P extends EnginePage>(
  engine: Engine<P>,
  guild: ReturnType<typeof members>,
  { env = {}, system = { colorScheme: 'dark', reducedMotion: 'reduce' } }: ViewOptions = {},
): WidgetView<P> {
  const view = viewOf<P>(guild, env);
  beforeAll(async () => {
    view.tab = await engine.open(system);
  });
  afterAll(() => view.tab.close());
  beforeEach(async () => {
    await view.tab.clear();
    view.messages = watchPage(view.page, view.bench.site.url).complaints;
  });
  return view;
}

/** Returns what axe finds in the widget, on a page that has no headings and regions. @param rules those to judge by; all unless given. */
export async function widgetViolations(page: EnginePage, rules?: readonly string[]): Promise<string[]> {
  return (await axeViolations(page, rules)).filter((each) => !/^(page-has-heading-one|region)/.test(each));
}

/** The system of `chromiumView`: light, with motion. */
const LIGHT: System = { colorScheme: 'light', reducedMotion: 'no-preference' };

/** The same in a Chromium with a light system. */
export function chromiumView(guild: ReturnType<typeof members>, env: Record<string, string> = {}): WidgetView<Page> {
  return widgetView(CHROMIUM, guild, { env, system: LIGHT });
}

/** Gives a test a page with a clock of its own: a clock that Playwright sets stays in its page, so the other tests have another one. */
export async function installClock(view: WidgetView<Page>): Promise<void> {
  const shared = view.tab;
  view.tab = await CHROMIUM.open(LIGHT);
  view.messages = watchPage(view.page, view.bench.site.url).complaints;
  await view.page.clock.install();
  onTestFinished(async () => {
    await view.tab.close();
    view.tab = shared;
  });
}

function viewOf<P extends EnginePage>(guild: ReturnType<typeof members>, env: Record<string, string>): WidgetView<P> {
  const view = new WidgetView<P>();
  beforeAll(async () => {
    view.bench = await startWidgetSite({ PLAN_QUOTAS: 'free=12,pro=10000', ...env });
  });
  afterAll(() => view.bench.close());
  beforeEach(async () => {
    await view.bench.reset();
    await view.store.writer.recordMany('guild', guild);
  });
  return view;
}

/** Describes the tests of a suite for each engine. */
export function describeEngines(name: string, tests: (engine: Engine) => void, engines = [CHROMIUM, FIREFOX]): void {
  for (const engine of engines)
    describe(`${name}, in ${engine.name}`, needs(engine.need, 'redis-server'), () => tests(engine));
}

/** The same for tests of code that asks nothing special of an engine: `npm run test:long` runs them in Firefox too. */
export function describeLogic(name: string, tests: (engine: Engine) => void): void {
  describeEngines(name, tests, ALL_VARIANTS ? [CHROMIUM, FIREFOX] : [CHROMIUM]);
}
