import { el, setText } from './dom.ts';
import { GuildElement } from './element.ts';
import type { Wants } from './source.ts';
import { createSummary } from './summary.ts';

/** `<guild-stats>`: the totals of a server in one line. */
export class GuildStats extends GuildElement {
  readonly #summary = createSummary();
  readonly #note = el('p', { class: 'note', part: 'note', role: 'status' });
  readonly #line = el('div', { class: 'card', part: 'card' }, this.#summary.root, this.#note);

  protected build(root: ShadowRoot): void {
    root.append(this.#line);
  }

  protected wants(): Wants {
    return new Map([['/stats', [this.everyS, 1] as const]]);
  }

  protected render(): void {
    const stats = this.totals;
    this.#line.lang = this.words.lang;
    this.#summary.root.hidden = !stats && this.problem !== undefined;
    this.#summary.paint(stats, this.words);
    setText(this.#note, stats ? '' : (this.problem?.say(this.words) ?? ''));
  }
}
