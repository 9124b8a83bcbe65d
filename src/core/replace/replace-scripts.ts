import { GUILD_KEYS, type GuildKeys, type StagingKeys } from '../store/keys.ts';
import type { ScriptReply } from '../store/script.ts';
import { stepsOfScript } from '../store/script-steps.ts';

/** The scripts that replace the members of a guild, one for each step of replace.lua. All but the first need the lock with the token. */

const KEYS = [
  ...GUILD_KEYS,
  'nextXp',
  'nextStats',
  'nextConfig',
  'nextHidden',
  'nextMembers',
  'carried',
  'lock',
  'hiddenReasons',
  'nextHiddenReasons',
  'avatars',
  'nextAvatars',
] as const;

/** Returns the keys of a guild and of its staged members, by the names that the scripts have for them. */
export function replacementKeys(guild: GuildKeys, staging: StagingKeys) {
  return {
    ...guild,
    nextXp: staging.xp,
    nextStats: staging.stats,
    nextConfig: staging.config,
    nextHidden: staging.hidden,
    nextMembers: staging.members,
    nextHiddenReasons: staging.hiddenReasons,
    nextAvatars: staging.avatars,
    carried: staging.carried,
    lock: staging.lock,
  };
}

/** How many members a step moved. */
interface Moved {
  /** Members that left the staged ranking; below 0 when more came back. */
  readonly left: number;
  /** Hidden members that were copied from the guild; below 0 when more went. */
  readonly copied: number;
}

/** What a swap came to. Unless it is done, nothing was changed. */
type Swapped =
  | { readonly status: 'done' | 'other curve' }
  /** These hidden members changed since they were carried. */
  | { readonly status: 'carry these'; readonly userIds: readonly string[] }
  /** All hidden members are to be carried, on the server of this name. */
  | { readonly status: 'carry all'; readonly server: string };

/** Defines a step that takes the token of the lock and further fields. */
const defineStep = stepsOfScript('replace', KEYS);

const movedMembers = ([, left, copied]: ScriptReply): Moved => ({ left: Number(left), copied: Number(copied) });

/** Takes the lock. */
export const lockReplacementScript = defineStep(
  'lock',
  () => [],
  ([status]) => ({ isBusy: status === 'BUSY' }),
);

/** Removes all that is staged, stores the next curve, as fields of a config, and returns how many members were staged. */
export const clearStagedScript = defineStep(
  'clear',
  ({ config }: { config: readonly string[] }) => config,
  ([, staged]) => Number(staged),
);

/** Removes all that is staged, and gives the lock back. */
export const endReplacementScript = defineStep(
  'end',
  () => [],
  () => undefined,
);

/** From now on, the stats of the guild name the hidden members that change. */
export const noteChangesScript = defineStep(
  'note',
  () => [],
  ([, staged, server]) => ({ staged: Number(staged), server: String(server) }),
);

/** Hides staged members, each with its reasons. */
export const hideStagedScript = defineStep(
  'hide',
  ({ members }: { members: readonly (readonly [userId: string, reasons: string])[] }) => members.flat(),
  movedMembers,
);

/** Brings the hidden members of the guild into the replacement, and takes those back that are not hidden any more. */
export const carryHiddenScript = defineStep(
  'carry',
  ({ userIds }: { userIds: readonly string[] }) => userIds,
  movedMembers,
);

/** Puts the staged members in the place of the present ones. */
export const swapMembersScript = defineStep(
  'swap',
  (fields: {
    /** Members that the staged ranking must have, and hidden members beside it. */
    ranked: number;
    hidden: number;
    /** Name of the server at the last "note". */
    server: string;
    /** Hidden members that the swap may carry itself. */
    maxCarried: number;
    /** The curve that the guild must have still, as its config names it, "" for none; undefined for any. */
    curve: string | undefined;
  }) => {
    const { ranked, hidden, server, maxCarried, curve } = fields;
    return [ranked, hidden, server, maxCarried, ...(curve === undefined ? [] : [curve])];
  },
  ([status, ...rest]): Swapped => {
    if (status === 'OK') return { status: 'done' };
    if (status === 'CURVE') return { status: 'other curve' };
    if (status === 'NOTED') return { status: 'carry these', userIds: rest.map(String) };
    return { status: 'carry all', server: String(rest[0]) };
  },
);
