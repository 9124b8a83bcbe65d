import { RefusedError } from '../errors.ts';
import { decodeRow, type StoredMember } from '../reads/stored-members.ts';
import { GUILD_KEYS } from '../store/keys.ts';
import { defineScript, type ScriptReply } from '../store/script.ts';
import { stepsOfScript } from '../store/script-steps.ts';

/** The scripts that end a season, one for each step of season.lua. All but the first two need the lock with the token. */

const KEYS = [...GUILD_KEYS, 'season', 'seasonXp', 'lock', 'hiddenReasons', 'avatars'] as const;

/** Where the members of a step are listed: those that are marked, the ranking, or the hidden members. */
export type ListedPlace = 'marked' | 'ranked' | 'hidden';

/** A season that has begun. */
interface BegunSeason {
  readonly id: string;
  readonly phase: 'copy' | 'reset' | 'done';
  /** The curve of the guild as text, and its multiplier, "" for none. */
  readonly curve: string;
  readonly multiplier: string;
}

/** Defines a step that takes the token of the lock and further fields. */
const defineStep = stepsOfScript('season', KEYS);

/** @throws RefusedError when a reply says that something else is in the way of the guild. */
function throwConflict([status, other]: ScriptReply, guild: string): void {
  if (status === 'BUSY') throw new RefusedError('guild_busy', { guild });
  if (status === 'IMPORTING') throw new RefusedError('import_unfinished', { guild });
  if (status === 'OTHER') throw new RefusedError('season_unfinished', { guild, archive: String(other) });
  if (status === 'EXISTS') throw new RefusedError('archive_exists', { guild });
}

/** Takes the lock of the guild, and begins its season or goes on with it. */
export const beginSeasonScript = defineScript({
  name: 'season',
  keys: KEYS,
  boards: true,
  args: (fields: { token: string; guild: string; archive: string; keepsMembers: boolean }) => [
    'begin',
    fields.token,
    fields.archive,
    fields.keepsMembers ? 'keep' : 'drop',
  ],
  decode(reply: ScriptReply, { guild }): BegunSeason {
    throwConflict(reply, guild);
    const [, id, phase, curve, multiplier] = reply.map(String);
    return {
      id: id as string,
      phase: phase as BegunSeason['phase'],
      curve: curve as string,
      multiplier: multiplier as string,
    };
  },
});

/** Takes the lock of the archive of a season, and gives a new archive the curve and the multiplier of the guild. */
export const openArchiveScript = defineScript({
  name: 'season',
  keys: KEYS,
  boards: true,
  args: (fields: { token: string; archive: string; season: string; curve: string; multiplier: string }) => [
    'open',
    fields.token,
    fields.season,
    fields.curve,
    fields.multiplier,
  ],
  decode: (reply: ScriptReply, { archive }) => throwConflict(reply, archive),
});

/** Renews the lock, and returns the name that the server has from its start to its end. */
export const serverNameScript = defineStep(
  'server',
  () => [],
  ([, server]) => String(server),
);

/** Notes the XP that members have now. */
export const markMembersScript = defineStep(
  'mark',
  ({
    count,
    cursor,
    place,
    onlyUnmarked,
  }: {
    count: number;
    cursor: string;
    place: ListedPlace;
    onlyUnmarked: boolean;
  }) => [count, cursor, place, onlyUnmarked ? 'unmarked' : ''],
  (reply): { invalid: string } | { invalid?: never; cursor: string; members: readonly StoredMember[] } => {
    const [status, first, ...rows] = reply.map(String);
    if (status === 'INVALID') return { invalid: first as string };
    return { cursor: first as string, members: rows.map(decodeRow) };
  },
);

/** Ends the copying: from now on the marked members are reset. */
export const endCopyScript = defineStep(
  'copied',
  ({ server, requiresAll }: { server: string; requiresAll: boolean }) => [server, requiresAll ? 'all' : ''],
  ([status, marked]) => ({ status: status as 'OK' | 'MISSED' | 'AGAIN', marked: Number(marked) }),
);

/** Takes the marked XP and the level from marked members. */
export const resetMembersScript = defineStep(
  'reset',
  ({ count }: { count: number }) => [count],
  ([status, left, reset]) => ({ mustCopyAgain: status === 'AGAIN', left: Number(left), reset: Number(reset) }),
);

/** Hides members of the archive, each with its reasons. Passes over those that the archive does not have. */
export const hideInArchiveScript = defineStep(
  'hide',
  ({ members }: { members: readonly StoredMember[] }) =>
    members.flatMap(({ userId, hiddenReasons }) => [userId, hiddenReasons.join(' ')]),
  () => undefined,
);

/** Ranks members of the archive. Passes over those that the archive does not have. */
export const rankInArchiveScript = defineStep(
  'unhide',
  ({ members }: { members: readonly StoredMember[] }) => members.map(({ userId }) => userId),
  () => undefined,
);

/** Ends the season. */
export const endSeasonScript = defineStep(
  'done',
  () => [],
  () => undefined,
);

/** Gives the lock back. */
export const unlockSeasonScript = defineStep(
  'unlock',
  () => [],
  () => undefined,
);
