import Assembler from 'stream-json/assembler.js';
import type { Token } from 'stream-json/parser.js';
import { InvalidInputError } from '../core/errors.ts';
import type { PathTracker } from './json-path.ts';
import { isStart } from './json-tokens.ts';
import { SETTINGS } from './settings-names.ts';

/** Most values of the settings of a file, because they are kept in memory. After so many, a value with the name of a setting is a field. */
const MAX_TOKENS = 100_000;

/** A setting outside the members of a file. */
export interface Setting {
  /** Its name in the file. In a file with several guilds, the name is `guild.name`. */
  readonly name: string;
  readonly value: unknown;
}

/** Assembles the settings of JSON texts, one after the other, in bounded memory. */
export class SettingReader {
  private present: { readonly name: string; readonly value: Assembler<unknown>; tokens: number } | undefined;
  private tokens = 0;

  /** @param file name of the file, for messages. */
  constructor(private readonly file: string) {}

  /** Whether the next tokens belong to a setting. */
  get isReading(): boolean {
    return this.present !== undefined;
  }

  /** The depth of nesting inside the current setting. */
  get depth(): number {
    return this.present?.value.depth ?? 0;
  }

  /** Begins a setting if the next value is a setting. @returns whether the next value is a setting. */
  begin(tracker: PathTracker): boolean {
    const name = this.nameAt(tracker);
    if (name === undefined) return false;
    this.present = { name, value: new Assembler(), tokens: 0 };
    return true;
  }

  private nameAt(tracker: PathTracker): string | undefined {
    if (this.tokens > MAX_TOKENS) return undefined;
    if (tracker.isInDocument) return SETTINGS.ofDocument.has(tracker.key) ? tracker.key : undefined;
    const isOfGuild = SETTINGS.ofGuild.has(tracker.key) && tracker.outer?.endsWith('#');
    return isOfGuild ? `${tracker.ids.at(-1)}.${tracker.key}` : undefined;
  }

  /** Takes a token of the current setting. @returns the setting once it is complete. @throws InvalidInputError above 100,000 values. */
  take(token: Token): Setting | undefined {
    const { present } = this;
    if (!present) return undefined;
    this.tokens++;
    if (++present.tokens > MAX_TOKENS)
      throw new InvalidInputError(
        `${this.file} has more settings than any bot: its members are not where they should be`,
      );
    const { name, value } = present;
    if (value.depth === 0 && !isStart(token)) {
      if (!('value' in token)) return undefined;
      return this.end(name, token.name === 'numberValue' ? Number(token.value) : token.value);
    }
    value.consume(token);
    return value.done ? this.end(name, value.current) : undefined;
  }

  private end(name: string, value: unknown): Setting {
    this.present = undefined;
    return { name, value };
  }
}
