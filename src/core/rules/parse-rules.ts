import { InvalidInputError, shownJson, shownText } from '../errors.ts';
import { FACTOR_RULE, isFactor, MAX_COOLDOWN_MS, MAX_GAIN, type XpAmount } from '../members/gain-limits.ts';
import { ID_PATTERN } from '../ranking/model.ts';
import type { Rules, Stacking, VoiceState } from './parsed-rules.ts';

/** The parser of rules. rules.schema.json says the same for editors. Browsers load it, so it checks by hand. */

const STACKINGS: readonly Stacking[] = ['max', 'sum', 'product'];
/** The states of voice, in the order of the reasons that they are. */
export const VOICE_STATES = ['alone', 'deafened', 'muted', 'afk'] as const;
const MAX_CHARS = 10_000;
const MAX_LEVEL = 1e6;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Checks a document of rules, an object or its JSON, and fills in what it leaves out: 15 to 25 XP for a message, 60 s between two of them, no
 * XP for voice, no multipliers and no rewards. O(n).
 * @throws InvalidInputError which names the first wrong field.
 */
export function parseRules(document: unknown): Rules {
  const root = fieldsOf(parsed(document), '', ['$schema', 'message', 'voice', 'no_xp', 'multipliers', 'rewards']);
  if (root.$schema !== undefined && typeof root.$schema !== 'string') refuse('$schema', 'a text', root.$schema);
  const message = fieldsOf(root.message, 'message', ['xp', 'cooldown_ms', 'min_chars']);
  const voice = fieldsOf(root.voice, 'voice', ['xp', 'counts']);
  const counts = fieldsOf(voice.counts, 'voice.counts', VOICE_STATES);
  const noXp = fieldsOf(root.no_xp, 'no_xp', ['roles', 'channels']);
  const names = ['roles', 'channels', 'role_stacking', 'stacking'];
  const multipliers = fieldsOf(root.multipliers, 'multipliers', names);
  return {
    message: {
      xp: amount(message.xp, 'message.xp', { min: 15, max: 25 }),
      cooldownMs: whole(message.cooldown_ms, 'message.cooldown_ms', MAX_COOLDOWN_MS, 60_000),
      minChars: whole(message.min_chars, 'message.min_chars', MAX_CHARS, 0),
    },
    voice: {
      xp: amount(voice.xp, 'voice.xp', 0),
      counts: Object.fromEntries(
        VOICE_STATES.map((name) => [name, flag(counts[name], `voice.counts.${name}`, false)]),
      ) as unknown as VoiceState,
    },
    noXp: {
      roles: list(noXp.roles, 'no_xp.roles', id),
      channels: list(noXp.channels, 'no_xp.channels', id),
    },
    multipliers: {
      roles: factors(multipliers.roles, 'multipliers.roles'),
      channels: factors(multipliers.channels, 'multipliers.channels'),
      roleStacking: stacking(multipliers.role_stacking, 'multipliers.role_stacking', 'max'),
      stacking: stacking(multipliers.stacking, 'multipliers.stacking', 'product'),
    },
    rewards: list(root.rewards, 'rewards', (value, path) => {
      const { level, role, kept } = fieldsOf(value, path, ['level', 'role', 'kept']);
      return {
        level: whole(level, `${path}.level`, MAX_LEVEL),
        role: id(role, `${path}.role`),
        kept: flag(kept, `${path}.kept`, true),
      };
    }),
  };
}

function parsed(document: unknown): unknown {
  if (typeof document !== 'string') return document ?? null;
  try {
    return JSON.parse(document);
  } catch (error) {
    throw new InvalidInputError(`The rules are no valid JSON: ${(error as Error).message}`);
  }
}

/** @throws InvalidInputError which says what the value at a path must be. */
export function refuse(path: string, wanted: string, value: unknown): never {
  const shown = value === undefined ? 'missing' : shownJson(value);
  throw new InvalidInputError(`${path || 'The rules'} must be ${wanted}, not ${shown.slice(0, 80)}`);
}

/** Returns an object whose fields all have a known name; an empty object for a missing value. */
function fieldsOf(value: unknown, path: string, names: readonly string[]): Fields {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(path, 'an object', value);
  for (const name of Object.keys(value)) {
    if (names.includes(name)) continue;
    const field = path ? `${path}.${name}` : name;
    throw new InvalidInputError(`${field} is no field of the rules: use ${names.join(', ')}`);
  }
  return value as Fields;
}

function whole(value: unknown, path: string, max: number, unset?: number): number {
  const number = value === undefined ? unset : value;
  if (Number.isInteger(number) && (number as number) >= 0 && (number as number) <= max) return number as number;
  return refuse(path, `a whole number from 0 to ${max}`, number);
}

function amount(value: unknown, path: string, unset: XpAmount): XpAmount {
  if (value === undefined) return unset;
  if (typeof value !== 'object') return whole(value, path, MAX_GAIN);
  const range = fieldsOf(value, path, ['min', 'max']);
  const max = whole(range.max, `${path}.max`, MAX_GAIN);
  return { min: whole(range.min, `${path}.min`, max), max };
}

function flag(value: unknown, path: string, unset: boolean): boolean {
  if (value === undefined) return unset;
  return typeof value === 'boolean' ? value : refuse(path, 'true or false', value);
}

function stacking(value: unknown, path: string, unset: Stacking): Stacking {
  if (value === undefined) return unset;
  return STACKINGS.find((name) => name === value) ?? refuse(path, 'max, sum or product', value);
}

function id(value: unknown, path: string): string {
  return typeof value === 'string' && ID_PATTERN.test(value)
    ? value
    : refuse(path, 'an id: a text of 1 to 64 of A-Z a-z 0-9 _ - .', value);
}

function list<T>(value: unknown, path: string, entry: (value: unknown, path: string) => T): T[] {
  if (value === undefined) return [];
  assertList(value, path);
  return value.map((each, i) => entry(each, `${path}[${i}]`));
}

/** Checks that a value is a list. Any other value may be an object of a bot's library, which is no JSON. @throws InvalidInputError */
export function assertList(value: unknown, path: string): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) refuse(path, 'a list', shownText(value));
}

function factors(value: unknown, path: string): Map<string, number> {
  const given = fieldsOf(value, path, Object.keys(Object(value)));
  return new Map(
    Object.entries(given).map(([key, factor]) => {
      id(key, `A key of ${path}`);
      return isFactor(factor) ? [key, factor] : refuse(`${path}.${key}`, FACTOR_RULE, factor);
    }),
  );
}
