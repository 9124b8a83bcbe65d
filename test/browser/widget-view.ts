import { expect } from 'vitest';
import { PATIENT } from '../support/wait.ts';
import { type EnginePage, onRequest, type Tab } from './engines.ts';
import type { WidgetSite } from './widget-site.ts';

/** An expression for the text that is shown on the page and in its widgets. */
const SHOWN = `[document.body, ...[...document.querySelectorAll('*')].flatMap(({ shadowRoot }) => [...(shadowRoot?.children ?? [])])]
  .map(({ innerText }) => innerText).join('\\n')`;

type Box = Readonly<Record<'x' | 'y' | 'left' | 'right', number>>;

/** A page with the widget, in one engine. It is used as people use it: by keyboard and mouse. */
export class WidgetView<P extends EnginePage = EnginePage> {
  tab!: Tab<P>;
  bench!: WidgetSite;
  /** Messages of the console and uncaught errors of the page. */
  messages: string[] = [];

  get page(): P {
    return this.tab.page;
  }

  get store() {
    return this.bench.service.store;
  }

  /** Opens the site with markup, as `write` makes it. */
  async openHtml(html: string, root?: string, style?: string): Promise<void> {
    this.bench.write(html, root, style);
    await this.page.goto(this.bench.site.url);
  }

  /** Opens the site with one leaderboard. */
  open(attributes: Record<string, string> = {}, root?: string): Promise<void> {
    return this.openHtml(this.bench.leaderboard(attributes), root);
  }

  /** Opens the site with one leaderboard, and waits for its data. */
  async openLive(attributes: Record<string, string> = {}, root?: string, live = 'Live'): Promise<void> {
    await this.open(attributes, root);
    await this.sees(live);
  }

  /** Evaluates an expression for the shadow root of the first widget, in which `all` finds elements. */
  inWidget<T>(expression: string): Promise<T> {
    return this.page.evaluate(`((root) => {
      const all = (selector) => [...root.querySelectorAll(selector)];
      return ${expression};
    })(document.querySelector('guild-leaderboard').shadowRoot)`) as Promise<T>;
  }

  /** Runs statements with the first leaderboard as `widget`. */
  run<T>(statements: string): Promise<T> {
    return this.page.evaluate(
      `(() => { const widget = document.querySelector('guild-leaderboard'); ${statements} })()`,
    ) as Promise<T>;
  }

  /** Returns the texts of elements of the first widget. */
  texts(selector: string): Promise<string[]> {
    return this.inWidget(`all(${JSON.stringify(selector)}).map((node) => node.textContent)`);
  }

  /** Returns whether the first such element of the first widget is shown. */
  shows(selector: string): Promise<boolean> {
    return this.inWidget(`all(${JSON.stringify(selector)})[0]?.checkVisibility() ?? false`);
  }

  /** Returns where elements of the first widget are (four or more). */
  async boxes(expression: string): Promise<[Box, Box, Box, Box, ...Box[]]> {
    const boxes = await this.inWidget<Box[]>(`${expression}.map((node) => node.getBoundingClientRect().toJSON())`);
    expect(boxes.length).toBeGreaterThanOrEqual(4);
    return boxes as [Box, Box, Box, Box];
  }

  /** Waits until a text is shown on the page or in a widget. */
  async sees(text: string | RegExp): Promise<void> {
    await soon(() => this.page.evaluate(SHOWN)).toMatch(text);
  }

  /** Presses the mouse on the button or link of a name. */
  async click(name: string): Promise<void> {
    const [x, y] = (await this.page.evaluate(`(() => {
      const node = document.querySelector('guild-leaderboard').shadowRoot.querySelectorAll('button, a');
      const named = [...node].find((each) => each.checkVisibility() && (each.ariaLabel ?? each.textContent) === ${JSON.stringify(name)});
      named.scrollIntoView({ block: 'nearest' });
      const { x, y, width, height } = named.getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    })()`)) as [number, number];
    await this.page.mouse.click(x, y);
  }

  /** Searches a member by keyboard. */
  async search(id: string): Promise<void> {
    if (!(await this.shows('form'))) {
      const isPublic = await this.inWidget("all('[aria-controls=search]')[0].ariaLabel.includes('name')");
      await this.click(isPublic ? 'Find a member by name or id' : 'Find a member by id');
    }
    await this.inWidget("all('input')[0].select()");
    await this.page.keyboard.type(id);
    await this.page.keyboard.press('Enter');
  }

  /** Two frames later, all that new data changes has been painted. */
  async painted(): Promise<void> {
    await this.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  }

  /** Makes the page believe that its tab is hidden, or looked at again. */
  async setHidden(hidden: boolean): Promise<void> {
    await this.page.evaluate(
      `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} });
       document.dispatchEvent(new Event('visibilitychange'));`,
    );
  }

  /** Counts the requests of an operation from now on. */
  asked(path = '/servers/'): () => number {
    let count = 0;
    onRequest(this.page, (request) => {
      if (request.method() === 'GET' && request.url().includes(path)) count++;
    });
    return () => count;
  }
}

/** Expects something that a busy machine may show late. */
export const soon = <T>(probe: () => Promise<T>) => expect.poll(probe, PATIENT);
