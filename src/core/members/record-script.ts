import { GUILD_KEYS, type GuildKeys } from '../store/redis-keys.ts';
import { throwRefusal } from '../store/refused-reply.ts';
import { defineScript, type ScriptReply } from '../store/script.ts';
import { type EventCall, isRepeated } from './event.ts';
import type { MemberChangeText } from './xp-record.ts';

/**
 * Total XP and level of a member before and after a write. Without an explicit level, a greater level after it is a level-up, and a smaller
 * one a level-down.
 */
export interface XpChange {
  readonly xpBefore: number;
  readonly levelBefore: number;
  readonly xp: number;
  readonly level: number;
}

/** One member of a write. */
export interface MemberChange extends XpChange {
  readonly userId: string;
  /** Whether the user was not a member before. */
  readonly created: boolean;
  /** Whether the member is hidden. */
  readonly hidden: boolean;
}

/** The result of a call of record.lua. */
interface Recorded {
  /** The guild's new revision. */
  readonly revision: string;
  /** Members that were not in the ranking before. */
  readonly created: number;
  /** Each member in the order of the call, if it asked for them. */
  readonly members: readonly MemberChange[];
  /** The users of the call that are no members, and that it passed over, if it asked for the members. */
  readonly passedOver: ReadonlySet<string>;
  /** Whether the event had this reply before. Then nothing was changed. */
  readonly repeated: boolean;
}

const changesAvatar = ({ avatar }: MemberChangeText) => avatar !== '';

/** Returns the changes as ARGV has them. */
function changeArguments(changes: readonly MemberChangeText[]): string[] {
  const hasAvatars = changes.some(changesAvatar);
  const args: string[] = hasAvatars ? ['avatars'] : [];
  for (const { xp, userId, profile, avatar } of changes) {
    args.push(xp, userId, profile);
    if (hasAvatars) args.push(avatar);
  }
  return args;
}

/**
 * Returns the keys that {@link recordScript} takes after its own keys: the key of the avatars if the call changes avatars, and the key of the event.
 */
export function recordKeys(
  { avatars }: Pick<GuildKeys, 'avatars'>,
  changes: readonly MemberChangeText[],
  event: EventCall,
): readonly string[] {
  return changes.some(changesAvatar) ? [avatars, ...event.keys] : event.keys;
}

/** Records all given members, or none of them. The keys that {@link recordKeys} returns come last. */
export const recordScript = defineScript({
  name: 'record',
  keys: GUILD_KEYS,
  boards: true,
  args: ({
    event,
    changes,
    namesEach,
  }: {
    event: EventCall;
    changes: readonly MemberChangeText[];
    namesEach: boolean;
  }) => [...event.args, ...(namesEach ? ['each'] : []), ...changeArguments(changes)],
  decode(reply: ScriptReply, { changes, namesEach }): Recorded {
    throwRefusal(reply);
    const members: MemberChange[] = [];
    const passedOver = new Set<string>();
    for (const [index, { userId }] of (namesEach ? changes : []).entries()) {
      const [xpBefore, levelBefore, xp, level, state] = String(reply[index + 5]).split(' ');
      const change = {
        xpBefore: Number(xpBefore),
        levelBefore: Number(levelBefore),
        xp: Number(xp),
        level: Number(level),
      };
      members.push({ userId, ...change, created: state === 'new', hidden: state === 'hidden' });
      if (state === 'none') passedOver.add(userId);
    }
    return { revision: String(reply[1]), created: Number(reply[2]), members, passedOver, repeated: isRepeated(reply) };
  },
});

/** Records members as {@link recordScript} does, while a lock has the token. */
export const stageScript = defineScript({
  name: 'stage',
  keys: [...GUILD_KEYS, 'lock', 'avatars'],
  boards: true,
  args: ({ token, changes }: { token: string; changes: readonly MemberChangeText[] }) => [
    token,
    ...changeArguments(changes),
  ],
  decode(reply: ScriptReply) {
    throwRefusal(reply);
    return { created: Number(reply[2]) };
  },
});
