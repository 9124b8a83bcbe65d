import { GUILD_KEYS, type GuildKeys, type StagingKeys } from '../store/redis-keys.ts';
import { throwRefusal } from '../store/refused-reply.ts';
import { defineScript, type ScriptReply } from '../store/script.ts';

/** The scripts that replace the members of a guild. All but the first need the lock with the token. */

/** The keys of the scripts that remove everything that is staged. */
const STAGED_KEYS = [
  'nextXp',
  'nextStats',
  'nextConfig',
  'nextHidden',
  'nextMembers',
  'carried',
  'nextHiddenReasons',
  'nextAvatars',
] as const;

/** The keys of the scripts that hide staged members, or return them to the staged ranking. */
const HIDING_KEYS = [
  'nextXp',
  'nextStats',
  'nextConfig',
  'nextHidden',
  'nextMembers',
  'carried',
  'lock',
  'nextHiddenReasons',
] as const;

/** The fields that every step of a replacement takes. */
interface StepFields {
  /** Token of the lock. */
  readonly token: string;
}

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

/** How a step changed the staged members. */
interface StagedChange {
  /** Members that left the staged ranking, less the members that returned to it. */
  readonly left: number;
  /** Hidden members that were copied from the guild, less copies that were removed. */
  readonly copied: number;
}

/** The result of a swap. Unless it is "done", nothing was changed. */
type Swapped =
  | { readonly status: 'done' | 'other curve' }
  /** These members changed since they were carried: carry them, then try again. */
  | { readonly status: 'carry these'; readonly userIds: readonly string[] }
  /** Carry all hidden members, on the server of this name, then try again. */
  | { readonly status: 'carry all'; readonly server: string };

/** Decodes the reply of a script that hides staged members. @throws RefusedError */
function decodeStagedChange(reply: ScriptReply): StagedChange {
  throwRefusal(reply);
  const [, left, copied] = reply;
  return { left: Number(left), copied: Number(copied) };
}

/** Takes the lock. */
export const lockReplacementScript = defineScript({
  name: 'replace-begin',
  keys: ['stats', 'lock'],
  args: ({ token }: StepFields) => [token],
  decode(reply: ScriptReply) {
    throwRefusal(reply);
    return { isBusy: reply[0] === 'BUSY' };
  },
});

/** Removes everything that is staged, stores the fields of a config with the next curve, and returns how many members were staged. */
export const clearStagedScript = defineScript({
  name: 'replace-clear',
  keys: ['stats', ...STAGED_KEYS, 'lock'],
  args: ({ token, config }: StepFields & { config: readonly string[] }) => [token, ...config],
  decode(reply: ScriptReply): number {
    throwRefusal(reply);
    return Number(reply[1]);
  },
});

/** Removes everything that is staged, and gives the lock back. */
export const endReplacementScript = defineScript({
  name: 'replace-end',
  keys: ['stats', ...STAGED_KEYS, 'lock'],
  args: ({ token }: StepFields) => [token],
  decode: throwRefusal,
});

/** Makes the stats of the guild name each hidden member that changes from now on. Returns the size of the staged ranking. */
export const noteChangesScript = defineScript({
  name: 'replace-note',
  keys: ['stats', 'nextXp', 'lock'],
  args: ({ token }: StepFields) => [token],
  decode(reply: ScriptReply) {
    throwRefusal(reply);
    const [, staged, server] = reply;
    return { staged: Number(staged), server: String(server) };
  },
});

/** Hides staged members, each with its reasons. */
export const hideStagedScript = defineScript({
  name: 'replace-hide',
  keys: HIDING_KEYS,
  boards: true,
  args: ({ token, members }: StepFields & { members: readonly (readonly [userId: string, reasons: string])[] }) => [
    token,
    ...members.flat(),
  ],
  decode: decodeStagedChange,
});

/** Hides or shows members in the replacement as the guild does now. */
export const carryHiddenScript = defineScript({
  name: 'replace-carry',
  keys: [...HIDING_KEYS, 'nextAvatars', 'hidden', 'members', 'hiddenReasons', 'avatars'],
  boards: true,
  args: ({ token, userIds }: StepFields & { userIds: readonly string[] }) => [token, ...userIds],
  decode: decodeStagedChange,
});

interface SwapFields extends StepFields {
  /** Members that the staged ranking must have, and hidden staged members that there must be. */
  readonly ranked: number;
  readonly hidden: number;
  /** Name of the server, as replace-note.lua or the last swap replied it. */
  readonly server: string;
  /** Most changed hidden members that the swap may carry itself. */
  readonly maxCarried: number;
  /** The curve that the guild must still have, as its config names it; "" = the config names no curve, undefined = any curve. */
  readonly curve: string | undefined;
}

/** Puts the staged members in the place of the present members. */
export const swapMembersScript = defineScript({
  name: 'replace-swap',
  keys: [
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
  ],
  boards: true,
  args: ({ token, ranked, hidden, server, maxCarried, curve }: SwapFields) => [
    token,
    ranked,
    hidden,
    server,
    maxCarried,
    ...(curve === undefined ? [] : [curve]),
  ],
  decode(reply: ScriptReply): Swapped {
    throwRefusal(reply);
    const [status, ...rest] = reply;
    if (status === 'OK') return { status: 'done' };
    if (status === 'CURVE') return { status: 'other curve' };
    if (status === 'NOTED') return { status: 'carry these', userIds: rest.map(String) };
    return { status: 'carry all', server: String(rest[0]) };
  },
});
