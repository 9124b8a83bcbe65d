import * as z from 'zod';
import { ID_PATTERN } from '../ranking/model.ts';
import { isPictureHash } from '../ranking/picture-hash.ts';
import { splitProfile } from '../ranking/profile.ts';
import { BOUNDS, GUILD_FIELDS, isAbove, MAX_USERNAME_BYTES, oversizedKeyFields } from '../text-bounds.ts';

/**
 * The stream in which a guild moves from one Redis to another: `guild export` writes the lines, each a JSON value, and `guild import` reads them.
 * Ids, names and values are texts of bytes (latin1), so that they arrive as they were.
 */
export type GuildMove = AsyncIterable<string>;

/** The value of `format` in the first line of a move. */
export const FORMAT = 'guildrank-guild-1';

/** Members of one line, and of one step in Redis. Redis serves nobody else during a step, which takes a few milliseconds. */
export const MEMBERS_PER_LINE = 125;

/** Fields and values in turn. */
const fields = z
  .array(z.string())
  .refine(({ length }) => length % 2 === 0, 'a field without a value')
  .readonly();
/** Fields and values of a hash in turn: field, value, ... */
export type Fields = z.output<typeof fields>;

const count = z.int().min(0);
const milliseconds = z.number().min(0);
const GAINS = /^([^,]+(,[^,]+){3})?$/;

/** Returns whether a profile, as a text of bytes, and the name in it are within their bounds. */
export function isFitProfile(profile: string): boolean {
  return profile.length <= BOUNDS.profile.bytes && splitProfile(profile).username.length <= MAX_USERNAME_BYTES;
}

/** Returns the first field of a hash of a guild whose value, a text of bytes, is above its bound. */
export function oversizedField(hash: keyof typeof GUILD_FIELDS, values: Fields): string | undefined {
  const bounds: Readonly<Record<string, { readonly bytes: number }>> = GUILD_FIELDS[hash];
  const at = values.findIndex(
    (name, i) => i % 2 === 0 && (values[i + 1] ?? '').length > (bounds[name]?.bytes ?? Number.POSITIVE_INFINITY),
  );
  return values[at];
}

const fieldsOf = (hash: keyof typeof GUILD_FIELDS) =>
  fields.refine((values) => oversizedField(hash, values) === undefined, 'a field above its bound');

const member = z.union([
  z
    .tuple([
      z.string().refine((userId) => !isAbove(userId, BOUNDS.userId.bytes), 'a user id above its bound'),
      z.string().regex(/^(ranked|hidden( left)?( self)?( moderator)?)$/),
      z.string(),
      milliseconds,
      z.string().refine(isFitProfile, 'a profile above its bound'),
      z.string().regex(GAINS),
      z.string().refine((avatar) => avatar === '' || isPictureHash(avatar), 'an avatar that is no hash'),
    ])
    .readonly(),
  z.tuple([z.string(), z.literal('gone')]).readonly(),
]);
/**
 * User id, "ranked" or "hidden REASONS", XP, end of the cooldown in ms since 1970, profile, XP on each of the four boards, avatar. A later line about
 * the same member replaces an earlier line.
 */
export type MovedMember = z.output<typeof member>;

/** An API key of a guild. */
export const movedKeySchema = z.object({
  id: z.string().regex(/^[0-9A-Za-z]{1,32}$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  record: fields.refine((record) => {
    const pairs = record.flatMap((field, i) => (i % 2 === 0 ? [[field, record[i + 1] ?? '']] : []));
    return oversizedKeyFields(Object.fromEntries(pairs)).length === 0;
  }, 'a field of an API key above its bound'),
});

const lastLine = z.object({
  ranked: count,
  hidden: count,
  rev: z.string(),
  stats: fields,
  config: fieldsOf('config'),
  season: fields,
  about: fieldsOf('about'),
  keys: z
    .array(movedKeySchema)
    .refine(
      (keys) => new Set(keys.flatMap(({ id, sha256 }) => [id, sha256])).size === 2 * keys.length,
      'an API key twice',
    ),
  /** When each API key was used last, and requests by hour and API key. */
  used: fields,
  usage: fields,
  quota: z.object({ used: z.string().regex(/^\d+$/), untilMs: milliseconds }),
});
/** The last line of the stream: all that is stored of the guild except its members. */
export type LastLine = z.output<typeof lastLine>;

/** A parsed line of the stream. */
export const lineSchema = z.union([
  z.object({ members: z.array(member).readonly() }),
  z.object({ end: lastLine }),
  z.object({ format: z.literal(FORMAT), guild: z.string().regex(ID_PATTERN), model: z.string() }),
]);
/** A parsed line of the stream. */
export type MoveLine = z.output<typeof lineSchema>;
