import { areColumnNames } from './fields.ts';
import { FoundField } from './found-field.ts';

/** Most fields that are recorded. Real exports have fewer. */
const MAX_FIELDS = 200;

/** What was found at one path of a file: objects such as members, or plain values such as XP by user id. */
export class FoundList {
  /** Number of objects or arrays. Plain values count in `values`. */
  count = 0;
  /** Values that are no objects, such as the XP in `{"1": 5}`. */
  readonly values = new FoundField('');
  /** The fields by name. A field of an inner object has a name such as `user.username`. */
  readonly fields = new Map<string, FoundField>();
  /** The keys, in a list that is an object: often user ids. */
  readonly keys = new FoundField('');
  /** Whether the list has more fields than are recorded. */
  isCutOff = false;
  /** Number of keys that are the number of their object, from 0. */
  rowNumbers = 0;
  /** In a list of arrays: the names of the values of each array, if the document has such names. */
  columns: readonly string[] | undefined;
  /** Whether the first array of the list has these names, and is not a member. */
  hasNameRow = false;
  /** The guild ids that are keys of the objects around the list, with the number of members of each. */
  readonly outerKeys = new FoundField('guild_id');

  /**
   * @param path where the list is in its document.
   * @param guildField the field that has the guild, if a person names it.
   * @param otherGuildFields fields that can name a guild, whatever they are called.
   */
  constructor(
    readonly path: string,
    private readonly guildField?: string,
    readonly otherGuildFields: readonly string[] = [],
  ) {}

  /** Returns the field with a name, and creates the field when the name is new; undefined when the list has too many fields. */
  field(name: string): FoundField | undefined {
    const found = this.fields.get(name);
    if (found) return found;
    this.isCutOff = this.fields.size >= MAX_FIELDS;
    if (this.isCutOff) return undefined;
    const isGuild = name.toLowerCase() === this.guildField?.toLowerCase() || this.otherGuildFields.includes(name);
    const created = new FoundField(name, isGuild || undefined);
    this.fields.set(name, created);
    return created;
  }

  /** If the values of the first array are names of columns, takes them as the names of the values of all other arrays. */
  takeNameRow(): void {
    if (this.count !== 1 || this.columns) return;
    const names = [...this.fields.values()].map(({ example }) => example);
    if (!areColumnNames(names) || new Set(names).size < names.length) return;
    this.columns = names;
    this.hasNameRow = true;
    this.count = 0;
    this.fields.clear();
  }

  /** Whether the keys of the list only number its objects, and are no ids. */
  get isNumbered(): boolean {
    return this.rowNumbers > 0 && this.rowNumbers === this.count + this.values.count;
  }

  /** Whether all fields are among these. */
  hasOnly(names: readonly string[]): boolean {
    return [...this.fields.keys()].every((name) => names.includes(name));
  }

  /** Whether the list has all fields with these names. */
  has(...names: readonly string[]): boolean {
    return names.every((name) => this.fields.has(name));
  }
}

/** Returns the path of a list in words for a person. */
export function whereIs({ path }: FoundList): string {
  return path.replace(/\.?(?:[*#]|\[\])+$/, '').replaceAll('#', '(id)') || 'the document itself';
}
