import { guessField } from './fields.ts';

/** Two ids of Discord in one text, as bots with a key-value database write their keys: `xp_GUILD_USER`, `user_USER_GUILD`, `GUILD-USER`. */
const PAIR = /^((?:[A-Za-z]+(?=[_:.-]))?)([_:.-]?)(\d{15,20})([_:.-])(\d{15,20})$/;
/** Most beginnings of keys that are recorded. Real exports have fewer. */
const MAX_PREFIXES = 50;

/** The parts of a text with two ids. */
interface Pair {
  readonly prefix: string;
  readonly separator: string;
  readonly first: string;
  readonly second: string;
}

/** How to find the XP of one guild among keys of two ids. */
export interface PairedKeys {
  /** The beginning and the end of all keys of XP. */
  readonly begin: string;
  readonly end: string;
  readonly separator: string;
  /** Number of the part with the id of the member, from 0, if the separator splits the key into parts. */
  readonly memberPart: number;
}

/** Gathers texts with two ids, to find which of the two is the guild: the id that is the same in all texts. O(1) memory. */
export class PairedIds {
  private pair: Pair | undefined;
  private isFirstSame = true;
  private isSecondSame = true;
  private readonly prefixes = new Set<string>();

  /** Takes a text. A text without two ids changes nothing. O(length). */
  add(text: string): void {
    const match = text.length > 30 ? PAIR.exec(text) : null;
    const [, word = '', wordEnd = '', first = '', separator = '', second = ''] = match ?? [];
    if (!match || wordEnd !== (word && separator)) return;
    const prefix = `${word}${wordEnd}`;
    this.pair ??= { prefix, separator, first, second };
    if (first !== this.pair.first) this.isFirstSame = false;
    if (second !== this.pair.second) this.isSecondSame = false;
    if (this.prefixes.size < MAX_PREFIXES) this.prefixes.add(prefix);
  }

  /** The keys of XP; undefined if nothing shows which id is the guild, or which keys have the XP. */
  get keys(): PairedKeys | undefined {
    const { pair } = this;
    if (!pair || this.isFirstSame === this.isSecondSame) return undefined;
    const all = [...this.prefixes];
    const prefix = all.length === 1 ? all[0] : all.find((each) => guessField(each.slice(0, -1)) === 'xp');
    if (prefix === undefined) return undefined;
    const { separator, first, second } = pair;
    const before = prefix === '' ? 0 : 1;
    return this.isFirstSame
      ? { begin: `${prefix}${first}${separator}`, end: '', separator, memberPart: before + 1 }
      : { begin: prefix, end: `${separator}${second}`, separator, memberPart: before };
  }
}
