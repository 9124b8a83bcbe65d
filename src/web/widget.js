/**
 * <guild-leaderboard guild="ID" api-key="KEY"></guild-leaderboard>: the live leaderboard of a server, on any page.
 * One file without dependencies. Usage, attributes and styling: docs/widget.md.
 */
(() => {
  /**
   * @typedef {{ rank: number, user_id: string, username: string, level: number, xp: number }} Entry
   * @typedef {{ data: Entry[], total: number, page: number }} Page
   * @typedef {Entry & { daily_streak: number, last_daily_claim: string | null }} Member
   * @typedef {{ total_members: number, total_xp: number, average_level: number, xp_curve: string, xp_multiplier: number }} Stats
   * @typedef {'network' | 'key' | 'missing' | 'request' | 'quota' | 'store'} TroubleKind
   * @typedef {{
   *   stats: Record<'members' | 'total' | 'average' | 'curve', HTMLElement>,
   *   found: HTMLElement, foundText: HTMLElement, jump: HTMLButtonElement, rows: HTMLElement,
   *   body: HTMLTableSectionElement, note: HTMLElement, status: HTMLElement, text: HTMLElement, countdown: HTMLElement,
   *   pager: HTMLElement, previous: HTMLElement, next: HTMLElement,
   * }} Ui the elements that change.
   * @typedef {ReturnType<typeof newRow> & { changed?: boolean, last?: number }} Row
   */

  // The getter of the class: on the document itself, an element of the page with name="currentScript" hides it.
  const element = Object.getOwnPropertyDescriptor(Document.prototype, 'currentScript')?.get?.call(document);
  const script = element instanceof HTMLScriptElement ? element.src : undefined;
  const DEFAULTS = { pageSize: 10, refreshS: 60 };
  /** Statistics change slowly and cost a request: they are read with every fifth page. */
  const STATS_EVERY = 5;
  const LONGEST_BACKOFF_S = 60;
  const KEPT_ANSWERS = 20;
  const now = () => performance.now();

  /** The reason why there is no data, with a message for people. */
  class Trouble extends Error {
    /**
     * @param {TroubleKind} kind
     * @param {string} message
     * @param {number} [retryS] seconds until the next try; undefined if trying again does not help.
     */
    constructor(kind, message, retryS) {
      super(message);
      this.kind = kind;
      this.retryS = retryS;
    }
  }

  /** Reads the API. Sends the ETag of the answer that it keeps, so that the service does not send unchanged data again. */
  class Client {
    /** @type {Map<string, { etag: string, data: unknown }>} */
    #kept = new Map();
    /** The shortest time in seconds between two requests that makes the remaining quota last until it is renewed. */
    paceS = 0;

    /**
     * @param {string} base
     * @param {string} guild
     * @param {string} key
     */
    constructor(base, guild, key) {
      this.root = `${base}/servers/${encodeURIComponent(guild)}`;
      this.key = key;
    }

    /**
     * Returns the data of an operation.
     * @param {string} path
     * @param {AbortSignal} signal
     * @returns {Promise<any>} the JSON value, as the API document describes it.
     * @throws Trouble, or AbortError.
     */
    async get(path, signal) {
      const kept = this.#kept.get(path);
      const headers = { 'x-api-key': this.key, ...(kept && { 'if-none-match': kept.etag }) };
      let response;
      let body;
      try {
        response = await fetch(this.root + path, { headers, signal, cache: 'no-store', credentials: 'omit' });
        body = response.status === 304 ? undefined : await response.json();
      } catch (error) {
        if (signal.aborted) throw error;
        throw new Trouble('network', 'The leaderboard service cannot be reached.', 1);
      }
      this.#notePace(response.headers.get('RateLimit'));
      if (response.status === 304 && kept) return kept.data;
      if (!response.ok) throw troubleOf(response, body);
      this.#kept.delete(path);
      this.#kept.set(path, { etag: response.headers.get('ETag') ?? '', data: body });
      if (this.#kept.size > KEPT_ANSWERS) this.#kept.delete(/** @type {string} */ (this.#kept.keys().next().value));
      return body;
    }

    /** @param {string | null} rateLimit */
    #notePace(rateLimit) {
      const [, left, seconds] = /r=(\d+);t=(\d+)/.exec(rateLimit ?? '') ?? [];
      if (left !== undefined) this.paceS = Number(seconds) / Math.max(1, Number(left));
    }
  }

  /**
   * @param {Response} response
   * @param {{ detail?: string } | undefined} problem
   */
  function troubleOf({ status, headers }, problem) {
    const retryS = Number(headers.get('Retry-After')) || 1;
    if (status === 401) return new Trouble('key', 'The API key was not accepted. Check the api-key attribute.');
    if (status === 403) return new Trouble('key', problem?.detail ?? 'The API key is not for this server.');
    if (status === 404) return new Trouble('missing', 'There is no member with that id in the ranking.');
    if (status === 400)
      return new Trouble('request', `The request was refused: ${problem?.detail ?? 'it is not valid'}`);
    if (status === 429) return new Trouble('quota', 'The hourly quota of this server is used up.', retryS);
    if (status === 503) return new Trouble('store', 'The leaderboard is away for a moment.', retryS);
    return new Trouble('network', 'The leaderboard service has a problem.', retryS);
  }

  /**
   * Creates an element. Strings among the children become text, never markup.
   * @template {keyof HTMLElementTagNameMap} T
   * @param {T} tag
   * @param {Record<string, string>} [attributes]
   * @param {...(Node | string)} children
   * @returns {HTMLElementTagNameMap[T]}
   */
  function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  /**
   * @param {Node} node
   * @param {string} text
   */
  function setText(node, text) {
    if (node.textContent !== text) node.textContent = text;
  }

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host {
      --bg: var(--guildrank-background, #ffffff);
      --text: var(--guildrank-text, #1b1f24);
      --muted: var(--guildrank-muted, #57606a);
      --line: var(--guildrank-line, #d8dee4);
      --accent: var(--guildrank-accent, #4f46e5);
      --track: var(--guildrank-track, #e8eaf0);
      --bad: #a40e26;
      --flash: #e0e7ff;
      display: block;
      container-type: inline-size;
      color-scheme: light;
      color: var(--text);
      font: 1rem/1.4 var(--guildrank-font, system-ui, sans-serif);
      text-align: start;
    }
    :host([hidden]) { display: none; }
    :host([theme='dark']) {
      --bg: var(--guildrank-background, #16191f);
      --text: var(--guildrank-text, #e6e8ec);
      --muted: var(--guildrank-muted, #9aa3af);
      --line: var(--guildrank-line, #30363d);
      --accent: var(--guildrank-accent, #a5b4fc);
      --track: var(--guildrank-track, #2a2f3a);
      --bad: #ff9a9a;
      --flash: #2d3354;
      color-scheme: dark;
    }
    @media (prefers-color-scheme: dark) {
      :host(:not([theme='light'], [theme='dark'])) {
        --bg: var(--guildrank-background, #16191f);
        --text: var(--guildrank-text, #e6e8ec);
        --muted: var(--guildrank-muted, #9aa3af);
        --line: var(--guildrank-line, #30363d);
        --accent: var(--guildrank-accent, #a5b4fc);
        --track: var(--guildrank-track, #2a2f3a);
        --bad: #ff9a9a;
        --flash: #2d3354;
        color-scheme: dark;
      }
    }
    * { box-sizing: border-box; }
    .card { padding: 1.25rem; border: 1px solid var(--line); border-radius: 0.9rem; background: var(--bg); }
    .top { display: flex; flex-wrap: wrap; gap: 0.75rem 1rem; align-items: center; justify-content: space-between; }
    h2 { margin: 0; font-size: 1.25rem; }
    form { display: flex; gap: 0.4rem; flex: 0 1 18rem; }
    input { flex: 1; min-inline-size: 0; padding: 0.4rem 0.7rem; border: 1px solid #80868f; border-radius: 0.5rem;
      background: transparent; color: inherit; font: inherit; font-size: 0.9rem; }
    input::placeholder { color: var(--muted); opacity: 1; }
    button { padding: 0.4rem 0.8rem; border: 1px solid var(--line); border-radius: 0.5rem; background: transparent;
      color: inherit; font: inherit; font-size: 0.9rem; cursor: pointer; white-space: nowrap; }
    button:hover { border-color: var(--accent); }
    button[aria-disabled='true'] { color: var(--muted); cursor: default; border-color: transparent; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
    dl { display: grid; grid-template-columns: repeat(4, 1fr); gap: 0.5rem 1rem; margin: 1rem 0 0.75rem; }
    dt { color: var(--muted); font-size: 0.8rem; }
    dd { margin: 0; min-block-size: 1.4em; font-weight: 650; font-variant-numeric: tabular-nums;
      overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .found { display: flex; flex-wrap: wrap; gap: 0.4rem 0.75rem; align-items: center; justify-content: space-between;
      margin-block-end: 0.75rem; padding: 0.6rem 0.9rem; border-radius: 0.6rem; background: var(--track); }
    .found[hidden] { display: none; }
    .found p { margin: 0; min-inline-size: 0; overflow-wrap: anywhere; }
    .found div { display: flex; gap: 0.4rem; }
    .found button { border-color: var(--muted); }
    .rows { position: relative; min-block-size: calc(2.25rem + var(--rows) * 3rem); }
    .note { position: absolute; inset-block-start: 5rem; inset-inline: 0; margin: 0; color: var(--muted); text-align: center; }
    table { inline-size: 100%; table-layout: fixed; border-collapse: separate; border-spacing: 0; }
    thead th { block-size: 2.25rem; padding: 0; color: var(--muted); font-size: 0.8rem; font-weight: 500; }
    tbody tr { block-size: 3rem; }
    tbody th, tbody td { block-size: 3rem; padding: 0; border-block-start: 1px solid var(--line); }
    th { text-align: start; }
    .rank { inline-size: 3.5rem; text-align: start; font-variant-numeric: tabular-nums; }
    .level { inline-size: 4.5rem; padding-inline-end: 1.5rem; text-align: end; font-variant-numeric: tabular-nums; }
    .xp { inline-size: 36%; text-align: end; font-variant-numeric: tabular-nums; }
    tbody .name { padding-inline-end: 0.75rem; font-weight: 600; }
    /* A name has its own direction, so that its end is cut. It is as wide as its text, so that all names start at the same place. */
    .clip { display: block; inline-size: fit-content; max-inline-size: 100%; max-block-size: 2.8rem; overflow: hidden;
      text-overflow: ellipsis; white-space: nowrap; line-height: 2.8rem; }
    .badge { display: inline-block; min-inline-size: 1.9rem; padding-inline: 0.35rem; border-radius: 1rem; text-align: center; line-height: 1.9rem; }
    [data-medal='1'] .badge { background: #f5c542; color: #2b2100; font-weight: 700; }
    [data-medal='2'] .badge { background: #c7ced6; color: #1c2126; font-weight: 700; }
    [data-medal='3'] .badge { background: #e0a575; color: #2e1800; font-weight: 700; }
    .short { display: none; }
    .track { block-size: 0.35rem; margin-block-start: 0.25rem; border-radius: 1rem; background: var(--track); overflow: hidden; }
    .fill { block-size: 100%; border-radius: 1rem; background: var(--accent); }
    .wanted { background: var(--flash); }
    .bottom { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; justify-content: space-between;
      min-block-size: 3rem; padding-block-start: 0.75rem; border-block-start: 1px solid var(--line); }
    .bottom p { margin: 0; flex: 1 1 12rem; min-block-size: 2.8em; align-content: center; color: var(--muted); font-size: 0.9rem; }
    .bottom .trouble { color: var(--bad); }
    nav { display: flex; gap: 0.5rem; align-items: center; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
    .quiet { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    @container (max-width: 30rem) {
      .card { padding: 0.9rem; }
      dl { grid-template-columns: repeat(2, 1fr); }
      form { flex: 1 1 100%; }
      .rank { inline-size: 2.4rem; }
      .level { inline-size: 3.1rem; padding-inline-end: 0.6rem; }
      .xp { inline-size: 5.25rem; }
      tbody .name, tbody .level, tbody .xp { font-size: 0.93rem; }
      .full { display: none; }
      .short { display: inline; }
      nav { flex: 1 1 100%; justify-content: space-between; }
    }
    @media (prefers-reduced-motion: no-preference) {
      .fill { transition: inline-size 0.4s ease; }
    }
  `);

  class GuildLeaderboard extends HTMLElement {
    static observedAttributes = ['base-url', 'guild', 'api-key', 'page-size', 'refresh'];
    /** Set when the element is connected first. */
    #ui = /** @type {Ui} */ (/** @type {unknown} */ (undefined));
    /** @type {Client | undefined} */
    #client;
    /** @type {Map<string, Row>} */
    #rows = new Map();
    #page = 1;
    /** @type {Page | undefined} */
    #shown;
    #top = 0;
    #polls = 0;
    #failures = 0;
    /** @type {number | undefined} */
    #timer;
    /** @type {number | undefined} */
    #ticker;
    #dueAt = Number.POSITIVE_INFINITY;
    #quotaUntil = 0;
    #nextTryAt = 0;
    /** @type {AbortController | undefined} */
    #loading;
    /** @type {AbortController | undefined} */
    #searching;
    #restarting = false;
    #wanted = '';
    #onVisibility = () => (document.hidden ? this.#pause() : this.#resume());

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

    /**
     * Restarts once, however many attributes are set one after another.
     * @param {string} _name
     * @param {string | null} before
     * @param {string | null} after
     */
    attributeChangedCallback(_name, before, after) {
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
      const home = script ? new URL('.', script) : location.origin;
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

    /** @param {number} ms */
    #schedule(ms) {
      clearTimeout(this.#timer);
      this.#dueAt = now() + Math.max(0, ms);
      if (!document.hidden) this.#timer = setTimeout(() => this.#load(), Math.max(0, ms));
    }

    /** @returns {Promise<void>} */
    async #load() {
      this.#pause();
      // If the tab is hidden before the answer comes, the read is due as soon as the tab is visible again.
      this.#dueAt = now();
      const loading = new AbortController();
      this.#loading = loading;
      const client = /** @type {Client} */ (this.#client);
      try {
        const limit = this.#pageSize;
        /** @type {Page} */
        const page = await client.get(`/leaderboard?limit=${limit}&page=${this.#page}`, loading.signal);
        if (loading.signal.aborted) return;
        const last = Math.max(1, Math.ceil(page.total / limit));
        if (page.page > last) {
          this.#page = last;
          return this.#load();
        }
        this.#renderPage(page);
        if (this.#polls++ % STATS_EVERY === 0) this.#renderStats(await client.get('/stats', loading.signal));
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
     * @param {unknown} error
     */
    #recover(error) {
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
     * @param {string} message
     * @param {boolean} [isTrouble]
     * @param {number} [until] time of the next try, as `now` counts; 0 if there is none.
     */
    #say(message, isTrouble = false, until = 0) {
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

    /** @param {number} page */
    #goTo(page) {
      if (now() < this.#quotaUntil) return;
      this.#page = page;
      this.#load();
    }

    /** @param {string} id */
    async #search(id) {
      const { found, foundText, jump } = this.#ui;
      this.#searching?.abort();
      if (id === '') {
        found.hidden = true;
        return;
      }
      if (!this.#client) return;
      const searching = new AbortController();
      this.#searching = searching;
      /** @param {...(Node | string)} parts */
      const answer = (...parts) => {
        found.hidden = false;
        foundText.replaceChildren(...parts);
      };
      jump.hidden = true;
      try {
        /** @type {Member} */
        const member = await this.#client.get(`/members/${encodeURIComponent(id)}`, searching.signal);
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

    /** @param {Page} page */
    #renderPage(page) {
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

    /** @param {Entry[]} data */
    #renderRows(data) {
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
        /** @type {Row} */
        const row = this.#rows.get(entry.user_id) ?? newRow();
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

    /** @param {Stats} stats */
    #renderStats({ total_members, total_xp, average_level, xp_curve, xp_multiplier }) {
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

    /** @param {Intl.NumberFormatOptions} [options] */
    #number(options) {
      return new Intl.NumberFormat(this.#language(), options);
    }

    /** @param {string} iso */
    #date(iso) {
      return new Date(iso).toLocaleDateString(this.#language(), { dateStyle: 'medium' });
    }

    #build() {
      const stats = { members: el('dd'), total: el('dd'), average: el('dd'), curve: el('dd') };
      const titles = { members: 'Members', total: 'Total XP', average: 'Average level', curve: 'XP curve' };
      const names = /** @type {(keyof typeof stats)[]} */ (Object.keys(stats));
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

      const heads = /** @type {const} */ ([
        ['rank', '#'],
        ['name', 'Member'],
        ['level', 'Level'],
        ['xp', 'XP'],
      ]);
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
      /**
       * @param {HTMLButtonElement} button
       * @param {number} by
       */
      const step = (button, by) =>
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
      root.adoptedStyleSheets = [sheet];
      root.append(card);
      return { stats, found, foundText, jump, rows, body, note, status, text, countdown, pager, previous, next };
    }
  }

  function newRow() {
    const rank = el('span', { class: 'badge' });
    const name = el('bdi', { class: 'clip' });
    const level = el('td', { class: 'level' });
    const xp = el('span', { class: 'full' });
    const shortXp = el('span', { class: 'short' });
    const fill = el('div', { class: 'fill', part: 'bar' });
    const bar = el('div', { class: 'track', 'aria-hidden': 'true' }, fill);
    const tr = el('tr', { part: 'row' });
    tr.append(el('td', { class: 'rank' }, rank), el('th', { scope: 'row', class: 'name' }, name), level);
    tr.append(el('td', { class: 'xp' }, xp, shortXp, bar));
    return { tr, rank, name, level, xp, shortXp, fill };
  }

  /** @param {number} seconds */
  function clock(seconds) {
    const whole = Math.ceil(seconds);
    return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
  }

  if (!customElements.get('guild-leaderboard')) customElements.define('guild-leaderboard', GuildLeaderboard);
})();
