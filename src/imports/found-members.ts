import { likeness } from './fields.ts';
import { IdEvidence, isDecimalId } from './id-evidence.ts';
import { NumberEvidence } from './numbers.ts';
import { RankSpans } from './rank-spans.ts';
import { unwrappedId } from './row-values.ts';
import { DateEvidence } from './times.ts';

/** What a file was found to have: its lists of objects, with the fields of each. */

/** Different fields, lists and guilds that are told apart. Each file that a person exports has fewer. */
const MAX_FIELDS = 200;
const MAX_LISTS = 200;
const MAX_GUILDS = 1000;
/** Characters of an example. */
const EXAMPLE = 40;

const SNOWFLAKE = /^\d{15,20}$/;

/** Whether a text can be an id of Discord. */
export function isSnowflake(text: string): boolean {
  return SNOWFLAKE.test(text);
}

/** The values of one field in one list. */
export class FoundField {
  count = 0;
  /** The first value that is not empty. */
  example = '';
  /** Values that are not empty. */
  filled = 0;
  /** Values that are numbers, also as text. */
  numeric = 0;
  /** Values that can be ids of Discord. */
  snowflakes = 0;
  /** Digits of the longest number. */
  digits = 0;
  /** Values that are the number of their row, from 1. */
  private rowNumbers = 0;
  readonly ids = new IdEvidence();
  readonly numbers = new NumberEvidence();
  readonly dates = new DateEvidence();
  /** How many rows have each value, for a field that names a guild. */
  readonly guilds: Map<string, number> | undefined;

  /** The ranks of the rows, for a field that is called so. */
  readonly ranks: RankSpans | undefined;

  /** Whether it numbers the rows, as ranks do. */
  get numbersRows(): boolean {
    return this.count > 1 && this.rowNumbers === this.count;
  }

  /** @param isGuild whether it names a guild, whatever it is called. */
  constructor(name: string, isGuild = likeness(name) === 'guildId') {
    if (isGuild) this.guilds = new Map();
    if (name === 'rank') this.ranks = new RankSpans();
  }

  /** Takes a value as the file has it. O(1). */
  add(text: string, isNumber: boolean): void {
    this.count++;
    if (text === '') return;
    this.filled++;
    if (this.example === '') this.example = text.slice(0, EXAMPLE);
    if (/^\d+$/.test(text)) {
      this.numeric++;
      this.digits = Math.max(this.digits, text.length);
      if (text === String(this.count)) this.rowNumbers++;
      if (isSnowflake(text)) this.snowflakes++;
      if (text.length > 15) this.ids.add(text, isNumber);
      this.numbers.add(text, isNumber);
    } else if (/^[-\d]/.test(text)) {
      if (this.numbers.add(text, isNumber)) this.numeric++;
      this.digits = Math.max(this.digits, text.replace(/\D/g, '').length);
      this.dates.add(text);
      if (isDecimalId(text)) this.ids.addDecimal(text);
      else if (text.length > 15 && isSnowflake(unwrappedId(text) ?? '')) this.snowflakes++;
    } else if (isSnowflake(unwrappedId(text) ?? '')) this.snowflakes++;
    this.ranks?.add(text);
    if (this.guilds && (this.guilds.has(text) || this.guilds.size < MAX_GUILDS))
      this.guilds.set(text, (this.guilds.get(text) ?? 0) + 1);
  }
}

/** The objects of one place of a file, or the values of one of its objects. */
export class FoundList {
  /** Objects, or values. */
  count = 0;
  /** Values that are no objects, such as the XP in `{"1": 5}`. */
  readonly values = new FoundField('');
  /** The fields by name. Those of inner objects have names such as `user.username`. */
  readonly fields = new Map<string, FoundField>();
  /** The names of the objects, in a list that is an object. */
  readonly keys = new FoundField('');
  /** Whether it has more fields than are told apart. */
  isCutOff = false;
  /** Names among them that are the number of the object, from 0. */
  rowNumbers = 0;
  /** The names of the values of each array, in a list of arrays whose document has them. */
  columns: readonly string[] | undefined;
  /** The guild of the object that the list is in, by the key of that one, and how many members it has. */
  readonly outerKeys = new FoundField('guild_id');

  /**
   * @param place where the list is, as {@link placeIn} has it.
   * @param guildField the field that a person names as that of the guild.
   */
  constructor(
    readonly place: string,
    private readonly guildField?: string,
  ) {}

  field(name: string): FoundField | undefined {
    const found = this.fields.get(name);
    if (found) return found;
    this.isCutOff = this.fields.size >= MAX_FIELDS;
    if (this.isCutOff) return undefined;
    const created = new FoundField(name, name.toLowerCase() === this.guildField?.toLowerCase() || undefined);
    this.fields.set(name, created);
    return created;
  }

  /** Whether the names of its objects are their numbers, and no ids. */
  get isNumbered(): boolean {
    return this.rowNumbers > 0 && this.rowNumbers === this.count + this.values.count;
  }

  /** Whether all fields are among these. */
  hasOnly(names: readonly string[]): boolean {
    return [...this.fields.keys()].every((name) => names.includes(name));
  }

  has(...names: readonly string[]): boolean {
    return names.every((name) => this.fields.has(name));
  }
}

/** Returns where a list is, for a person. */
export function whereIs({ place }: FoundList): string {
  return place.replace(/\.?(?:[*#]|\[\])+$/, '').replaceAll('#', '(id)') || 'the document itself';
}

/** All that one file was found to have. */
export class FoundMembers {
  private readonly byPlace = new Map<string, FoundList>();
  /** The settings beside the members, by the names in the file. Those of a guild in a file of several: by `guild.name`. */
  readonly settings = new Map<string, unknown>();
  /** Places of arrays and of other objects, also of empty ones. */
  private readonly containers = new Map<string, { readonly kind: 'array' | 'object'; isFilled: boolean }>();
  /** Whether it has more lists than are told apart. */
  isCutOff = false;
  /** What documents say of themselves, outside their lists. */
  readonly document: FoundList;
  /** The numbers that pages say of themselves, and the members of each. */
  readonly pages: { readonly page: number; readonly members: number }[] = [];

  /** @param guildField the field that a person names as that of the guild. */
  constructor(private readonly guildField?: string) {
    this.document = new FoundList('', guildField);
  }

  list(place: string): FoundList | undefined {
    const found = this.byPlace.get(place);
    if (found) return found;
    this.isCutOff = this.byPlace.size >= MAX_LISTS;
    if (this.isCutOff) return undefined;
    const created = new FoundList(place, this.guildField);
    this.byPlace.set(place, created);
    return created;
  }

  /** Takes an array or object that has ended, by its place. @param isFilled whether it has values. */
  container(place: string, kind: 'array' | 'object', isFilled: boolean): void {
    const before = this.containers.get(place);
    if (before) before.isFilled ||= isFilled;
    else if (this.containers.size < MAX_LISTS) this.containers.set(place, { kind, isFilled });
  }

  /** Whether there are arrays or objects at a place, with nothing in any of them. */
  isEmptyAt(place: string, kind: 'array' | 'object'): boolean {
    const container = this.containers.get(place);
    return container?.kind === kind && !container.isFilled;
  }

  /** Whether there is an array at a place that has values, and no objects. */
  hasValuesAt(place: string): boolean {
    const container = this.containers.get(place);
    return container?.kind === 'array' && container.isFilled && !this.byPlace.has(`${place}.*`);
  }

  at(place: string): FoundList | undefined {
    return this.byPlace.get(place);
  }

  get lists(): readonly FoundList[] {
    return [...this.byPlace.values()];
  }
}
