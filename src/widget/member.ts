import type { MemberData } from './api-data.ts';
import { KEYED } from './data-addresses.ts';
import { createNote, part, setText } from './dom.ts';
import { GuildElement, isId } from './element.ts';
import { createRow } from './row.ts';
import { claimsOf } from './search.ts';
import { NEVER, type Want, type Wants } from './source.ts';
import { WidgetProblem } from './widget-problem.ts';

const WITHOUT_MEMBER = new WidgetProblem('setup', 'Set the member attribute.');

/** `<guild-member>`: one member of a server, with rank, level and progress. */
export class GuildMember extends GuildElement {
  readonly #row = createRow('div');
  readonly #facts = part('p', 'facts');
  readonly #note = createNote();

  protected build(card: HTMLElement): void {
    card.role = 'group';
    card.append(this.#row.root, this.#facts, this.#note);
  }

  #path(): string {
    return this.addresses.member('', this.member);
  }

  #shown(): MemberData | undefined {
    return this.addresses.memberOf(this.feed(this.#path()).data);
  }

  protected override get problem(): WidgetProblem | undefined {
    return super.problem ?? (isId(this.member) ? undefined : WITHOUT_MEMBER);
  }

  protected wants(): Wants {
    if (!isId(this.member)) return new Map();
    const wants = new Map<string, Want>([[this.#path(), { everyS: this.everyS, lasts: 1 }]]);
    // The name of the curve, which public data does not need.
    if (this.addresses === KEYED) wants.set(KEYED.stats(''), { everyS: NEVER, lasts: 1 });
    return wants;
  }

  protected answers(): Readonly<Record<string, unknown>> {
    const members = this.#shown();
    return this.addresses === KEYED ? { members, stats: this.totals() } : { members };
  }

  protected render(): void {
    const { words, problem } = this;
    const feed = this.feed(this.#path());
    const member = this.#shown();
    this.card.ariaLabel = words.say('member');
    this.#row.root.hidden = !member;
    this.#facts.hidden = !member;
    this.#note.classList.toggle('is-loading', !member && !problem && !feed.problem);
    setText(this.#note, (feed.problem ?? problem)?.say(words, this.member) ?? '');
    setText(this.#facts, member ? claimsOf(member, words).join(' · ') : '');
    if (member) this.#row.paint(member, 0, this.rowContext('', this.totals()));
  }
}
