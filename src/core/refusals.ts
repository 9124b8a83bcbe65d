/** Why the data refuse a call, and the sentences about it. */

/** An entry of the call, from 0. */
interface Entry {
  readonly index: number;
}

interface OfGuild {
  readonly guild: string;
}

interface OfKey extends OfGuild {
  /** Id of the API key. */
  readonly key: string;
}

interface OfMember extends OfGuild {
  readonly user: string;
}

/** Why the data do not allow a call, by code, with what a sentence about it names. */
export interface Refusals {
  // A script refused an entry of the call: its values, or what the guild would become.
  readonly user_id: Entry;
  readonly xp: Entry;
  readonly range: Entry;
  readonly level: Entry;
  readonly field: Entry;
  readonly argument: Entry;
  readonly total: Entry;
  readonly event: Entry;
  readonly staged: Entry;
  readonly lock: Entry;
  // Something is not there.
  readonly guild_unknown: OfGuild;
  readonly guild_empty: OfGuild;
  /** `boards` are the kinds that the guild has. */
  readonly board_unknown: OfGuild & { readonly kind: string; readonly boards: readonly string[] };
  readonly key_unknown: OfKey;
  readonly key_unfinished: OfKey;
  // Other work runs on the guild.
  readonly guild_busy: OfGuild;
  readonly season_unfinished: OfGuild & { readonly archive: string };
  readonly move_unfinished: OfGuild;
  readonly guild_unfinished: OfGuild;
  /** The names of other guilds are being read, or the names of this guild were read a moment ago. */
  readonly search_busy: OfGuild & { readonly seconds: number };
  readonly count_busy: OfGuild;
  readonly count_interrupted: OfGuild;
  readonly count_disturbed: OfGuild;
  readonly key_revoked: OfGuild;
  readonly key_rotated: OfKey & { readonly seconds: number };
  readonly curve_changed: OfGuild;
  readonly hiding_disturbed: OfGuild;
  readonly move_out_disturbed: OfGuild;
  readonly move_in_disturbed: OfGuild;
  readonly move_failed_over: OfGuild;
  readonly move_incomplete: OfGuild;
  // The data as they are: there is too much, something would be lost, or a raw write left what no script does.
  readonly search_too_large: OfGuild;
  readonly keys_full: OfGuild & { readonly most: number };
  readonly key_of_other: OfKey;
  readonly key_unfit: OfKey;
  readonly key_twice: OfGuild & { readonly list: string };
  readonly guild_exists: OfGuild;
  readonly archive_exists: OfGuild;
  /** The shares are percentages. */
  readonly present_incomplete: {
    readonly left: number;
    readonly ranked: number;
    readonly share: number;
    readonly maxShare: number;
  };
  readonly member_twice: OfMember;
  readonly user_id_unfit: OfMember & { readonly list: string };
  readonly name_unfit: OfMember;
  /** `hash` is the Redis key that has the field. */
  readonly field_oversized: OfGuild & { readonly field: string; readonly hash: string };
}

/** The code of a refusal. */
export type RefusalCode = keyof Refusals;

/** The codes of the scripts, for an entry of a call. */
export type EntryCode = {
  [Code in RefusalCode]: Refusals[Code] extends Entry ? Code : never;
}[RefusalCode];

/** The arguments of a refusal, and what was done before it, for a person. */
export type Refusal = {
  [Code in RefusalCode]: readonly [code: Code, params: Refusals[Code], state?: string];
}[RefusalCode];

/** Sentences by code, without the stop at the end. */
export type Sentences = { readonly [Code in RefusalCode]: (params: Refusals[Code]) => string };

/** How a person repeats the move of a guild. */
export const MOVE_AGAIN = 'run "guild export" and "guild import" again';

/** For the kit of bots, and wherever a place has no sentence of its own. */
const SENTENCES: Sentences = {
  user_id: () => 'A user id must be 1 to 64 of A-Z a-z 0-9 _ - .',
  xp: () => 'XP must be an integer between 0 and 9007199254740991',
  range: () => 'The addition would take the XP out of the range 0 .. 9007199254740991',
  level: () => "By the guild's curve, no amount of XP gives this level",
  field: () =>
    'A level or streak must be a whole number up to 9007199254740991, a time must be valid, and a name must have at most 512 bytes',
  argument: () =>
    'An amount, a factor, a floor, a cooldown, an offset or a number of days is not a number within its bounds',
  total: () => "The guild's total XP or sum of levels would exceed 9223372036854775807",
  event: () => 'Another call already used this eventId: give each call an eventId of its own',
  staged: () => 'Redis failed over and lost members that were staged: begin the replacement again',
  lock: () =>
    'Another command has taken over the guild, or this command was suspended for more than ten seconds: run it again',
  guild_unknown: ({ guild }) => `Guild ${guild} does not exist: nothing is stored for it`,
  guild_empty: ({ guild }) => `Guild ${guild} has no members: there is nothing to export`,
  board_unknown: ({ guild, kind }) => `Guild ${guild} has no board for the ${kind}`,
  key_unknown: ({ guild, key }) => `Guild ${guild} has no API key ${key}: look up the id in the list of its API keys`,
  key_unfinished: ({ guild, key }) =>
    `The API key ${key} of guild ${guild} has no record any more: revoke the API key and create a new one`,
  guild_busy: ({ guild }) =>
    `An import, a deletion or the end of a season is running for guild ${guild}, or was killed a moment ago: try again in 10 s`,
  season_unfinished: ({ guild, archive }) =>
    `The end of a season of guild ${guild}, with the archive ${archive}, is not finished: finish it first, with the same arguments as before`,
  move_unfinished: ({ guild }) => `The move of guild ${guild} is not finished: ${MOVE_AGAIN}, or delete the guild`,
  guild_unfinished: ({ guild }) =>
    `An import, a deletion or the end of a season is not finished for guild ${guild}: finish it first, then ${MOVE_AGAIN}`,
  search_busy: ({ guild, seconds }) =>
    `The names of guild ${guild} cannot be read for a search yet: try again in ${seconds} s`,
  count_busy: ({ guild }) => `Another command is counting the members of guild ${guild}: wait until it has ended`,
  count_interrupted: ({ guild }) =>
    `The count of the members of guild ${guild} was interrupted for more than a minute: run the command again`,
  count_disturbed: ({ guild }) =>
    `Something changes guild ${guild} without the scripts while its members are counted: stop it, or let it write through the scripts`,
  key_revoked: ({ guild }) =>
    `The API key of guild ${guild} was revoked while it was being made: create another API key`,
  key_rotated: ({ guild, key, seconds }) =>
    `The API key ${key} of guild ${guild} was rotated a moment ago: use the new API key of that rotation. If nobody has the new API key, revoke it, and try again in ${seconds} s`,
  curve_changed: ({ guild }) => `The curve of guild ${guild} was changed meanwhile: try again, on the new curve`,
  hiding_disturbed: ({ guild }) =>
    `Members of guild ${guild} are hidden and shown faster than the replacement can follow: try again later`,
  move_out_disturbed: ({ guild }) => `Guild ${guild} is still changing: stop its bot, then ${MOVE_AGAIN}`,
  move_in_disturbed: ({ guild }) =>
    `Another program, such as the bot, wrote to guild ${guild} during the move: stop it, delete the guild here, then ${MOVE_AGAIN}`,
  move_failed_over: ({ guild }) =>
    `Another Redis server took over during the move of guild ${guild}, and may have lost members: ${MOVE_AGAIN}`,
  move_incomplete: ({ guild }) => `Guild ${guild} does not have as many members here as at the source: ${MOVE_AGAIN}`,
  search_too_large: ({ guild }) => `Guild ${guild} has too many names to search them: look members up by their user id`,
  keys_full: ({ guild, most }) =>
    `Guild ${guild} already has ${most} API keys, the most that a guild may have: revoke an API key that is not used`,
  key_of_other: ({ guild, key }) =>
    `The API key ${key} of the stream belongs to guild ${guild} in this Redis: revoke it for that guild first`,
  key_unfit: ({ key }) => `The API key ${key} was written by hand and cannot be moved: revoke it, then ${MOVE_AGAIN}`,
  key_twice: ({ guild, list }) =>
    `An API key of guild ${guild} has two ids: remove one of them with HDEL ${list}, then ${MOVE_AGAIN}`,
  guild_exists: ({ guild }) =>
    `This Redis already has data of guild ${guild}: delete the guild first, if you do not need it`,
  archive_exists: ({ guild }) => `The guild ${guild} already has data: name another archive`,
  present_incomplete: ({ left, ranked, share, maxShare }) =>
    `The list lacks ${left} of ${ranked} ranked members, which is ${share} %, and at most ${maxShare} % may be hidden: ` +
    'nothing was changed. Complete the list, or raise maxShare',
  member_twice: ({ user }) =>
    `Member ${user} is both hidden and in the ranking: hide the member again, then ${MOVE_AGAIN}`,
  user_id_unfit: ({ user, list }) =>
    `${JSON.stringify(user)} in ${list} is not a user id: remove it with ZREM, and try again`,
  name_unfit: ({ guild, user }) =>
    `Member ${user} of guild ${guild} has a name above 512 bytes: correct the profile with HSET`,
  field_oversized: ({ field, hash }) =>
    `The field ${field} of ${hash} is longer than docs/reference.md allows: store a shorter text, then ${MOVE_AGAIN}`,
};

/** Returns the sentence of a refusal, and in brackets what was done before it. @param own the sentences of the place that shows the refusal. */
export function tell<Code extends RefusalCode>(
  code: Code,
  params: Refusals[Code],
  own: Partial<Sentences>,
  state?: string,
): string {
  const sentence = (own[code] ?? SENTENCES[code])(params);
  return state === undefined ? sentence : `${sentence} (${state})`;
}
