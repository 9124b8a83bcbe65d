import { checkGuildAndUsers, checkText, wholeText } from '../check-fields.ts';
import { InvalidInputError } from '../errors.ts';
import { MAX_XP } from '../ranking/curves.ts';
import { GUILD_KEYS, type GuildKeys } from '../store/redis-keys.ts';
import { throwRefusal } from '../store/refused-reply.ts';
import { defineScript, type ScriptReply } from '../store/script.ts';
import type { ScriptStore } from '../store/scripts.ts';
import type { ClientStore } from '../store/store.ts';
import { type EventCall, eventCall } from './event.ts';
import type { XpChange } from './record-script.ts';
import { inSlices, sumOf } from './slices.ts';
import { type MemberChangeText, profileChange } from './xp-record.ts';

/** How a correction changes the XP. An `add` may lead to 2^53-1, and a `take` leaves 0 at least. */
export type XpCorrection = { readonly set: number } | { readonly add: number } | { readonly take: number };

/** A change that a person makes to a member. What is left out stays as it is. */
export interface Correction {
  readonly userId: string;
  readonly xp?: XpCorrection | undefined;
  /** The explicit level; null removes it, so that the level follows XP. */
  readonly level?: number | null | undefined;
  /** Display name of 512 bytes at most; null or "" removes it. */
  readonly username?: string | null | undefined;
}

/** An explicit level or a name before a correction and after it. */
interface Replaced<Value> {
  readonly before: Value | null;
  readonly after: Value | null;
}

/** What a correction did to a member. The levels of `XpChange` are the levels that pages show. */
export interface Corrected extends XpChange {
  readonly userId: string;
  readonly hidden: boolean;
  readonly explicitLevel: Replaced<number>;
  readonly username: Replaced<string>;
}

/** What became of an explicit level or a name at an undo: the correction had not changed it, it is back, or it was changed since then. */
export type Restored = 'unchanged' | 'back' | 'left';

/** What an undo did to a member. */
export interface Undone extends XpChange {
  readonly explicitLevel: Restored;
  readonly username: Restored;
}

/** Why a correction cannot be undone: Redis keeps nothing of the correction, a season has ended since then, or the user is not a member any more. */
export type UndoObstacle = 'gone' | 'season' | 'missing';

/**
 * How long a correction of one member can be undone, in milliseconds, and how long a repeat of it is known: a day, the longest time of an event.
 * The form of a page does not live as long.
 */
const CORRECTION_TTL_MS = 86_400_000;
/** Members of a list in one script call. Nobody waits for a list as for a bot's call, so Redis is held for some milliseconds only. */
const MEMBERS_A_CALL = 200;
/** How long a repeat of a list is known. */
const LIST_TTL_MS = 3_600_000;

/** The event of an undo has this before the id of the correction. */
const UNDO = 'undo-';
/** The id of a correction is shorter than the id of an event may be, so that the undo can have an event too. */
const MAX_ID = 50;

interface CorrectFields {
  readonly event: EventCall;
  readonly changes: readonly Omit<MemberChangeText, 'avatar'>[];
}

/** Corrects members. The key of the event comes last. */
export const correctScript = defineScript({
  name: 'correct',
  keys: [...GUILD_KEYS, 'season'],
  boards: true,
  args: ({ event, changes }: CorrectFields) => [
    ...event.args,
    ...changes.flatMap(({ xp, userId, profile }) => [xp, userId, profile]),
  ],
  decode(reply: ScriptReply) {
    throwRefusal(reply);
    return { corrected: decodeCorrected(reply), passedOver: Number(reply[2]) };
  },
});

/** Undoes a correction of one member. The keys of the events of the correction and of the undo come last. */
export const undoScript = defineScript({
  name: 'undo',
  keys: [...GUILD_KEYS, 'season'],
  boards: true,
  args: ({ event }: { event: EventCall }) => event.args,
  decode(reply: ScriptReply): Undone | UndoObstacle {
    throwRefusal(reply);
    const [status] = reply;
    if (status === 'GONE' || status === 'SEASON' || status === 'MISSING')
      return status.toLowerCase() as Lowercase<typeof status>;
    return decodeUndone(reply);
  },
});

/**
 * Corrects a member, once for each id: a repeat with the same id has the first result. O(log m), one round trip.
 * @param id 1 to 50 characters of A-Z a-z 0-9 _ -, which no other call of the guild has.
 * @returns null when the user is no member; then nothing was changed.
 * @throws InvalidInputError, RefusedError "event" for another correction with this id, and StoreUnavailableError.
 */
export async function correctMember(
  store: ScriptStore,
  guildId: string,
  id: string,
  correction: Correction,
): Promise<Corrected | null> {
  const event = { id, part: 0, ttlMs: CORRECTION_TTL_MS };
  const { corrected } = await correct(store, guildId, event, [correction]);
  return corrected;
}

/**
 * Corrects many members, 200 in one script call, so that Redis serves other clients in between. Each call is done once for the id, so the same list
 * can be sent again within an hour of a failure. O(n log m).
 * @param onDone is told after each call how many of the list are done.
 * @returns how many users of the list are not members, and were passed over.
 * @throws as {@link correctMember}. The calls before were done.
 */
export async function correctMembers(
  store: ScriptStore,
  guildId: string,
  id: string,
  corrections: readonly Correction[],
  onDone: (done: number) => void,
): Promise<number> {
  let done = 0;
  const passedOver = await inSlices(
    corrections,
    async (slice, part) => {
      const result = await correct(store, guildId, { id, part, ttlMs: LIST_TTL_MS }, slice);
      done += slice.length;
      onDone(done);
      return result.passedOver;
    },
    MEMBERS_A_CALL,
  );
  return sumOf(passedOver);
}

function correct(
  { scripts, redisKeys }: ScriptStore,
  guildId: string,
  { id, part, ttlMs }: { readonly id: string; readonly part: number; readonly ttlMs: number },
  corrections: readonly Correction[],
) {
  checkGuildAndUsers(
    guildId,
    corrections.map(({ userId }) => userId),
  );
  const changes = corrections.map(({ userId, xp, level, username }, index) => {
    if (typeof username === 'string') checkText(username, 'username');
    return { userId, xp: xpCorrectionText(xp), profile: profileChange(stored({ level, username }), index) };
  });
  const keys = redisKeys.guild(guildId);
  const event = eventCall(keys, checkedId(id), ttlMs, part);
  return correctScript.run(scripts, keys, { event, changes }, event.keys);
}

/** Leaves out what a correction leaves out. */
function stored({ level, username }: Pick<Correction, 'level' | 'username'>) {
  return { ...(level !== undefined && { level }), ...(username !== undefined && { username }) };
}

/** Returns a correction of the XP as correct.lua takes it. */
function xpCorrectionText(xp: XpCorrection | undefined): string {
  if (!xp) return 'keep';
  if ('set' in xp) return wholeText('set', xp.set, 0, MAX_XP);
  return 'add' in xp ? `add ${wholeText('add', xp.add, 0, MAX_XP)}` : `take ${wholeText('take', xp.take, 0, MAX_XP)}`;
}

function checkedId(id: string): string {
  if (/^[\w-]+$/.test(id) && id.length <= MAX_ID) return id;
  throw new InvalidInputError(`The id of a correction must be 1 to ${MAX_ID} of A-Z a-z 0-9 _ -`);
}

/**
 * Takes a correction back, once: a repeat has the first result. XP that the member gained since then stays. O(log m), one round trip.
 * @throws InvalidInputError, RefusedError "range" when the XP would leave its range, and StoreUnavailableError.
 */
export function undoCorrection(
  { scripts, redisKeys }: ScriptStore,
  guildId: string,
  id: string,
): Promise<Undone | UndoObstacle> {
  checkGuildAndUsers(guildId, []);
  const keys = redisKeys.guild(guildId);
  const event = eventCall(keys, UNDO + checkedId(id), CORRECTION_TTL_MS, 0);
  return undoScript.run(scripts, keys, { event }, [...correctionKeys(keys, id).slice(0, 1), ...event.keys]);
}

/**
 * Reads what Redis keeps of a correction of one member and of its undo; null for a correction or an undo that Redis does not keep. One round trip.
 * @throws InvalidInputError, StoreUnavailableError
 */
export async function readCorrection(
  { client, redisKeys }: ClientStore,
  guildId: string,
  id: string,
): Promise<{ readonly corrected: Corrected | null; readonly undone: Undone | null }> {
  checkGuildAndUsers(guildId, []);
  const [correction, undo] = await client.mget(...correctionKeys(redisKeys.guild(guildId), checkedId(id)));
  return {
    corrected: correction?.startsWith('correct ') ? decodeCorrected(keptReply(correction)) : null,
    undone: undo?.startsWith('undo\n') ? decodeUndone(keptReply(undo)) : null,
  };
}

/** Returns the keys of the events of a correction and of its undo. */
function correctionKeys({ eventPrefix }: Pick<GuildKeys, 'eventPrefix'>, id: string): [string, string] {
  return [eventPrefix + id, eventPrefix + UNDO + id];
}

/** Returns the reply that the key of an event keeps, after the name of its call (lib-event.lua). */
function keptReply(text: string): string[] {
  return text.split('\n').slice(1);
}

/** Decodes the reply of a correction of one member; null for a list, and for a user who is not a member. */
function decodeCorrected(reply: ScriptReply): Corrected | null {
  const [, , , change, userId, , levelBefore, levelAfter, nameBefore, nameAfter] = reply;
  if (change === '') return null;
  const { state, ...xp } = decodeChange(change);
  return {
    userId: String(userId),
    hidden: state === 'hidden',
    ...xp,
    explicitLevel: { before: levelOf(levelBefore), after: levelOf(levelAfter) },
    username: { before: nameOf(nameBefore), after: nameOf(nameAfter) },
  };
}

function decodeUndone(reply: ScriptReply): Undone {
  const { state: _, ...xp } = decodeChange(reply[5]);
  const restored = (state: unknown): Restored => (state === 'back' || state === 'left' ? state : 'unchanged');
  return { ...xp, explicitLevel: restored(reply[6]), username: restored(reply[7]) };
}

/** Decodes what record.lua says of one member. */
function decodeChange(text: unknown): XpChange & { readonly state: string } {
  const [xpBefore, levelBefore, xp, level, state = ''] = String(text).split(' ');
  return { xpBefore: Number(xpBefore), levelBefore: Number(levelBefore), xp: Number(xp), level: Number(level), state };
}

function levelOf(text: unknown): number | null {
  return text === '-' ? null : Number(text);
}

/** Returns a name that lib-correction.lua has written in one line. */
function nameOf(text: unknown): string | null {
  const name = String(text).replace(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : '\\'));
  return name === '' ? null : name;
}
