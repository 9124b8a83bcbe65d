import Assembler from 'stream-json/assembler.js';
import type { Token } from 'stream-json/parser.js';
import { InvalidInputError } from '../core/errors.ts';
import { unwrappedName } from './fields.ts';
import { type FoundList, FoundMembers } from './found-members.ts';
import { PlaceTracker } from './json-place.ts';
import { isEnd, isStart, parseJson, type TokenTaker } from './json-tokens.ts';
import { SETTINGS } from './settings-names.ts';

/** Values of settings that a file can have. They are kept in memory. */
const MAX_SETTING_TOKENS = 100_000;
/** An inner object of a member with more names in front is no field of it. */
const MAX_FIELD_DEPTH = 2;

/**
 * Reads a JSON text once, from its beginning to its end, and tells what is in it. Members may stand anywhere, and settings before or
 * behind them. O(n); its memory does not grow with the members.
 * @throws InvalidInputError as {@link parseJson}.
 */
export async function inspectJson(chunks: AsyncIterable<string>, file: string): Promise<FoundMembers> {
  const inspector = new Inspector(file);
  for await (const _ of parseJson(chunks, file, inspector, () => undefined));
  return inspector.found;
}

class Inspector implements TokenTaker {
  readonly found = new FoundMembers();
  count = 0;
  private readonly tracker = new PlaceTracker();
  /** The objects around the present value that can be members; undefined for the others, and arrays. */
  private readonly lists: (FoundList | undefined)[] = [];
  private setting: { readonly name: string; readonly value: Assembler<unknown> } | undefined;
  private settingTokens = 0;

  constructor(private readonly file: string) {}

  get isAssembling(): boolean {
    return false;
  }

  get depth(): number {
    return this.tracker.depth + (this.setting?.value.depth ?? 0);
  }

  take(token: Token): void {
    if (this.setting) this.assemble(token);
    else this.follow(token);
  }

  private follow(token: Token): void {
    const { tracker } = this;
    if (token.name === 'keyValue') {
      tracker.follow(token);
      const name = this.settingName();
      if (name) this.setting = { name, value: new Assembler() };
    } else if (isStart(token)) {
      this.found.container(tracker.place, token.name === 'startArray');
      if (token.name === 'startArray') this.takeField('', false);
      this.lists.push(token.name === 'startObject' ? this.begin() : undefined);
      tracker.follow(token);
    } else if (isEnd(token)) {
      this.lists.pop();
      tracker.follow(token);
    } else if ('value' in token) this.takeValue(token);
  }

  /** Returns the name of a setting that comes next; undefined for anything else. */
  private settingName(): string | undefined {
    const { tracker } = this;
    if (tracker.isInDocument) return SETTINGS.ofDocument.has(tracker.key) ? tracker.key : undefined;
    const isOfGuild = SETTINGS.ofGuild.has(tracker.key) && tracker.outer?.endsWith('#');
    return isOfGuild ? `${tracker.ids.at(-1)}.${tracker.key}` : undefined;
  }

  private assemble(token: Token): void {
    const { name, value } = this.setting as NonNullable<typeof this.setting>;
    if (++this.settingTokens > MAX_SETTING_TOKENS)
      throw new InvalidInputError(
        `${this.file} has more settings than any bot: its members are not where they should be`,
      );
    if (value.depth === 0 && !isStart(token)) {
      if (!('value' in token)) return;
      this.keep(name, token.name === 'numberValue' ? Number(token.value) : token.value);
      // In an array of members, it is a field of theirs.
      this.takeField(token.value === null ? '' : String(token.value), token.name === 'numberValue');
      return;
    }
    value.consume(token);
    if (value.done) this.keep(name, value.current);
  }

  private keep(name: string, value: unknown): void {
    this.setting = undefined;
    if (name === 'page') this.found.pages.push({ page: Number(value), members: 0 });
    else this.found.settings.set(name, value);
  }

  /** Begins an object. @returns its list, if it can be a member. */
  private begin(): FoundList | undefined {
    const { place, key, ids } = this.tracker;
    if (place !== '' && !place.endsWith('*') && !place.endsWith('#')) return undefined;
    const list = this.found.list(place);
    if (!list) return undefined;
    list.count++;
    this.count++;
    if (place.endsWith('#')) {
      list.keys.add(key, false);
      const guild = ids.at(-2);
      if (guild !== undefined) list.outerKeys.add(guild, false);
    }
    const page = this.found.pages.at(-1);
    if (page && place.endsWith('.*')) page.members++;
    return list;
  }

  private takeValue(token: Token & { readonly value: unknown }): void {
    const { place, key } = this.tracker;
    const isNumber = token.name === 'numberValue';
    const text = token.value === null ? '' : String(token.value);
    if (place.endsWith('#')) {
      const list = this.found.list(place);
      list?.keys.add(key, false);
      list?.values.add(text, isNumber);
      return;
    }
    this.takeField(text, isNumber);
  }

  /** Takes a field of the object around it that can be a member. */
  private takeField(text: string, isNumber: boolean): void {
    const { place } = this.tracker;
    if (place.endsWith('*')) return;
    const list = this.lists.findLast((each) => each !== undefined);
    if (!list) return;
    const base = list.place === '*' || list.place === '' ? 0 : list.place.length + 1;
    const name = unwrappedName(place.slice(base));
    if (name.split('.').length > MAX_FIELD_DEPTH) return;
    list.field(name)?.add(text, isNumber);
  }
}
