import { InvalidInputError } from '../errors.ts';
import { oversizedKeyFields } from '../text-bounds.ts';
import { splitOrigins } from './origins.ts';

/** The stored data of a key, without the key itself. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly guildId: string;
  readonly name: string;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  /** ISO 8601 in UTC, or null for a key that does not expire. */
  readonly expiresAt: string | null;
  /** Lifetime in milliseconds that the key was made with, or null for a key that does not expire. A rotation changes the end, not the lifetime. */
  readonly lifetimeMs: number | null;
  /** Web origins whose pages may use the key, such as https://example.com; an empty list = no limit. */
  readonly origins: readonly string[];
  /** Requests an hour that the key allows, beside the quota of its guild; null = no cap. NaN for a stored cap that is not a number. */
  readonly cap: number | null;
  /** First characters of the key, to recognise it by; "" for a key that was made before they were stored. */
  readonly prefix: string;
  /** Whether somebody else stored a field above its bound. The field is cut here, and the key does not work. */
  readonly isOversized?: true;
}

/** What a person can do about a key with a field above its bound. */
export const OVERSIZED = 'because its record has a field above its bound: revoke it, and make another';

/** A key in the list of its guild. */
export interface ListedKey extends ApiKeyRecord {
  /** Whether the key has no record, so that it does not work: it is being made, or a process was killed while making or revoking it. */
  readonly isUnfinished?: true;
}

/** Returns when a key expires, in milliseconds since the epoch: infinity for never, NaN for an end that is no date. */
export function expiryOf({ expiresAt }: ApiKeyRecord): number {
  return expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
}

/** Returns whether a key has expired by `now`, in milliseconds since the epoch. An end that is no date counts as past. */
export function isExpired(record: ApiKeyRecord, now: number): boolean {
  return !(now < expiryOf(record));
}

const MAX_CAP = 2 ** 31 - 1;

/** Returns whether a number of requests can be a cap. */
export function isCap(requests: number): boolean {
  return Number.isInteger(requests) && requests >= 1 && requests <= MAX_CAP;
}

/** Parses a cap: requests an hour. @throws InvalidInputError unless it is a whole number from 1 to 2^31-1. */
export function parseCap(text: string): number {
  const cap = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
  if (isCap(cap)) return cap;
  throw new InvalidInputError(`"${text}" is no cap: give a whole number of requests an hour, from 1 to ${MAX_CAP}`);
}

/** Returns a record as the fields of its hash. */
export function toFields(record: ApiKeyRecord): Record<string, string> {
  return {
    id: record.id,
    guild_id: record.guildId,
    name: record.name,
    created_at: record.createdAt,
    ...(record.expiresAt !== null && { expires_at: record.expiresAt }),
    ...(record.lifetimeMs !== null && { lifetime_ms: String(record.lifetimeMs) }),
    ...(record.origins.length > 0 && { origins: record.origins.join(' ') }),
    ...(record.cap !== null && { cap: String(record.cap) }),
    prefix: record.prefix,
  };
}

/** Returns the record in these fields. A missing field has its default, and a field above its bound makes the record unfit. */
export function fromFields(stored: Readonly<Record<string, string>>): ApiKeyRecord {
  const oversized = oversizedKeyFields(stored);
  const fields = { ...stored };
  for (const name of oversized) fields[name] = `${stored[name]?.slice(0, 16)}…`;
  return {
    id: fields.id ?? '',
    guildId: fields.guild_id ?? '',
    name: fields.name ?? '',
    createdAt: fields.created_at ?? '',
    expiresAt: fields.expires_at || null,
    lifetimeMs: fields.lifetime_ms ? Number(fields.lifetime_ms) : null,
    origins: splitOrigins(fields.origins ?? ''),
    cap: fields.cap ? Number(fields.cap) : null,
    prefix: fields.prefix ?? '',
    ...(oversized.length > 0 && { isOversized: true }),
  };
}
