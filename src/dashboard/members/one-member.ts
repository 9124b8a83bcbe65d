import { levelForXp } from '../../core/ranking/curves.ts';
import { ID_PATTERN } from '../../core/ranking/model.ts';
import { curveOf, MemberCommand } from '../../core/reads/read-commands.ts';
import type { Parts } from '../guild-page.ts';
import { reasonsOf } from './member-lists.ts';

/**
 * Reads a member, ranked or hidden: its stored fields, its rank, its present level, and why it is hidden, in words.
 * O(log m), one round trip.
 * @returns undefined for a user who is not a member, and for a text that is no id.
 * @throws StoreUnavailableError
 */
export async function readOneMember({ members: stored, commands }: Parts, guildId: string, userId: string) {
  if (!ID_PATTERN.test(userId)) return undefined;
  const [{ members, curve }, { value: ranked }] = await Promise.all([
    stored.read(guildId, [userId]),
    commands.read(new MemberCommand(guildId, userId)),
  ]);
  const [member] = members;
  if (!member) return undefined;
  const shownLevel = member.level ?? levelForXp(curveOf(curve), member.xp);
  return { ...member, reasons: reasonsOf(member), rank: ranked?.rank, shownLevel };
}
