import { areColumnNames } from './fields.ts';
import { FoundField } from './found-field.ts';

/** Different fields that are told apart. Each file that a person exports has fewer. */
const MAX_FIELDS = 200;

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
  /** Whether the first array has these names, and is no member. */
  hasNameRow = false;
  /** The guild of the object that the list is in, by the key of that one, and how many members it has. */
  readonly outerKeys = new FoundField('guild_id');

  /**
   * @param place where the list is, as {@link placeIn} has it.
   * @param guildField the field that a person names as that of the guild.
   * @param otherGuildFields fields that can name a guild, whatever they are called.
   */
  constructor(
    readonly place: string,
    private readonly guildField?: string,
    readonly otherGuildFields: readonly string[] = [],
  ) {}

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

  /** Takes the values of the first array as the names of those of the others, if they are names. */
  takeNameRow(): void {
    if (this.count !== 1 || this.columns) return;
    const names = [...this.fields.values()].map(({ example }) => example);
    if (!areColumnNames(names) || new Set(names).size < names.length) return;
    this.columns = names;
    this.hasNameRow = true;
    this.count = 0;
    this.fields.clear();
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
