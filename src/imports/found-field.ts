import { DamagedText } from './damaged-text.ts';
import { DatabaseMarks } from './database-text.ts';
import { guessField } from './fields.ts';
import { IdEvidence, isDecimalId } from './id-evidence.ts';
import { NumberEvidence } from './numbers.ts';
import { ownText } from './own-text.ts';
import { PairedIds } from './paired-ids.ts';
import { RankSpans } from './rank-spans.ts';
import { unwrappedId } from './row-values.ts';
import { DateEvidence } from './times.ts';

/** Most guilds that are counted. Real exports have fewer. */
export const MAX_GUILDS = 1000;
/** Characters of a value that names a guild. Ids and names of guilds are shorter. */
const MAX_GUILD_LENGTH = 128;
/** Characters of an example. */
const EXAMPLE = 40;

const SNOWFLAKE = /^\d{15,20}$/;

/** Whether a text can be an id of Discord. */
export function isSnowflake(text: string): boolean {
  return SNOWFLAKE.test(text);
}

/** Returns a value that names a guild as it is recorded. */
export function guildText(text: string): string {
  return text.slice(0, MAX_GUILD_LENGTH);
}

/** Counts a row of a guild. Beyond {@link MAX_GUILDS}, further guilds are not counted. */
function countGuild(guilds: Map<string, number>, guild: string): void {
  const rows = guilds.get(guild);
  if (rows !== undefined) guilds.set(guild, rows + 1);
  else if (guilds.size < MAX_GUILDS) guilds.set(ownText(guild), 1);
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
  readonly pairs = new PairedIds();
  readonly numbers = new NumberEvidence();
  readonly dates = new DateEvidence();
  /** The signs in the values of a column that a database wrote them. */
  readonly marks = new DatabaseMarks();
  readonly damage = new DamagedText();
  /** How many rows have each value, for a field that names a guild. */
  readonly guilds: Map<string, number> | undefined;

  /** The ranks of the rows, if the field is called a rank. */
  readonly ranks: RankSpans | undefined;

  /** Whether it numbers the rows, as ranks do. */
  get numbersRows(): boolean {
    return this.count > 1 && this.rowNumbers === this.count;
  }

  /** Whether most of its values are ids of Discord. */
  get hasIds(): boolean {
    return this.snowflakes > 0 && this.snowflakes * 2 >= this.filled;
  }

  /** @param isGuild whether it names a guild, whatever it is called. */
  constructor(name: string, isGuild = guessField(name) === 'guildId') {
    if (isGuild) this.guilds = new Map();
    if (name === 'rank') this.ranks = new RankSpans();
  }

  /** Takes a value as the example, unless the field has an example already. O(1). */
  show(text: string): void {
    if (this.example === '') this.example = text.slice(0, EXAMPLE);
  }

  /** Takes a value as the file has it. O(1). */
  add(text: string, isNumber: boolean): void {
    this.count++;
    if (text === '') return;
    this.filled++;
    this.show(text);
    this.pairs.add(text);
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
    if (this.guilds) countGuild(this.guilds, guildText(text));
  }
}
