import Assembler from 'stream-json/assembler.js';
import type { Token } from 'stream-json/parser.js';
import { entryOf, unreadEntry } from './entries.ts';
import { isObject } from './fields.ts';
import { type JsonPath, PathTracker } from './json-path.ts';
import { isEnd, isStart, parseJson, type TokenTaker } from './json-tokens.ts';
import { ERROR_KEYS } from './other-content.ts';
import { rawOf } from './raw-row.ts';
import { quote } from './row-values.ts';
import type { RawRow, RowEntry, RowReading } from './rows.ts';

/** The list with the members of a document. */
interface MemberList {
  readonly path: JsonPath;
  /** In a list of arrays: the names of the values of each array; if undefined, they are called 1, 2 and so on. */
  readonly columns?: readonly string[] | undefined;
  /** Whether the first array of the list has these names, and is not a member. */
  readonly hasNameRow?: boolean;
}

/**
 * Reads the members in a list of a JSON document, or of several documents that follow each other, with only a piece of the text in memory.
 * Numbers stay the digits of the file. A page that is the error response of a service is a bad row.
 * @param strangers paths of objects and values in the list whose names are no ids. They are read as members, and so become bad rows.
 * @param nextGuild returns the guild of the next page, each time it is called; undefined unless only the pages name several guilds.
 * @throws InvalidInputError as {@link parseJson}.
 */
export function readJson(
  chunks: AsyncIterable<string>,
  list: MemberList,
  reading: RowReading,
  keep: (raw: RawRow) => boolean,
  file: string,
  strangers: ReadonlySet<JsonPath> = new Set(),
  nextGuild?: () => string,
): AsyncGenerator<RowEntry[]> {
  const reader = new MemberReader(list, reading, keep, strangers, nextGuild);
  return parseJson(chunks, file, reader, () => reader.taken());
}

/** Follows the tokens to the members, and assembles each member. Skips everything else. */
class MemberReader implements TokenTaker {
  /** Elements so far, in all documents. */
  count = 0;
  isAssembling = false;
  private entries: RowEntry[] = [];
  private readonly tracker = new PathTracker();
  private readonly element = new Assembler<unknown>({ numberAsString: true });
  /** Whether each member is an array of values without names. */
  private readonly isTuple: boolean;
  private readonly base: JsonPath;
  /** The field of the current page that names an error, and whether the page has members. */
  private page: { error: string | undefined; hasMembers: boolean } = { error: undefined, hasMembers: false };
  /** The guild of the present page, where the rows do not tell it. */
  private pageGuild: string | undefined;

  constructor(
    private readonly list: MemberList,
    private readonly reading: RowReading,
    private readonly keep: (raw: RawRow) => boolean,
    private readonly strangers: ReadonlySet<JsonPath>,
    private readonly nextGuild: (() => string) | undefined,
  ) {
    const { path } = list;
    this.isTuple = path.endsWith('[]');
    this.base = this.isTuple ? path.slice(0, -'[]'.length) : path;
  }

  get depth(): number {
    return this.tracker.depth + (this.isAssembling ? this.element.depth : 0);
  }

  /** Returns the entries since the last call. */
  taken(): RowEntry[] {
    const { entries } = this;
    this.entries = [];
    return entries;
  }

  take(token: Token): void {
    if (!this.isAssembling && this.isMember(token)) {
      this.isAssembling = true;
      this.page.hasMembers = true;
    }
    if (this.isAssembling) this.assemble(token);
    else this.follow(token);
  }

  private follow(token: Token): void {
    const { tracker } = this;
    if (token.name === 'startObject' && this.isPage(tracker.path)) {
      this.page = { error: undefined, hasMembers: false };
      this.pageGuild = this.nextGuild?.();
    }
    tracker.follow(token);
    if (token.name === 'keyValue' && tracker.isInDocument) this.followKey(token.value);
    if (token.name === 'endObject' && this.isPage(tracker.path)) this.endPage();
  }

  /** Whether a token begins a member. An array in the list of the members is no member, but contains members. */
  private isMember(token: Token): boolean {
    if (token.name === 'keyValue' || isEnd(token)) return false;
    if (this.isStranger) return true;
    if (this.tracker.path !== this.base) return false;
    if (this.isTuple)
      return token.name === 'startArray' ? this.base === '' || this.tracker.isInArray : this.base !== '';
    return this.list.path === '' ? token.name === 'startObject' : token.name !== 'startArray';
  }

  /** Whether the next value is in the list of the members, but has a name that is no id. */
  private get isStranger(): boolean {
    return this.strangers.size > 0 && this.strangers.has(this.tracker.path);
  }

  /** Whether a document, or a page in an array of pages, stands at this path. */
  private isPage(path: JsonPath): boolean {
    return path !== this.list.path && (path === '' || path === '*');
  }

  private followKey(key: string): void {
    const [container] = this.list.path.split('.');
    if (key === container) this.page.hasMembers = true;
    else if (ERROR_KEYS.includes(key)) this.page.error ??= key;
  }

  private endPage(): void {
    const { error, hasMembers } = this.page;
    if (hasMembers || error === undefined) return;
    this.count++;
    this.entries.push({
      at: this.count,
      row: `it is the error response of a service, with the field ${quote(error)}: the members of this page are missing`,
    });
  }

  private assemble(token: Token): void {
    if (isStart(token) || this.element.depth > 0) {
      this.element.consume(token);
      if (!this.element.done) return;
      this.end(this.element.current);
    } else this.end('value' in token ? token.value : null);
  }

  private end(value: unknown): void {
    this.isAssembling = false;
    this.count++;
    if (this.count === 1 && this.list.hasNameRow) return;
    const raw = this.rawRowOf(value);
    if (typeof raw === 'string') this.entries.push(unreadEntry(this.count, raw, value));
    else if (this.keep(raw)) this.entries.push(entryOf(this.count, raw, this.reading));
  }

  private rawRowOf(value: unknown): RawRow | string {
    const { names } = this.reading;
    if (this.pageGuild === '') return 'its page does not say its guild, and other pages do';
    const guildOf = (outerId: string | undefined) => {
      const guildId = outerId ?? this.pageGuild;
      return guildId !== undefined && names.guildId === undefined ? { guildId } : {};
    };
    if (this.isTuple) {
      if (!Array.isArray(value)) return 'it is not an array';
      return { ...rawOf(columnsOf(value, this.list.columns), names), ...guildOf(undefined) };
    }
    const { ids } = this.tracker;
    if (!this.list.path.endsWith('#'))
      return isObject(value) ? { ...rawOf(value, names), ...guildOf(ids.at(-1)) } : 'it is not an object';
    const id = this.isStranger ? this.tracker.key : ids.at(-1);
    const key = { ...(names.userId === undefined && { userId: id }), ...guildOf(ids.at(-2)) };
    return { ...(isObject(value) ? rawOf(value, names) : { xp: value }), ...key };
  }
}

/** Returns the values of an array as fields with their names, or with their numbers from 1. */
function columnsOf(values: readonly unknown[], names: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(values.map((value, index) => [names[index] ?? String(index + 1), value]));
}
