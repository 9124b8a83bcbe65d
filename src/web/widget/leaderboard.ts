import { Client, Trouble } from './client.ts';
import { el, setText } from './dom.ts';
import type { Entry, Member, Page, Stats } from './model.ts';
import { clock, newRow, type Row } from './row.ts';
import { scriptUrl } from './script-url.ts';
import { sheet } from './sheet.ts';

const DEFAULTS = { pageSize: 10, refreshS: 60 };
/** Statistics change slowly and cost a request: they are read with every fifth page. */
const STATS_EVERY = 5;
const LONGEST_BACKOFF_S = 60;
const now = () => performance.now();

/** The elements that change. */
interface Ui {
  readonly stats: Record<'members' | 'total' | 'average' | 'curve', HTMLElement>;
  readonly found: HTMLElement;
  readonly foundText: HTMLElement;
  readonly jump: HTMLButtonElement;
  readonly rows: HTMLElement;
  readonly body: HTMLTableSectionElement;
  readonly note: HTMLElement;
  readonly status: HTMLElement;
  readonly text: HTMLElement;
  readonly countdown: HTMLElement;
  readonly pager: HTMLElement;
  readonly previous: HTMLElement;
  readonly next: HTMLElement;
}

/** `<guild-leaderboard>`: the live leaderboard of a server. */
export class GuildLeaderboard extends HTMLElement {
  static observedAttributes = ['base-url', 'guild', 'api-key', 'page-size', 'refresh'];
  /** Set when the element is connected first. */
  #ui!: Ui;
  #client: Client | undefined;
  readonly #rows = new Map<string, Row>();
  #page = 1;
  #shown: Page | undefined;
  #top = 0;
  #polls = 0;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ticker: ReturnType<typeof setInterval> | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #quotaUntil = 0;
  #nextTryAt = 0;
  #loading: AbortController | undefined;
  #searching: AbortController | undefined;
  #restarting = false;
  #wanted = '';
  readonly #onVisibility = () => (document.hidden ? this.#pause() : this.#resume());

  connectedCallback() {
    this.#ui ??= this.#build();
    document.addEventListener('visibilitychange', this.#onVisibility);
    this.#restart();
  }

  disconnectedCallback() {
    document.removeEventListener('visibilitychange', this.#onVisibility);
    this.#pause();
    this.#searching?.abort();
  }

  /** Restarts once, however many attributes are set one after another. */
  attributeChangedCallback(_name: string, before: string | null, after: string | null) {
    if (!this.isConnected || !this.#ui || before === after || this.#restarting) return;
    this.#restarting = true;
    queueMicrotask(() => {
      this.#restarting = false;
      if (this.isConnected) this.#restart();
    });
  }

  get #pageSize() {
    const n = Number(this.getAttribute('page-size') ?? DEFAULTS.pageSize);
    return Number.isInteger(n) && n >= 1 && n <= 100 ? n : DEFAULTS.pageSize;
  }

  /** Seconds between two reads; 0 means to read once. */
  get #refreshS() {
    const n = Number(this.getAttribute('refresh') ?? DEFAULTS.refreshS);
    return n === 0 ? 0 : n >= 1 ? n : DEFAULTS.refreshS;
  }

  #restart() {
    this.#pause();
    this.#searching?.abort();
    this.#quotaUntil = 0;
    this.#failures = 0;
    this.#polls = 0;
    this.#page = 1;
    this.#shown = undefined;
    this.#top = 0;
    this.#clearRows();
    this.#dueAt = Number.POSITIVE_INFINITY;
    const { rows, found, note, stats } = this.#ui;
    rows.style.setProperty('--rows', String(this.#pageSize));
    found.hidden = true;
    for (const value of Object.values(stats)) setText(value, '–');
    setText(note, 'Loading …');
    this.#renderPager();
    const guild = this.getAttribute('guild');
    const key = this.getAttribute('api-key');
    if (!guild || !key) {
      setText(note, '');
      this.#say('Set the attributes guild and api-key.', true);
      return;
    }
    this.#say('');
    this.#client = new Client(this.#base(), guild, key);
    if (document.hidden) this.#dueAt = now();
    else this.#load();
  }

  #base() {
    const home = scriptUrl ? new URL('.', scriptUrl) : location.origin;
    const given = new URL(this.getAttribute('base-url') || home, document.baseURI).href.replace(/\/+$/, '');
    return given.endsWith('/api/v1') ? given : `${given}/api/v1`;
  }

  #pause() {
    clearTimeout(this.#timer);
    clearInterval(this.#ticker);
    this.#loading?.abort();
    this.#loading = undefined;
  }

  #resume() {
    this.#countDown();
    if (this.#dueAt < Number.POSITIVE_INFINITY) this.#schedule(this.#dueAt - now());
  }

  #schedule(ms: number) {
    clearTimeout(this.#timer);
    this.#dueAt = now() + Math.max(0, ms);
    if (!document.hidden) this.#timer = setTimeout(() => this.#load(), Math.max(0, ms));
  }

  async #load(): Promise<void> {
    this.#pause();
    // If the tab is hidden before the answer comes, the read is due as soon as the tab is visible again.
    this.#dueAt = now();
    const loading = new AbortController();
    this.#loading = loading;
    const client = this.#client as Client;
    try {
      const limit = this.#pageSize;
      const page = await client.get<Page>(`/leaderboard?limit=${limit}&page=${this.#page}`, loading.signal);
      if (loading.signal.aborted) return;
      const last = Math.max(1, Math.ceil(page.total / limit));
      if (page.page > last) {
        this.#page = last;
        return this.#load();
      }
      this.#renderPage(page);
      if (this.#polls++ % STATS_EVERY === 0) this.#renderStats(await client.get<Stats>('/stats', loading.signal));
      this.#failures = 0;
      this.#say(this.#refreshS > 0 ? 'Live' : '');
      this.#dueAt = Number.POSITIVE_INFINITY;
      if (this.#refreshS > 0) this.#schedule(Math.max(this.#refreshS, client.paceS) * 1000);
    } catch (error) {
      if (!loading.signal.aborted) this.#recover(error);
    }
  }

  /**
   * Shows what is wrong. Where waiting helps, tries again after the time that the service names, and later after each failure.
   */
  #recover(error: unknown) {
    const trouble = error instanceof Trouble ? error : new Trouble('network', 'The answer cannot be read.', 5);
    this.#dueAt = Number.POSITIVE_INFINITY;
    if (this.#shown === undefined) setText(this.#ui.note, 'Nothing to show yet.');
    if (trouble.retryS === undefined) return this.#say(trouble.message, true);
    const backoffS = trouble.kind === 'quota' ? 0 : Math.min(LONGEST_BACKOFF_S, 2 ** this.#failures++);
    // Random, so that many widgets do not come back at the same moment.
    const waitS = Math.max(trouble.retryS, backoffS);
    const waitMs = (waitS + Math.random() * Math.min(10, waitS / 10)) * 1000;
    if (trouble.kind === 'quota') this.#quotaUntil = now() + waitMs;
    // The page on the screen stays until there is a newer one.
    this.#page = this.#shown?.page ?? this.#page;
    this.#polls = 0;
    this.#schedule(waitMs);
    this.#say(trouble.message, true, now() + waitMs);
  }

  /**
   * Shows a message. Screen readers read it once; they do not read the countdown.
   * @param until time of the next try, as `now` counts; 0 if there is none.
   */
  #say(message: string, isTrouble = false, until = 0) {
    const { status, text } = this.#ui;
    status.classList.toggle('trouble', isTrouble);
    const spoken = until ? ' Trying again by itself.' : '';
    if (text.textContent !== message + spoken) text.replaceChildren(message, el('span', { class: 'quiet' }, spoken));
    this.#nextTryAt = until;
    this.#countDown();
  }

  #countDown() {
    const until = this.#nextTryAt;
    const tick = () =>
      setText(this.#ui.countdown, until ? ` Next try in ${clock(Math.max(0, until - now()) / 1000)}` : '');
    clearInterval(this.#ticker);
    tick();
    if (until) this.#ticker = setInterval(tick, 1000);
  }

  #goTo(page: number) {
    if (now() < this.#quotaUntil) return;
    this.#page = page;
    this.#load();
  }

  async #search(id: string) {
    const { found, foundText, jump } = this.#ui;
    this.#searching?.abort();
    if (id === '') {
      found.hidden = true;
      return;
    }
    if (!this.#client) return;
    const searching = new AbortController();
    this.#searching = searching;
    const answer = (...parts: (Node | string)[]) => {
      found.hidden = false;
      foundText.replaceChildren(...parts);
    };
    jump.hidden = true;
    try {
      const member = await this.#client.get<Member>(`/members/${encodeURIComponent(id)}`, searching.signal);
      const number = this.#number();
      const facts = [
        `rank ${number.format(member.rank)}`,
        `level ${number.format(member.level)}`,
        `${number.format(member.xp)} XP`,
        `daily streak ${number.format(member.daily_streak)}`,
      ];
      if (member.last_daily_claim) facts.push(`last claim ${this.#date(member.last_daily_claim)}`);
      answer(el('strong', {}, el('bdi', {}, member.username)), `: ${facts.join(', ')}`);
      jump.hidden = false;
      jump.onclick = () => {
        this.#wanted = member.user_id;
        this.#goTo(Math.ceil(member.rank / this.#pageSize));
      };
    } catch (error) {
      if (searching.signal.aborted) return;
      answer(error instanceof Error ? error.message : String(error));
      if (error instanceof Trouble && error.kind === 'quota') this.#recover(error);
    }
  }

  #renderPage(page: Page) {
    const samePage = this.#shown?.page === page.page;
    if (!samePage) this.#clearRows();
    this.#shown = page;
    const [first] = page.data;
    // Bars are relative to the first member of the ranking or, until page 1 was shown, of the highest page so far.
    if (first && (page.page === 1 || first.xp > this.#top)) this.#top = first.xp;
    setText(this.#ui.note, page.total === 0 ? 'Nobody has earned XP yet.' : '');
    this.#renderRows(page.data);
    this.#renderPager();
  }

  #renderRows(data: readonly Entry[]) {
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const before = new Map([...this.#rows].map(([id, { tr }]) => [id, tr.offsetTop]));
    const number = this.#number();
    const compact = this.#number({ notation: 'compact', maximumFractionDigits: 2 });
    const here = new Set(data.map(({ user_id }) => user_id));
    for (const [id, { tr }] of this.#rows) {
      if (here.has(id)) continue;
      tr.remove();
      this.#rows.delete(id);
    }
    data.forEach((entry, index) => {
      const row: Row = this.#rows.get(entry.user_id) ?? newRow();
      this.#rows.set(entry.user_id, row);
      const { tr } = row;
      if (this.#ui.body.rows[index] !== tr) this.#ui.body.insertBefore(tr, this.#ui.body.rows[index] ?? null);
      tr.dataset.medal = String(entry.rank);
      tr.classList.toggle('wanted', entry.user_id === this.#wanted);
      setText(row.rank, number.format(entry.rank));
      setText(row.name, entry.username);
      row.name.title = entry.username;
      setText(row.level, number.format(entry.level));
      setText(row.xp, number.format(entry.xp));
      setText(row.shortXp, (entry.xp < 1e6 ? number : compact).format(entry.xp));
      row.fill.style.inlineSize = `${this.#top > 0 ? (100 * entry.xp) / this.#top : 0}%`;
      row.changed = row.last !== undefined && row.last !== entry.xp;
      row.last = entry.xp;
    });
    if (calm) return;
    for (const [id, { tr, changed }] of this.#rows) {
      const moved = (before.get(id) ?? tr.offsetTop) - tr.offsetTop;
      if (moved) tr.animate([{ transform: `translateY(${moved}px)` }, {}], { duration: 350, easing: 'ease' });
      if (changed) tr.animate([{ backgroundColor: 'var(--flash)' }, {}], { duration: 1200 });
    }
  }

  #clearRows() {
    this.#rows.clear();
    this.#ui.body.replaceChildren();
  }

  #renderPager() {
    const { pager, previous, next } = this.#ui;
    const last = this.#shown ? Math.max(1, Math.ceil(this.#shown.total / this.#pageSize)) : 1;
    const page = this.#shown?.page ?? 1;
    const number = this.#number();
    setText(pager, `Page ${number.format(page)} of ${number.format(last)}`);
    previous.setAttribute('aria-disabled', String(page <= 1));
    next.setAttribute('aria-disabled', String(page >= last));
  }

  #renderStats({ total_members, total_xp, average_level, xp_curve, xp_multiplier }: Stats) {
    const { stats } = this.#ui;
    const number = this.#number();
    setText(stats.members, number.format(total_members));
    setText(stats.total, this.#number({ notation: 'compact', maximumFractionDigits: 1 }).format(total_xp));
    stats.total.title = number.format(total_xp);
    setText(stats.average, number.format(average_level));
    setText(stats.curve, `${xp_curve} ×${number.format(xp_multiplier)}`);
  }

  /** Returns the language of the page around the widget, as a list for Intl. */
  #language() {
    const lang = this.closest('[lang]')?.getAttribute('lang');
    try {
      return Intl.getCanonicalLocales(lang || []);
    } catch {
      return [];
    }
  }

  #number(options?: Intl.NumberFormatOptions) {
    return new Intl.NumberFormat(this.#language(), options);
  }

  #date(iso: string) {
    return new Date(iso).toLocaleDateString(this.#language(), { dateStyle: 'medium' });
  }

  #build() {
    const stats = { members: el('dd'), total: el('dd'), average: el('dd'), curve: el('dd') };
    const titles = { members: 'Members', total: 'Total XP', average: 'Average level', curve: 'XP curve' };
    const names = Object.keys(stats) as (keyof typeof stats)[];
    const list = el('dl', {}, ...names.map((name) => el('div', {}, el('dt', {}, titles[name]), stats[name])));

    const input = el('input', {
      id: 'id',
      placeholder: 'Member id',
      maxlength: '64',
      autocomplete: 'off',
      spellcheck: 'false',
    });
    const label = el('label', { for: 'id', class: 'quiet' }, 'Find a member by id');
    const form = el('form', { role: 'search' }, label, input, el('button', {}, 'Find'));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#search(input.value.trim());
    });

    const foundText = el('p', { role: 'status' });
    const jump = el('button', { type: 'button' }, 'Show in list');
    const close = el('button', { type: 'button', 'aria-label': 'Close' }, '×');
    const found = el('div', { class: 'found', hidden: '' }, foundText, el('div', {}, jump, close));
    close.addEventListener('click', () => {
      found.hidden = true;
      this.#wanted = '';
      for (const { tr } of this.#rows.values()) tr.classList.remove('wanted');
      input.focus();
    });

    const heads = [
      ['rank', '#'],
      ['name', 'Member'],
      ['level', 'Level'],
      ['xp', 'XP'],
    ] as const;
    const head = el('tr', {}, ...heads.map(([name, text]) => el('th', { scope: 'col', class: name }, text)));
    const body = el('tbody');
    const caption = el('caption', { class: 'quiet' }, 'Members by XP, highest first');
    const note = el('p', { class: 'note' });
    const rows = el('div', { class: 'rows' }, el('table', {}, caption, el('thead', {}, head), body), note);

    const text = el('span', { role: 'status' });
    const countdown = el('span', { 'aria-hidden': 'true' });
    const status = el('p', {}, text, countdown);
    const pager = el('span', { 'aria-live': 'polite' });
    const previous = el('button', { type: 'button' }, 'Previous');
    const next = el('button', { type: 'button' }, 'Next');
    // A button that is disabled loses the focus, so these buttons only announce that they are disabled.
    const step = (button: HTMLButtonElement, by: number) =>
      button.addEventListener('click', () => {
        if (button.getAttribute('aria-disabled') !== 'true') this.#goTo((this.#shown?.page ?? 1) + by);
      });
    step(previous, -1);
    step(next, 1);
    const nav = el('nav', { 'aria-label': 'Pages' }, previous, pager, next);

    const title = el('h2', { id: 'title' }, el('slot', {}, 'Leaderboard'));
    const card = el('section', { class: 'card', part: 'card', 'aria-labelledby': 'title' });
    card.append(
      el('div', { class: 'top' }, title, form),
      list,
      found,
      rows,
      el('div', { class: 'bottom' }, status, nav),
    );
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet()];
    root.append(card);
    return { stats, found, foundText, jump, rows, body, note, status, text, countdown, pager, previous, next };
  }
}
