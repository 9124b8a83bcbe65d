import { createPageInAddress } from './address.ts';
import type { EntryData, MemberData, PageData, RewardData, StatsData } from './api-data.ts';
import { createTabs } from './boards.ts';
import { el, part, setText } from './dom.ts';
import { GuildElement, isId, RARELY } from './element.ts';
import { createFooter } from './footer.ts';
import { createList } from './list.ts';
import { createRow, type RowContext } from './row.ts';
import { createSearch } from './search.ts';
import { NEVER, type Want, type Wants } from './source.ts';
import { createSummary } from './summary.ts';
import type { WidgetProblem } from './widget-problem.ts';

/** `<guild-leaderboard>`: the live leaderboard of a server. */
export class GuildLeaderboard extends GuildElement {
  readonly #title = el('slot', { name: 'title' });
  readonly #summary = createSummary();
  readonly #search = createSearch((member) => this.#showMember(member));
  readonly #list = createList();
  readonly #tabs = createTabs(this.#list.root, (board) => this.#goTo(1, board));
  readonly #you = createRow('div');
  readonly #findMe = part('button', 'button');
  readonly #pinned = el('div', { class: 'pinned', part: 'pinned', hidden: '' }, this.#you.root, this.#findMe);
  readonly #footer = createFooter((page) => this.#goTo(page));
  readonly #pageInAddress = createPageInAddress();
  #page = 1;
  #shown: PageData | undefined;
  #shownAt: number | undefined;
  /** The last totals of the board. */
  #totals: StatsData | undefined;
  /** The last rewards, which all boards of a server share. */
  #rewards: readonly RewardData[] = [];

  protected build(card: HTMLElement): void {
    card.classList.add('board');
    card.role = 'group';
    card.setAttribute('aria-labelledby', 'title');
    const title = el('h2', { id: 'title', part: 'title' }, this.#title);
    this.#findMe.onclick = () => this.#showMember(this.#memberElsewhere());
    const head = el('div', { class: 'head' }, title, this.#summary.root);
    const top = part('div', 'header', head, this.#search.toggle, this.#search.form);
    card.append(top, this.#tabs.root, this.#search.result, this.#list.root, this.#pinned, this.#footer.root);
  }

  protected override get problem(): WidgetProblem | undefined {
    // A board that the server does not have leaves the other boards as they are.
    return super.problem ?? this.feed(this.#path()).problem;
  }

  protected wants(): Wants {
    const { everyS, member } = this;
    const wants = new Map<string, Want>();
    const path = this.#path();
    wants.set(path, { everyS, lasts: 1 });
    const totals = this.addresses.stats(this.board, path);
    // Without the line of totals, only the name of the curve is wanted, once.
    if (totals !== path) wants.set(totals, { everyS: this.stats ? everyS : NEVER, lasts: RARELY });
    if (this.#isElsewhere()) wants.set(this.addresses.member(this.board, member), { everyS, lasts: RARELY });
    return wants;
  }

  protected answers(): Readonly<Record<string, unknown>> {
    const path = this.#path();
    const { data } = this.feed(path);
    const answers = { leaderboard: data, stats: this.totals(path) };
    return this.#isElsewhere() ? { ...answers, members: this.#memberElsewhere() } : answers;
  }

  /** Returns whether the visitor is a member who is not on the page. */
  #isElsewhere(): boolean {
    return isId(this.member) && this.#shown !== undefined && !this.#list.has(this.member);
  }

  #memberElsewhere(): MemberData | undefined {
    const { addresses, board, member } = this;
    return addresses.memberOf(this.feed(addresses.member(board, member)).data);
  }

  #path(): string {
    return this.addresses.page(this.board, this.pageSize, this.#page, this.rewards);
  }

  /** Returns the number of the last page. */
  #lastOf(page: PageData | undefined): number {
    return Math.ceil((page?.total || 1) / this.pageSize);
  }

  protected override reset(): void {
    this.#tabs.build(this.boardList);
    this.#rewards = [];
    const hadData = this.#shown !== undefined;
    this.#show(this.boardList[0] ?? '');
    if (hadData) {
      this.#writePage();
      return;
    }
    const addressed = this.#pageInAddress.read(this.address, this.boardList);
    this.board = addressed?.board ?? this.board;
    this.#page = addressed?.page ?? 1;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#pageInAddress.release();
  }

  /** Writes the page that the visitor sees into the address of the web page, if the site wants that. */
  #writePage(): void {
    this.#pageInAddress.write(this.address, { board: this.board, page: this.#page }, this.boardList);
  }

  /** Shows nothing yet of the first page of a board. */
  #show(board: string): void {
    this.board = board;
    this.#page = 1;
    this.#shown = undefined;
    this.#totals = undefined;
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
    const page = data as PageData | undefined;
    if (page) {
      const last = this.#lastOf(page);
      if (page.page > last) {
        this.#page = last; // The ranking became shorter, or the address names a page past its end.
        this.#writePage();
        return;
      }
      this.#shown = page;
      this.#shownAt = at;
      this.#rewards = this.addresses.rewardsOf(data);
    }
    this.#totals = this.totals(this.#path()) ?? this.#totals;
    setText(this.#title, words.say('title'));
    this.#summary.root.hidden = !this.stats;
    this.#summary.paint(this.#totals, words, this.board !== '', this.#shown?.period);
    this.#tabs.paint(this.board, words);
    this.#search.paint({ words, source: this.source, addresses: this.addresses, board: this.board, isOn: this.search });
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
    const context = this.rowContext(this.member, this.#totals, this.#rewards);
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
    const entry = this.#isElsewhere() ? this.#memberElsewhere() : undefined;
    this.#pinned.hidden = !entry;
    setText(this.#findMe, this.words.say('findMe'));
    if (entry) this.#you.paint(entry, this.#list.climbed(member, entry.rank), context);
  }

  #goTo(page: number, board = this.board): void {
    if (this.problem?.kind === 'quota') return;
    if (board !== this.board) this.#show(board);
    this.#page = page;
    this.#writePage();
    this.update();
  }

  #showMember(member: EntryData | undefined): void {
    this.#list.want(member?.user_id ?? '', member !== undefined);
    if (member && !this.#list.has(member.user_id)) this.#goTo(Math.ceil(member.rank / this.pageSize));
  }
}
