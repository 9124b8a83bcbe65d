import { RefusedError } from '../errors.ts';
import { decodeRow, type StoredMember } from '../reads/stored-members.ts';
import { GUILD_KEYS } from '../store/redis-keys.ts';
import { throwRefusal } from '../store/refused-reply.ts';
import { defineScript, type ScriptReply } from '../store/script.ts';

/** The scripts that end a season. All but the first two need the lock with the token. */

/** The list from which a step takes its members: the marked members, the ranking, or the hidden members. */
export type ListedPlace = 'marked' | 'ranked' | 'hidden';

/** The fields that every step takes. */
interface StepFields {
  /** Token of the lock. */
  readonly token: string;
}

/** A season that has begun. */
interface BegunSeason {
  readonly id: string;
  readonly phase: 'copy' | 'reset' | 'done';
  /** The curve of the guild as text, and its multiplier; "" for a guild without a multiplier. */
  readonly curve: string;
  readonly multiplier: string;
  /** The name of the guild, and Discord's hash of its icon; "" where the guild is not described. */
  readonly name: string;
  readonly icon: string;
}

/** @throws RefusedError when a reply says that something else holds the guild or the archive. */
function throwConflict(reply: ScriptReply, guild: string): void {
  throwRefusal(reply);
  const [status, other] = reply;
  if (status === 'BUSY') throw new RefusedError('guild_busy', { guild });
  if (status === 'MOVING') throw new RefusedError('move_unfinished', { guild });
  if (status === 'OTHER') throw new RefusedError('season_unfinished', { guild, archive: String(other) });
  if (status === 'EXISTS') throw new RefusedError('archive_exists', { guild });
}

/** Takes the lock of the guild, and begins its season or goes on with it. */
export const beginSeasonScript = defineScript({
  name: 'season-begin',
  keys: ['stats', 'config', 'season', 'seasonXp', 'lock', 'about'],
  args: ({ token, archive, keepsMembers }: StepFields & { guild: string; archive: string; keepsMembers: boolean }) => [
    token,
    archive,
    keepsMembers ? 'keep' : 'drop',
  ],
  decode(reply: ScriptReply, { guild }): BegunSeason {
    throwConflict(reply, guild);
    const [, id = '', phase, curve = '', multiplier = '', name = '', icon = ''] = reply.map(String);
    return { id, phase: phase as BegunSeason['phase'], curve, multiplier, name, icon };
  },
});

interface OpenFields extends StepFields {
  /** Guild id of the archive. */
  readonly archive: string;
  /** Id of the guild and id of its season, with a space between. */
  readonly season: string;
  readonly curve: string;
  readonly multiplier: string;
  readonly name: string;
  readonly icon: string;
}

/** Takes the lock of the archive of a season, and gives a new archive the curve, the multiplier, the name and the icon of the guild. */
export const openArchiveScript = defineScript({
  name: 'season-open-archive',
  keys: ['xp', 'stats', 'config', 'hidden', 'season', 'lock', 'about'],
  args: ({ token, season, curve, multiplier, name, icon }: OpenFields) => [
    token,
    season,
    curve,
    multiplier,
    name,
    icon,
  ],
  decode: (reply: ScriptReply, { archive }) => throwConflict(reply, archive),
});

/** Renews the lock, and returns the name of the Redis server, which changes with a restart or a failover. */
export const holdSeasonScript = defineScript({
  name: 'season-hold',
  keys: ['lock'],
  args: ({ token }: StepFields) => [token],
  decode(reply: ScriptReply): string {
    throwRefusal(reply);
    return String(reply[1]);
  },
});

interface MarkFields extends StepFields {
  /** About how many members to look at. */
  readonly size: number;
  readonly cursor: string;
  readonly place: ListedPlace;
  readonly onlyUnmarked: boolean;
}

/** The marked members, or the first user id that no member may have. */
type MarkedMembers =
  | { readonly invalid: string }
  | { readonly invalid?: never; readonly cursor: string; readonly members: readonly StoredMember[] };

/** Notes the XP that members have now. */
export const markMembersScript = defineScript({
  name: 'season-mark',
  keys: ['xp', 'stats', 'hidden', 'members', 'seasonXp', 'lock', 'hiddenReasons', 'avatars'],
  args: ({ token, size, cursor, place, onlyUnmarked }: MarkFields) => [
    token,
    size,
    cursor,
    place,
    onlyUnmarked ? 'unmarked' : '',
  ],
  decode(reply: ScriptReply): MarkedMembers {
    throwRefusal(reply);
    const [status, first, ...rows] = reply.map(String);
    if (status === 'INVALID') return { invalid: first as string };
    return { cursor: first as string, members: rows.map(decodeRow) };
  },
});

/** Where a member stands in the guild. */
type PlacedMember = Pick<StoredMember, 'userId' | 'hidden' | 'hiddenReasons'>;

/** Puts members of the archive where they stand in the guild, hidden or ranked. Leaves out members that the archive does not have. */
export const placeInArchiveScript = defineScript({
  name: 'season-place',
  keys: [...GUILD_KEYS, 'lock', 'hiddenReasons'],
  boards: true,
  args: ({ token, members }: StepFields & { members: readonly PlacedMember[] }) => [
    token,
    ...members.flatMap(({ userId, hidden, hiddenReasons }) => [userId, hidden ? hiddenReasons.join(' ') : '']),
  ],
  decode: throwRefusal,
});

/** Ends the copying: from now on the marked members are reset. */
export const endCopyScript = defineScript({
  name: 'season-end-copy',
  keys: [...GUILD_KEYS, 'season', 'seasonXp', 'lock'],
  boards: true,
  args: ({ token, server, requiresAll }: StepFields & { server: string; requiresAll: boolean }) => [
    token,
    server,
    requiresAll ? 'all' : '',
  ],
  decode(reply: ScriptReply) {
    throwRefusal(reply);
    const [status, marked] = reply;
    return { status: status as 'OK' | 'MISSED' | 'AGAIN', marked: Number(marked) };
  },
});

/** Subtracts the marked XP from marked members, and removes their explicit levels. */
export const resetMembersScript = defineScript({
  name: 'season-reset',
  keys: [...GUILD_KEYS, 'season', 'seasonXp', 'lock', 'hiddenReasons', 'avatars'],
  boards: true,
  args: ({ token, size }: StepFields & { size: number }) => [token, size],
  decode(reply: ScriptReply) {
    throwRefusal(reply);
    const [status, left, reset] = reply;
    return { mustCopyAgain: status === 'AGAIN', left: Number(left), reset: Number(reset) };
  },
});

/** Ends the season. */
export const finishSeasonScript = defineScript({
  name: 'season-finish',
  keys: ['stats', 'season', 'lock'],
  args: ({ token }: StepFields) => [token],
  decode: throwRefusal,
});

/** Gives the lock back. */
export const unlockSeasonScript = defineScript({
  name: 'season-unlock',
  keys: ['lock'],
  args: ({ token }: StepFields) => [token],
  decode: throwRefusal,
});
