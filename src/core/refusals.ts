/** Why the data refuse a call. Imported by errors.ts alone. */

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
  // Other work on the guild is under way.
  readonly guild_busy: OfGuild;
  readonly season_unfinished: OfGuild & { readonly archive: string };
  readonly import_unfinished: OfGuild;
  readonly guild_unfinished: OfGuild;
  readonly count_busy: OfGuild;
  readonly count_interrupted: OfGuild;
  readonly count_disturbed: OfGuild;
  readonly key_revoked: OfGuild;
  readonly key_rotated: OfKey & { readonly seconds: number };
  readonly curve_changed: OfGuild;
  readonly hiding_disturbed: OfGuild;
  readonly export_disturbed: OfGuild;
  readonly import_disturbed: OfGuild;
  readonly import_failed_over: OfGuild;
  readonly import_incomplete: OfGuild;
  // The data as they are: there is too much, something would be lost, or a raw write left what no script does.
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
}

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

const AGAIN = 'then export and import again';

/** For the kit of bots, and wherever a place has no sentence of its own. */
const SENTENCES: Sentences = {
  user_id: () => 'A user id must be 1 to 64 of A-Z a-z 0-9 _ - .',
  xp: () => 'XP must be an integer between 0 and 9007199254740991',
  range: () => 'The addition would leave the range 0 .. 9007199254740991',
  level: () => "No XP gives this level by the guild's curve",
  field: () => 'A level or streak is not a whole number up to 9007199254740991, a time is none, or a name is too long',
  argument: () =>
    'An amount, a factor, a floor, a cooldown, an offset or a number of days is no number within its bounds',
  total: () => "The guild's total XP or sum of levels would pass 9223372036854775807",
  event: () => 'The event was that of another call: give each call an eventId of its own',
  staged: () => 'Redis failed over, and lost members that were staged: begin the replacement again',
  lock: () =>
    'Another command has taken over the guild, or this one was suspended for more than ten seconds: run it again',
  guild_unknown: ({ guild }) => `No such guild: nothing is stored of ${guild}`,
  guild_empty: ({ guild }) => `Guild ${guild} has no members: nothing is there to export`,
  board_unknown: ({ guild, kind }) => `Guild ${guild} has no board of the ${kind}`,
  key_unknown: ({ guild, key }) => `Guild ${guild} has no key ${key}: the list of its keys has the ids`,
  key_unfinished: ({ guild, key }) =>
    `Key ${key} of guild ${guild} has no record any more: revoke it and create a new one`,
  guild_busy: ({ guild }) =>
    `An import, a deletion or a season's end of ${guild} is running, or was killed a moment ago: try again in 10 s`,
  season_unfinished: ({ guild, archive }) =>
    `The season of ${guild} that goes to ${archive} is not done: end it first, with the same arguments as before`,
  import_unfinished: ({ guild }) =>
    `The import of ${guild} is not done: export and import it again, or delete the guild`,
  guild_unfinished: ({ guild }) =>
    `An import, a deletion or a season's end of guild ${guild} is not done: finish it first, ${AGAIN}`,
  count_busy: ({ guild }) => `Another command counts the members of ${guild}: wait until it has ended`,
  count_interrupted: ({ guild }) => `The count of ${guild} was interrupted for more than a minute: run it again`,
  count_disturbed: ({ guild }) =>
    `Something changes guild ${guild} without the scripts while its members are counted: stop it, or let it write through them`,
  key_revoked: ({ guild }) => `The key of guild ${guild} was revoked while it was made: create it again`,
  key_rotated: ({ guild, key, seconds }) =>
    `Key ${key} of guild ${guild} was rotated a moment ago: use the new key of that rotation; if nobody has it, revoke it, and try again in ${seconds} s`,
  curve_changed: ({ guild }) => `The curve of ${guild} was changed meanwhile: do it again, on the new curve`,
  hiding_disturbed: ({ guild }) =>
    `The hidden members of ${guild} change faster than they can be carried over: try again later`,
  export_disturbed: ({ guild }) => `Guild ${guild} still changes: stop its bot, ${AGAIN}`,
  import_disturbed: ({ guild }) =>
    `Something else wrote to guild ${guild} during the import, such as its bot: stop that, delete the guild here, ${AGAIN}`,
  import_failed_over: ({ guild }) =>
    `Another Redis server took over during the import of guild ${guild}, and can have lost members: export and import again`,
  import_incomplete: ({ guild }) =>
    `The members of guild ${guild} are not as many as at the source: export and import again`,
  keys_full: ({ guild, most }) => `Guild ${guild} has ${most} keys: revoke one that is not used`,
  key_of_other: ({ guild, key }) => `The API key ${key} of the stream opens guild ${guild} here: revoke it there first`,
  key_unfit: ({ key }) => `The API key ${key} was written by hand: revoke it, ${AGAIN}`,
  key_twice: ({ guild, list }) => `An API key of guild ${guild} has two ids: take one out with HDEL ${list}, ${AGAIN}`,
  guild_exists: ({ guild }) =>
    `This Redis has data of guild ${guild} already: delete them first, if you do not need them`,
  archive_exists: ({ guild }) => `The guild ${guild} has data already: name another archive`,
  present_incomplete: ({ left, ranked, share, maxShare }) =>
    `The list lacks ${left} of ${ranked} ranked members, ${share} %, and ${maxShare} % may be hidden: ` +
    'nothing was changed. Complete the list, or raise maxShare',
  member_twice: ({ user }) => `Member ${user} is hidden and in the ranking too: hide it, ${AGAIN}`,
  user_id_unfit: ({ user, list }) =>
    `The user id ${JSON.stringify(user)} in ${list} is none: take it out with ZREM, and try again`,
  name_unfit: ({ guild, user }) =>
    `The profile of member ${user} of guild ${guild} has a name above 512 bytes: correct it with HSET`,
};

/** Returns the sentence of a refusal, with what was done before it. @param own those of the place that shows it. */
export function tell<Code extends RefusalCode>(
  code: Code,
  params: Refusals[Code],
  own: Partial<Sentences>,
  state?: string,
): string {
  const sentence = (own[code] ?? SENTENCES[code])(params);
  return state === undefined ? sentence : `${sentence} (${state})`;
}
