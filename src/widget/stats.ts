import { createNote, setText } from './dom.ts';
import { GuildElement } from './element.ts';
import type { Wants } from './source.ts';
import { createSummary } from './summary.ts';

/** `<guild-stats>`: the totals of a server in one line. */
export class GuildStats extends GuildElement {
  readonly #summary = createSummary();
  readonly #note = createNote();

  protected build(card: HTMLElement): void {
    card.append(this.#summary.root, this.#note);
  }

  protected wants(): Wants {
    return new Map([[this.addresses.stats(''), { everyS: this.everyS, lasts: 1 }]]);
  }

  protected answers(): Readonly<Record<string, unknown>> {
    return { stats: this.totals() };
  }

  protected render(): void {
    const stats = this.totals();
    this.#summary.root.hidden = !stats && this.problem !== undefined;
    this.#summary.paint(stats, this.words);
    const problem = stats ? undefined : this.problem;
    setText(this.#note, problem?.say(this.words) ?? '');
  }
}
