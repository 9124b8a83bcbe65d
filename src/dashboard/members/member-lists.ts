import { PageCommand } from '../../core/reads/read-commands.ts';
import type { StoredMember, StoredMembers } from '../../core/reads/stored-members.ts';
import type { Parts } from '../guild-page.ts';

/** Members on one page of a list. */
const PER_PAGE = 50;

const REASONS = { left: 'left the server', self: 'wants to be hidden', moderator: 'hidden by a moderator' } as const;

/**
 * Reads a page of the ranked or of the hidden members of a guild: 50 at most, by XP descending. A page past the end becomes the last page, and a text
 * that is no number becomes the first page. The row of a ranked member has its rank and level, and the row of a hidden member its reasons. O(log m)
 * for m members, one to three round trips.
 * @throws StoreUnavailableError
 */
export async function readMemberList(
  { client, redisKeys, commands }: Parts,
  stored: StoredMembers,
  guildId: string,
  isHidden: boolean,
  asked: number,
) {
  const { xp, hidden } = redisKeys.guild(guildId);
  const read = async (page: number) => {
    if (!isHidden) return (await commands.read(new PageCommand(guildId, page, PER_PAGE))).value.data;
    const first = (page - 1) * PER_PAGE;
    const { members } = await stored.read(guildId, await client.zrevrange(hidden, first, first + PER_PAGE - 1));
    // A member that was shown again between the two reads is no longer hidden.
    return members
      .filter((member) => member.hidden)
      .map((member) => ({
        user_id: member.userId,
        username: member.username,
        xp: member.xp,
        reasons: reasonsOf(member),
        isByModerator: member.hiddenReasons.includes('moderator'),
      }));
  };
  const wanted = Number.isSafeInteger(asked) && asked > 0 ? asked : 1;
  const [found, rankedCount, hiddenCount] = await Promise.all([read(wanted), client.zcard(xp), client.zcard(hidden)]);
  const pages = Math.max(1, Math.ceil((isHidden ? hiddenCount : rankedCount) / PER_PAGE));
  const page = Math.min(wanted, pages);
  const rows = page === wanted ? found : await read(page);
  const first = (page - 1) * PER_PAGE + 1;
  return { rows, page, pages, first, isHidden, rankedCount, hiddenCount };
}

/** Returns why a member is hidden, in words; "" for a ranked member. */
export function reasonsOf({ hiddenReasons }: Pick<StoredMember, 'hiddenReasons'>): string {
  return hiddenReasons.map((reason) => REASONS[reason]).join(', ');
}
