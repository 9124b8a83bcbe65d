import { createTabs } from './boards.ts';
import { el, part, setText } from './dom.ts';
import { GuildElement, isId, RARELY } from './element.ts';
import { createFooter } from './footer.ts';
import { createList } from './list.ts';
import type { Entry, Member, Page } from './model.ts';
import { createRow, type RowContext } from './row.ts';
import { createSearch } from './search.ts';
import { NEVER, type Want, type Wants } from './source.ts';
import { createSummary } from './summary.ts';

/** `<guild-leaderboard>`: the live leaderboard of a server. */
export class GuildLeaderboard extends GuildElement {
  readonly #title = el('slot', { name: 'title' });
  readonly #summary = createSummary();
  readonly #search = createSearch((member) => this.#showMember(member));
  readonly #list = createList();
  readonly #tabs = createTabs(this.#list.root, (board) => this.#goTo(1, board));
  readonly #you = createRow('div');
  readonly #pinned = el('div', { class: 'pinned', part: 'pinned', hidden: '' }, this.#you.root);
  readonly #footer = createFooter((by) => this.#goTo((this.#shown?.page ?? 1) + by));
  #page = 1;
  #shown: Page | undefined;
  #shownAt: number | undefined;

  protected build(card: HTMLElement): void {
    card.classList.add('board');
    card.role = 'group';
    card.setAttribute('aria-labelledby', 'title');
    const title = el('h2', { id: 'title', part: 'title' }, this.#title);
    const head = el('div', { class: 'head' }, title, this.#summary.root);
    const top = part('div', 'header', head, this.#search.toggle, this.#search.form);
    card.append(top, this.#tabs.root, this.#search.result, this.#list.root, this.#pinned, this.#footer.root);
  }

  protected wants(): Wants {
    const { everyS, member } = this;
    const wants = new Map<string, Want>();
    wants.set(this.#path(), { everyS, lasts: 1 });
    // Without the line of totals, only the name of the curve is wanted, once.
    wants.set('/stats', { everyS: this.stats ? everyS : NEVER, lasts: RARELY });
    if (isId(member) && this.#shown && !this.#list.has(member)) {
      wants.set(`/members/${member}`, { everyS, lasts: RARELY });
    }
    return wants;
  }

  #path(): string {
    return `/leaderboard?limit=${this.pageSize}&page=${this.#page}`;
  }

  /** Returns the number of the last page. */
  #lastOf(page: Page | undefined): number {
    return Math.ceil((page?.total || 1) / this.pageSize);
  }

  protected override reset(): void {
    this.#tabs.build(this.boardList);
    this.#show(this.boardList[0] ?? '');
  }

  /** Shows nothing yet of the first page of a board. */
  #show(board: string): void {
    this.board = board;
    this.#page = 1;
    this.#shown = undefined;
    this.#list.forget();
    this.#search.cancel();
  }

  protected override seen(isSeen: boolean): void {
    this.#footer.run(isSeen);
    if (!isSeen) this.#list.lookAway();
  }

  protected render(): void {
    const { words, problem } = this;
    const { data, at } = this.feed(this.#path());
    const page = data as Page | undefined;
    if (page) {
      const last = this.#lastOf(page);
      if (page.page > last) {
        this.#page = last; // The ranking became shorter.
        return;
      }
      this.#shown = page;
      this.#shownAt = at;
    }
    setText(this.#title, words.say('title'));
    this.#summary.root.hidden = !this.stats;
    this.#summary.paint(this.totals, words, this.board !== '', this.#shown?.period);
    this.#tabs.paint(this.board, words);
    this.#search.paint(words, this.source, this.board, this.search);
    this.#renderRows();
    this.#footer.paint({
      words,
      problem,
      isTold: !this.#shown,
      isLive: !problem && this.#shown !== undefined && this.refreshInterval > 0,
      at: this.#shownAt,
      resumeAt: this.source?.resumeAt ?? 0,
      page: this.#shown?.page ?? 1,
      last: this.#lastOf(this.#shown),
      hasPager: this.pager,
    });
  }

  #renderRows(): void {
    const { words, problem, pageSize } = this;
    const shown = this.#shown;
    const isTable = this.layout === 'table';
    // The message of an empty board takes the place of a row.
    const rows = Math.min(pageSize, shown ? shown.total || 1 : pageSize);
    const hasPodium = !isTable && this.podium && (shown?.page ?? 1) === 1;
    this.card.style.setProperty('--rows', String(hasPodium ? Math.max(3, rows) : rows));
    this.#list.prepare(isTable, hasPodium, this.board !== '', words);
    setText(this.#list.note, this.#noteText());
    this.#list.note.classList.toggle('quiet', !shown && !problem);
    const context = this.rowContext(this.member);
    if (shown) this.#list.show(shown, context);
    else this.#list.clear();
    this.#list.root.classList.toggle('is-loading', !shown && !problem);
    this.#renderPinned(context);
  }

  /** Returns what stands in the place of rows: "" when there are some. */
  #noteText(): string {
    const { words, problem } = this;
    const shown = this.#shown;
    if (shown) return shown.total === 0 ? words.say('empty') : '';
    return problem ? problem.say(words) : words.say('loading');
  }

  /** Shows the visitor below the list, unless the list has its row. */
  #renderPinned(context: RowContext): void {
    const { member } = this;
    const isElsewhere = isId(member) && !this.#list.has(member);
    const entry = isElsewhere ? (this.feed(`/members/${member}`).data as Entry | undefined) : undefined;
    this.#pinned.hidden = !entry;
    if (entry) this.#you.paint(entry, this.#list.climbed(member, entry.rank), context);
  }

  #goTo(page: number, board = this.board): void {
    if (this.problem?.kind === 'quota') return;
    if (board !== this.board) this.#show(board);
    this.#page = page;
    this.update();
  }

  #showMember(member: Member | undefined): void {
    this.#list.want(member?.user_id ?? '', member !== undefined);
    if (member && !this.#list.has(member.user_id)) this.#goTo(Math.ceil(member.rank / this.pageSize));
  }
}
