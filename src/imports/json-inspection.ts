import type { Token } from 'stream-json/parser.js';
import { isObject, unwrappedName } from './fields.ts';
import { guildText } from './found-field.ts';
import type { FoundList } from './found-list.ts';
import { FoundMembers } from './found-members.ts';
import { PathTracker } from './json-path.ts';
import { type Setting, SettingReader } from './json-settings.ts';
import { isEnd, isStart, parseJson, type TokenTaker } from './json-tokens.ts';

/** The path of the rows in a document that has the names of their values beside them, as pandas writes it with orient="split". */
const SPLIT_ROWS = 'data.*[]';
/** Most parts of the name of a field, such as 2 in `user.id`. Deeper fields count as the field with the first parts of their names. */
const MAX_FIELD_DEPTH = 4;

/**
 * Reads a JSON text once, from its beginning to its end, and tells what is in it. Members may stand anywhere, and settings before or after
 * them. O(n) of time; the memory does not grow with the members.
 * @param guildField the field that has the guild, if a person names it.
 * @throws InvalidInputError as {@link parseJson}.
 */
export async function inspectJson(
  chunks: AsyncIterable<string>,
  file: string,
  guildField?: string,
): Promise<FoundMembers> {
  const inspector = new Inspector(file, guildField);
  for await (const _ of parseJson(chunks, file, inspector, () => undefined));
  return inspector.found;
}

const newPage = () => ({ members: 0, guilds: new Map<string, string>() });

/** An object or array around the current value. */
interface Level {
  /** The list to which this object belongs, as a member or as a document; undefined for other objects, and for arrays. */
  readonly list: FoundList | undefined;
  readonly isArray: boolean;
  /** The beginning of the names of its fields: in an array that is a member, the number of the object in the array. */
  readonly prefix: string;
  /** Values in it so far. */
  items: number;
  /** Whether this array is itself a member: it is in a list of arrays, and its first value is no object, such as in the pairs of a Map. */
  isMember: boolean;
}

/** Follows the tokens of JSON texts, and records the lists, settings and pages in them. */
class Inspector implements TokenTaker {
  readonly found: FoundMembers;
  count = 0;
  private readonly tracker = new PathTracker();
  private readonly levels: Level[] = [];
  private readonly settings: SettingReader;
  /** The number and the guild that the current page names, before or after its members, and how many members it has so far. */
  private page: { number?: number; members: number; readonly guilds: Map<string, string> } = newPage();

  constructor(file: string, guildField: string | undefined) {
    this.found = new FoundMembers(guildField);
    this.settings = new SettingReader(file);
  }

  get isAssembling(): boolean {
    return false;
  }

  get depth(): number {
    return this.tracker.depth + this.settings.depth;
  }

  take(token: Token): void {
    if (this.settings.isReading) {
      const setting = this.settings.take(token);
      if (setting) this.keep(setting);
    } else this.follow(token);
  }

  private follow(token: Token): void {
    const { tracker } = this;
    const level = this.levels.at(-1);
    if (token.name === 'keyValue') {
      tracker.follow(token);
      if (this.settings.begin(tracker) && level) level.items++;
    } else if (isStart(token)) {
      if (level) level.items++;
      const isArray = token.name === 'startArray';
      if (isArray) this.takeField(tracker.path, '', false);
      const common = { isArray, items: 0, isMember: false };
      if (isArray) this.levels.push({ ...common, list: undefined, prefix: '' });
      else if (level?.isMember)
        this.levels.push({ ...common, list: this.found.list(`${tracker.outer}[]`), prefix: `${level.items}.` });
      else this.levels.push({ ...common, list: this.begin(), prefix: '' });
      tracker.follow(token);
    } else if (isEnd(token)) {
      this.levels.pop();
      tracker.follow(token);
      this.found.container(tracker.path, level?.isArray ? 'array' : 'object', (level?.items ?? 0) > 0);
      if (level?.isArray) this.found.at(`${tracker.path}[]`)?.takeNameRow();
      else if (tracker.path === '' || tracker.path === '*') this.endPage();
    } else if ('value' in token) {
      if (level) level.items++;
      this.takeValue(token);
    }
  }

  private keep({ name, value }: Setting): void {
    if (name === 'page') this.page.number = Number(value);
    else this.found.settings.set(name, value);
    // In an array of members, a value with the name of a setting is a field of a member.
    this.takeFields(this.tracker.path, value);
  }

  /** Records a value as a field of the object around it, or each value of an object as such a field. */
  private takeFields(path: string, value: unknown): void {
    if (!isObject(value)) {
      const isScalar = value !== null && typeof value !== 'object';
      this.takeField(path, isScalar ? String(value) : '', typeof value === 'number');
    } else for (const [name, each] of Object.entries(value)) this.takeFields(`${path}.${name}`, each);
  }

  /** Begins an object. @returns its list, if it can be a member. */
  private begin(): FoundList | undefined {
    const { path, key, ids } = this.tracker;
    if (path !== '' && !path.endsWith('*') && !path.endsWith('#')) return undefined;
    const list = this.found.list(path);
    if (!list) return undefined;
    list.count++;
    this.count++;
    if (path.endsWith('#')) this.addKey(list, key);
    const guild = path.endsWith('#') ? ids.at(-2) : ids.at(-1);
    if (guild !== undefined) list.outerKeys.add(guild, false);
    if (path.endsWith('.*')) this.page.members++;
    return list;
  }

  /** Records the number of the page that has ended, and begins the next page. A page is a document, or an object in an array of pages. */
  private endPage(): void {
    const { number, members, guilds } = this.page;
    const kept = this.found.pageGuilds.add(guilds);
    if (number !== undefined) this.found.pages.push({ page: number, members, guilds: kept });
    this.page = newPage();
  }

  private addKey(list: FoundList, key: string): void {
    list.keys.add(key, false);
    if (key === String((this.levels.at(-1)?.items ?? 0) - 1)) list.rowNumbers++;
  }

  private takeValue(token: Token & { readonly value: unknown }): void {
    const { path, outer = '', key } = this.tracker;
    const isNumber = token.name === 'numberValue';
    const text = token.value === null ? '' : String(token.value);
    const level = this.levels.at(-1);
    if (level?.isArray) {
      if (level.items === 1) level.isMember = outer.endsWith('*');
      if (outer === '' || outer.endsWith('*')) this.takeColumn(`${outer}[]`, level.items, text, isNumber);
    } else if (path.endsWith('#')) {
      const list = this.found.list(path);
      const guild = this.tracker.ids.at(-2);
      if (list) this.addKey(list, key);
      list?.values.add(text, isNumber);
      if (guild !== undefined) list?.outerKeys.add(guild, false);
    } else this.takeField(path, text, isNumber);
  }

  /** Records a value of an array that can be a member. @param column number of the value in the array, from 1. */
  private takeColumn(path: string, column: number, text: string, isNumber: boolean): void {
    const list = this.found.list(path);
    if (!list) return;
    if (column === 1) {
      list.count++;
      this.count++;
      if (path === SPLIT_ROWS) list.columns ??= this.columnNames();
    }
    list.field(list.columns?.[column - 1] ?? String(column))?.add(text, isNumber);
  }

  /** Returns the names that a document has for the values of its arrays. */
  private columnNames(): readonly string[] | undefined {
    const names = this.found.settings.get('columns');
    const isText = Array.isArray(names) && names.every((name) => typeof name === 'string');
    return isText && new Set(names).size === names.length ? names : undefined;
  }

  /** Records a field of the innermost object around it that can be a member. A field outside all members is a field of the document too. */
  private takeField(path: string, text: string, isNumber: boolean): void {
    if (path.endsWith('*')) return;
    const { list, prefix = '' } = this.levels.findLast((each) => each.list !== undefined) ?? {};
    if (!list) return;
    const around = list.path.replace(/\[\]$/, '');
    const base = around === '*' || around === '' ? 0 : around.length + 1;
    const names = unwrappedName(path.slice(base)).split('.');
    const name = prefix + names.slice(0, MAX_FIELD_DEPTH).join('.');
    list.field(name)?.add(text, isNumber);
    if (base > 0 || prefix !== '') return;
    const field = this.found.document.field(name);
    field?.add(text, isNumber);
    if (field?.guilds) this.page.guilds.set(name, guildText(text));
  }
}
