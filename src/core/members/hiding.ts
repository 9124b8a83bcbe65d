import { InvalidInputError, shownText } from '../errors.ts';
import { HIDE_REASONS, type HideReason, reasonsIn } from '../ranking/model.ts';
import { GUILD_KEYS } from '../store/keys.ts';
import { defineScript } from '../store/script.ts';
import type { ScriptStore } from '../store/scripts.ts';
import { checkFields, checkIds } from './check-fields.ts';
import { inSlices, sumOf } from './slices.ts';
import { throwRefusal } from './writer.ts';

/** Gives members a reason to be hidden, or lifts one. */
export const hide = defineScript('hide', [...GUILD_KEYS, 'hiddenReasons']);

export interface HideOptions {
  /** "moderator" unless given. */
  readonly reason?: HideReason;
}

/** A hidden member. */
export interface HiddenMember {
  readonly userId: string;
  /** At least one. */
  readonly reasons: readonly HideReason[];
}

/** What became of the members that a call named. */
export interface PlaceChange {
  /** Members that left the ranking, or came back into it. */
  readonly changed: number;
  /** Those of them that are hidden now, with all their reasons. */
  readonly hidden: readonly HiddenMember[];
}

/** Runs hide.lua in a mode, in slices; "add" hides users too who are no members, with 0 XP. @throws as GuildWriter.hide. */
export async function changeReason(
  { scripts, redisKeys }: ScriptStore,
  mode: 'hide' | 'unhide' | 'add',
  guildId: string,
  userIds: readonly string[],
  options: HideOptions = {},
): Promise<PlaceChange> {
  checkFields(options, `the options of ${mode}`, ['reason']);
  const { reason = 'moderator' } = options;
  checkIds(guildId, userIds);
  if (!HIDE_REASONS.includes(reason))
    throw new InvalidInputError(`reason must be ${HIDE_REASONS.join(', ')}, not ${shownText(reason)}`);
  const guild = redisKeys.guild(guildId);
  const slices = await inSlices(userIds, async (slice) => {
    const reply = await hide(scripts, guild, [mode, reason, ...slice]);
    throwRefusal(reply);
    return { changed: Number(reply[2]), hidden: reply.slice(3).map(hiddenMember) };
  });
  return { changed: sumOf(slices.map(({ changed }) => changed)), hidden: slices.flatMap(({ hidden }) => hidden) };
}

function hiddenMember(text: string | number): HiddenMember {
  const [userId = '', ...reasons] = String(text).split(' ');
  return { userId, reasons: reasonsIn(reasons.join(' ')) };
}
