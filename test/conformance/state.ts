/** The content of one Redis key. Scores are numbers; `ms` is a time to live, of which up to a half may have passed. */
export type Value =
  | { readonly hash: Readonly<Record<string, string>> }
  | { readonly zset: Readonly<Record<string, number>> }
  | { readonly string: string; readonly ms?: number };

/** Keys with their content. A key that begins with ":" belongs to the guild of the cases: `gr:{g}` stands before it. */
export type State = Readonly<Record<string, Value>>;

/** Stands for the name that a Redis server has from its start to its end, `run_id` in INFO. */
export const RUN_ID = '$run_id';

/** A reply (null is a missing value in a list), an error of Redis by its code, or the most that a number above 0 may be. */
export type Reply =
  | string
  | number
  | null
  | readonly Reply[]
  | { readonly error: string }
  | { readonly at_most: number };

/** One call: what it replies, and the keys that it changes (null = the key is gone). */
export interface Case {
  readonly name: string;
  /** Index of the state before. */
  readonly state: number;
  /** Redis's clock, in microseconds since 1970. */
  readonly now: number;
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly reply: Reply;
  readonly changed: Readonly<Record<string, Value | null>>;
}

export interface Suite {
  readonly script: string;
  readonly states: readonly State[];
  readonly cases: readonly Case[];
}

/** Ends a call: the reply of a refusal or an error. Nothing is changed. */
export class Refused extends Error {
  constructor(readonly reply: Reply) {
    super(JSON.stringify(reply));
  }
}

/** A state that a call works on. @throws Refused WRONGTYPE, as Redis does, for a key of another type. */
export class Keys {
  private readonly content: Map<string, Value>;

  constructor(private readonly before: State) {
    this.content = new Map(Object.entries(before));
  }

  hash(key: string): Record<string, string> {
    const value = this.content.get(key);
    if (!value) return {};
    if (!('hash' in value)) throw new Refused({ error: 'WRONGTYPE' });
    return { ...value.hash };
  }

  zset(key: string): Map<string, number> {
    const value = this.content.get(key);
    if (!value) return new Map();
    if (!('zset' in value)) throw new Refused({ error: 'WRONGTYPE' });
    return new Map(Object.entries(value.zset));
  }

  string(key: string): { string: string; ms?: number } | undefined {
    const value = this.content.get(key);
    if (value && !('string' in value)) throw new Refused({ error: 'WRONGTYPE' });
    return value;
  }

  setString(key: string, string: string, ms: number): void {
    this.content.set(key, { string, ms });
  }

  setHash(key: string, hash: Record<string, string>): void {
    if (Object.keys(hash).length === 0) this.content.delete(key);
    else this.content.set(key, { hash });
  }

  setZset(key: string, zset: ReadonlyMap<string, number>): void {
    if (zset.size === 0) this.content.delete(key);
    else this.content.set(key, { zset: Object.fromEntries(zset) });
  }

  delete(key: string): void {
    this.content.delete(key);
  }

  /** Returns the keys whose content is another one now. */
  changes(): Record<string, Value | null> {
    const changed: Record<string, Value | null> = {};
    for (const key of new Set([...Object.keys(this.before), ...this.content.keys()])) {
      const now = this.content.get(key) ?? null;
      if (sorted(now) !== sorted(this.before[key] ?? null)) changed[key] = now;
    }
    return changed;
  }
}

/** Returns a value as a text that does not depend on the order of its fields. */
export function sorted(value: Value | null): string {
  return JSON.stringify(value, (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
