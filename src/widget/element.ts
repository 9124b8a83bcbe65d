import type { EntryData, RewardData, StatsData } from './api-data.ts';
import { type Attributes, attributeOf, PROPERTIES } from './attributes.ts';
import { boardsOf } from './boards.ts';
import { type DataAddresses, KEYED, PUBLIC } from './data-addresses.ts';
import { part } from './dom.ts';
import { reflectAttributes } from './reflection.ts';
import { type AvatarOf, addressOf, type RowContext } from './row.ts';
import { scriptUrl } from './script-url.ts';
import { type Feed, NEVER, type Source, type Subscriber, sourceOf, type Wants } from './source.ts';
import type { Labels } from './strings.ts';
import { css } from './styles.css';
import { tellAuthor, WidgetProblem } from './widget-problem.ts';
import { createWords, type WidgetWords } from './words.ts';

const ID = /^[\w.-]{1,64}$/;
/** Statistics and a pinned member change little and cost requests: a read lasts this many refreshes. */
export const RARELY = 5;

export const isId = (text: string): boolean => ID.test(text);

// On a server there are no elements. A module that imports this module still loads there.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

export interface GuildElement extends Attributes {}

/** The common part of all elements: attributes, data, visibility, events. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: reflectAttributes defines these properties.
export abstract class GuildElement extends Base implements Subscriber {
  static readonly observedAttributes = [...PROPERTIES.map(attributeOf), 'lang'];
  protected words!: WidgetWords;
  protected source: Source | undefined;
  /** How the data is asked for. */
  protected addresses: DataAddresses = PUBLIC;
  protected card!: HTMLElement;
  /** The boards to choose from. */
  protected boardList: readonly string[] = [];
  /** The board that is shown: the end of its id, such as `~week`; empty for all time. */
  protected board = '';
  #setupProblem: WidgetProblem | undefined;
  #identity = '';
  #onScreen = false;
  #wasActive = false;
  #changing = false;
  #told: WidgetProblem | undefined;
  #loadedAt: number | undefined;
  #labels: Partial<Labels> = {};
  #avatarOf: AvatarOf | undefined;
  readonly #onVisibility = () => this.#visibilityChanged();
  #observer: IntersectionObserver | undefined;

  /** Fills the card. Called once. */
  protected abstract build(card: HTMLElement): void;
  /** Returns the paths to read. */
  protected abstract wants(): Wants;
  /** Returns the last answers by their names, for the page around the element. */
  protected abstract answers(): Readonly<Record<string, unknown>>;
  /** Shows the data of the source, or its problem. */
  protected abstract render(): void;
  /** Forgets what was shown, because the guild, the size of its pages or its boards have changed. */
  protected reset(): void {}
  /** Called when the element comes into sight, or goes out of it. */
  protected seen(_active: boolean): void {}

  /** Texts that replace texts of the language. */
  get labels(): Partial<Labels> {
    return this.#labels;
  }
  set labels(labels: Partial<Labels>) {
    this.#labels = labels;
    this.#change();
  }

  /** Returns the address of a member's picture, or nothing for the initial of the name. */
  get avatarOf(): AvatarOf | undefined {
    return this.#avatarOf;
  }
  set avatarOf(avatarOf: AvatarOf | undefined) {
    this.#avatarOf = avatarOf;
    this.#change();
  }

  /** Whether a visitor can see the element. */
  get active(): boolean {
    return this.#onScreen && !document.hidden;
  }

  /** The reason why there is no data. */
  protected get problem(): WidgetProblem | undefined {
    return this.#setupProblem ?? this.source?.problem;
  }

  /** Reads the data now. */
  get refresh(): () => void {
    return () => this.source?.refresh(this);
  }
  // React and Vue set the attribute as a property, because the element has a property of this name.
  set refresh(seconds: number | string) {
    this.setAttribute('refresh', String(seconds));
  }

  connectedCallback(): void {
    if (!this.shadowRoot) {
      const root = this.attachShadow({ mode: 'open' });
      root.adoptedStyleSheets = [sharedSheet()];
      this.card = part('div', 'card');
      root.append(this.card);
      this.build(this.card);
      // A property that was set before the element was defined hides the accessor.
      for (const name of [...PROPERTIES, 'labels', 'avatarOf'] as (keyof this)[]) {
        if (!Object.hasOwn(this, name)) continue;
        const value = this[name];
        delete this[name];
        this[name] = value;
      }
    }
    document.addEventListener('visibilitychange', this.#onVisibility);
    this.#observer = new IntersectionObserver((entries) => {
      this.#onScreen = entries.at(-1)?.isIntersecting ?? false;
      this.#visibilityChanged();
    });
    this.#observer.observe(this);
    this.#configure();
  }

  disconnectedCallback(): void {
    document.removeEventListener('visibilitychange', this.#onVisibility);
    this.#observer?.disconnect();
    this.#onScreen = false;
    this.#visibilityChanged();
    this.#setSource(undefined);
  }

  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (before !== after) this.#change();
  }

  /** Applies changes once, however many attributes and properties are set one after another. */
  #change(): void {
    if (this.#changing || !this.shadowRoot) return;
    this.#changing = true;
    queueMicrotask(() => {
      this.#changing = false;
      if (this.isConnected) this.#configure();
    });
  }

  #configure(): void {
    this.words = createWords(this.closest('[lang]')?.getAttribute('lang') ?? '', this.#labels);
    this.#setupProblem = undefined;
    let root = '';
    this.boardList = [];
    try {
      this.boardList = boardsOf(this.boards);
      root = this.#root();
    } catch (problem) {
      this.#setupProblem = problem as WidgetProblem;
    }
    const identity = [root, this.apiKey, this.pageSize, this.boardList].join(' ');
    if (identity !== this.#identity) this.reset();
    this.#identity = identity;
    this.#setSource(root ? sourceOf(root, this.apiKey.trim(), this.addresses) : undefined);
    this.update();
  }

  #setSource(source: Source | undefined): void {
    const before = this.source;
    this.source = source;
    if (before && before !== source) before.drop(this);
  }

  /** Chooses the way to the data. @returns the address of the guild. @throws WidgetProblem when an attribute is missing or not valid. */
  #root(): string {
    const { guild, baseUrl } = this;
    const key = this.apiKey.trim();
    const problem = (text: string) => new WidgetProblem('setup', text);
    if (!guild) throw problem('Set the guild attribute.');
    if (!isId(guild)) throw problem('The guild attribute takes the id of a server.');
    if (/[^!-~]/.test(key)) throw problem('The api-key attribute has an invisible character. Copy the key again.');
    let url: URL;
    try {
      url = new URL(baseUrl || new URL('.', scriptUrl || location.origin), document.baseURI);
    } catch {
      throw problem('The base-url attribute takes an address.');
    }
    const address = (url.origin + url.pathname).replace(/\/+$/, '');
    const base = address.replace(/\/api\/v1$/, '');
    // An address of the API without an API key belongs to a proxy that adds the key.
    this.addresses = key || base !== address ? KEYED : PUBLIC;
    return this.addresses.root(base, guild);
  }

  #visibilityChanged(): void {
    const { active } = this;
    if (active === this.#wasActive) return;
    this.#wasActive = active;
    this.seen(active);
    this.source?.poll();
  }

  /** Shows what is new, tells the page about it, and wants what is shown now. */
  update(): void {
    this.card.lang = this.words.lang;
    this.render();
    const { problem } = this;
    if (problem && problem !== this.#told) {
      this.#told = problem;
      const { kind, message } = problem;
      tellAuthor(message);
      this.emit('error', { kind, message });
    }
    const wants = this.wants();
    this.source?.want(this, wants);
    if (!problem) this.#tellLoad([...wants.keys()]);
  }

  /** Tells the page the last answers of paths, once for each new answer. */
  #tellLoad(paths: readonly string[]): void {
    const latest = Math.max(0, ...paths.map((path) => this.feed(path).at ?? 0));
    if (latest === 0 || latest === this.#loadedAt) return;
    this.#loadedAt = latest;
    this.emit('load', this.answers());
  }

  /** Returns the last answer of a path. */
  protected feed(path: string): Feed {
    return this.source?.feed(path) ?? {};
  }

  /** Seconds between two reads. */
  protected get everyS(): number {
    return this.refreshInterval || NEVER;
  }

  /** The totals, as soon as they are known. @param page path of the page that is read anyway. */
  protected totals(page?: string): StatsData | undefined {
    return this.addresses.statsOf(this.feed(this.addresses.stats(this.board, page)).data);
  }

  /**
   * Returns the settings of rows.
   * @param you id of the member that is the visitor.
   * @param totals as far as they are known.
   * @param rewards roles that levels give, by level.
   */
  protected rowContext(you: string, totals: StatsData | undefined, rewards: readonly RewardData[] = []): RowContext {
    const { words, memberHref, avatarHref, selectable } = this;
    const avatarOf = this.avatarOf ?? ((id: string) => addressOf(avatarHref, id));
    const select = (entry: EntryData) => this.emit('select', entry);
    // The XP on a board does not give the level, so there is no progress. Public data says itself how far a member is.
    const curve = this.board || this.addresses === PUBLIC ? '' : totals?.xp_curve;
    const isGained = this.board !== '';
    return { words, curve, you, memberHref, selectable, isGained, avatarOf, rewards, select };
  }

  /** Dispatches `guildrank-NAME`. @returns whether the page lets the default action happen. */
  protected emit(name: string, detail: unknown): boolean {
    return this.dispatchEvent(
      new CustomEvent(`guildrank-${name}`, { detail, bubbles: true, composed: true, cancelable: name === 'select' }),
    );
  }
}

reflectAttributes(GuildElement.prototype);

let sheet: CSSStyleSheet | undefined;

/** Returns the style sheet that all elements share. */
function sharedSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  return sheet;
}
