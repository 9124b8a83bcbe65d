import { checkFields, checkGuildAndUsers } from '../check-fields.ts';
import { InvalidInputError, shownText } from '../errors.ts';
import { HIDE_REASONS, type HideReason, reasonsIn } from '../ranking/model.ts';
import { GUILD_KEYS } from '../store/redis-keys.ts';
import { throwRefusal } from '../store/refused-reply.ts';
import { defineScript, type ScriptReply } from '../store/script.ts';
import type { ScriptStore } from '../store/scripts.ts';
import { inSlices, sumOf } from './slices.ts';

/**
 * How a reason changes: "hide" gives members the reason, "unhide" lifts it, and "add" gives it and makes users who are not members hidden members.
 */
export type ReasonChange = 'hide' | 'unhide' | 'add';

/** Gives members a reason to be hidden, or lifts a reason. */
export const hideScript = defineScript({
  name: 'hide',
  keys: [...GUILD_KEYS, 'hiddenReasons'],
  boards: true,
  args: ({ change, reason, userIds }: { change: ReasonChange; reason: HideReason; userIds: readonly string[] }) => [
    change,
    reason,
    ...userIds,
  ],
  decode: decodeHideResult,
});

/** The options of `hide` and `unhide`. */
export interface HideOptions {
  /** "moderator" unless given. */
  readonly reason?: HideReason;
}

/** A hidden member. */
export interface HiddenMember {
  readonly userId: string;
  /** At least one reason. */
  readonly reasons: readonly HideReason[];
}

/** The members whose place a call has changed, and the named members that are hidden now. */
export interface HideResult {
  /** Members that left the ranking, or came back into it. */
  readonly changed: number;
  /** The named members that are hidden now, with all their reasons. */
  readonly hidden: readonly HiddenMember[];
}

/** Changes a reason of members, in slices; "add" also hides users who are not members, with 0 XP. @throws as GuildWriter.hide. */
export async function changeReason(
  { scripts, redisKeys }: ScriptStore,
  change: ReasonChange,
  guildId: string,
  userIds: readonly string[],
  options: HideOptions = {},
): Promise<HideResult> {
  checkFields(options, `the options of ${change}`, ['reason']);
  const { reason = 'moderator' } = options;
  checkGuildAndUsers(guildId, userIds);
  if (!HIDE_REASONS.includes(reason))
    throw new InvalidInputError(`reason must be ${HIDE_REASONS.join(', ')}, not ${shownText(reason)}`);
  const guild = redisKeys.guild(guildId);
  const slices = await inSlices(userIds, (slice) => hideScript.run(scripts, guild, { change, reason, userIds: slice }));
  return { changed: sumOf(slices.map(({ changed }) => changed)), hidden: slices.flatMap(({ hidden }) => hidden) };
}

/** Decodes the reply of hide.lua. @throws RefusedError */
function decodeHideResult(reply: ScriptReply): HideResult {
  throwRefusal(reply);
  return { changed: Number(reply[2]), hidden: reply.slice(3).map(hiddenMember) };
}

function hiddenMember(text: string | number): HiddenMember {
  const [userId = '', ...reasons] = String(text).split(' ');
  return { userId, reasons: reasonsIn(reasons.join(' ')) };
}
