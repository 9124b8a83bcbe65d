import type { Core } from '../../core/core.ts';
import type { XpCorrection } from '../../core/members/correct.ts';
import { type Curve, levelForXp, MAX_XP } from '../../core/ranking/curves.ts';
import { curveOf } from '../../core/reads/read-commands.ts';
import type { StoredMember } from '../../core/reads/stored-members.ts';
import { csvLine } from '../../imports/csv-line.ts';
import { contentOf } from '../../imports/entries.ts';
import type { ListedCorrection, ReadList } from './read-list.ts';

/** Members that one script call reads. Redis serves other clients between two calls. */
const MEMBERS_A_READ = 250;
/** Members that the page shows. */
const SHOWN = 10;

/** The change that a list will make to a member. */
export interface PreviewedChange {
  readonly user_id: string;
  readonly username: string | null;
  readonly hidden: boolean;
  readonly xpBefore: number;
  readonly xp: number;
  readonly levelBefore: number;
  readonly level: number;
  readonly nameAfter: string | null;
}

/** A list that was compared with the members that it changes. */
export interface PreviewedList {
  /** Changes of members, in the order of the file. */
  readonly corrections: readonly ListedCorrection[];
  /** The first changes, with what they will do. */
  readonly first: readonly PreviewedChange[];
  /** The present values of everything that the list changes, as a CSV file that restores them as a list of changes. */
  readonly earlier: string;
}

/**
 * Compares a list with the members of the guild, and leaves out users who are not members, and XP that would leave its range.
 * O(n log m), a round trip for each 250 members.
 * @param list the list, whose problems get these lines too.
 * @param name name of the file, for messages.
 * @throws StoreUnavailableError
 */
export async function previewList(
  { members: stored }: Pick<Core, 'members'>,
  guildId: string,
  list: Pick<ReadList, 'corrections' | 'problems'>,
  name: string,
): Promise<PreviewedList> {
  const { corrections, problems } = list;
  const kept: ListedCorrection[] = [];
  const first: PreviewedChange[] = [];
  let earlier = csvLine(['user_id', 'xp', 'level', 'name']);
  for (let from = 0; from < corrections.length; from += MEMBERS_A_READ) {
    const slice = corrections.slice(from, from + MEMBERS_A_READ);
    const { members, curve } = await stored.read(
      guildId,
      slice.map(({ userId }) => userId),
    );
    const byId = new Map(members.map((member) => [member.userId, member]));
    for (const correction of slice) {
      const member = byId.get(correction.userId);
      const change = member && changeOf(correction, member, curveOf(curve));
      const reason = !change
        ? 'no member of the server has this id'
        : change.xp > MAX_XP && 'its XP would be above 9007199254740991';
      if (!member || !change || reason) {
        problems.add(
          { name, unit: 'line' },
          { at: correction.line, row: `${reason} (${correction.userId})`, content: contentOf(correction) },
        );
        continue;
      }
      kept.push(correction);
      earlier += earlierLine(member, correction);
      if (first.length < SHOWN) first.push(change);
    }
  }
  return { corrections: kept, first, earlier };
}

function changeOf({ xp, level, username }: ListedCorrection, member: StoredMember, curve: Curve): PreviewedChange {
  const after = xp ? correctedXp(member.xp, xp) : member.xp;
  const explicit = level === undefined ? member.level : level;
  return {
    user_id: member.userId,
    username: member.username,
    hidden: member.hidden,
    xpBefore: member.xp,
    xp: after,
    levelBefore: member.level ?? levelForXp(curve, member.xp),
    level: explicit ?? levelForXp(curve, Math.min(after, MAX_XP)),
    nameAfter: username === undefined ? member.username : username,
  };
}

/** Returns the line of a list that restores the values which a change replaces, and no other values. */
function earlierLine({ userId, ...member }: StoredMember, { xp, level, username }: ListedCorrection): string {
  return csvLine([
    userId,
    xp && member.xp,
    level === undefined ? undefined : (member.level ?? 'none'),
    username === undefined ? undefined : (member.username ?? userId),
  ]);
}

function correctedXp(before: number, xp: XpCorrection): number {
  if ('set' in xp) return xp.set;
  return 'add' in xp ? before + xp.add : Math.max(before - xp.take, 0);
}
