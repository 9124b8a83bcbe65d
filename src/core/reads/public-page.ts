import { BOUNDS, cutText } from '../bounds.ts';
import type { Curve } from '../ranking/curves.ts';
import type { GuildStats, LeaderboardEntry, LeaderboardPage } from '../ranking/model.ts';
import { splitProfile } from '../ranking/profile.ts';
import { lookOf, type PageLook } from '../settings/page-look.ts';
import { BOARDS, type BoardName, kindOfBoard } from '../store/keys.ts';
import { avatarsOf } from './avatars.ts';
import type { CommandReply, ReadCommand } from './command-batcher.ts';
import {
  curveOf,
  decodePage,
  decodeStats,
  named,
  PageRead,
  type PageReply,
  type Versioned,
  wholeXp,
} from './reader.ts';

/** What all public pages of a guild show. */
interface PublicGuild {
  /** Revision of the ranking: it changes with each write to the guild. "" = it has none. */
  readonly revision: string;
  /** "" = the guild id. */
  readonly title: string;
  /** The boards that the guild has. */
  readonly boards: readonly BoardName[];
  readonly look: PageLook;
  /** Whether the guild shows the avatars of members. */
  readonly showsAvatars: boolean;
  /** Discord's hashes of those of the rows who have one, by user id. None unless the guild shows them. */
  readonly avatars: ReadonlyMap<string, string>;
  readonly curve: Curve;
}

/** One page of the ranking, with the counters. */
export interface PublicPage extends PublicGuild {
  readonly page: LeaderboardPage;
  readonly stats: GuildStats;
}

/** A member with those next to it. */
export interface PublicMember extends PublicGuild {
  readonly member: LeaderboardEntry;
  /** The member and those next to it, in the order of the ranking. */
  readonly rows: readonly LeaderboardEntry[];
  /** Members in the ranking. */
  readonly total: number;
  readonly dailyStreak: number;
}

/** The revision of "" keeps it out of the response cache: a page that is off is asked for anew each time. */
const NOTHING: Versioned<null> = { revision: '', value: null };

/** What a read finds of a user that a guild with a public page does not rank. */
export const UNRANKED = 'unranked';

/** Reads one page of a guild with a public page; null for another guild, and for a board that the guild does not have. O(log m + limit). */
export class PublicPageRead implements ReadCommand<Versioned<PublicPage | null>> {
  readonly command: string;
  private readonly read: PageRead;

  /** @param page from 1. */
  constructor(
    readonly guildId: string,
    page: number,
    readonly weight: number,
    private readonly board: BoardName | undefined,
  ) {
    this.read = new PageRead(guildId, page, weight, board);
    this.command = `public.${board ? this.read.command : this.read.command.replace(' ', '~ ')}`;
  }

  decode(reply: CommandReply): Versioned<PublicPage | null> {
    if (typeof reply === 'string') return NOTHING;
    const [stored, rows, counters, avatars] = reply as unknown as [string[], PageReply, string[], string[]];
    const settings = settingsOf(stored);
    const { revision, value: page } = this.read.decode(rows);
    if (this.board && !settings.boards.includes(this.board)) return { revision, value: null };
    const stats = decodeStats(counters).value;
    const shown = { ...settings, avatars: avatarsOfRows(page.data, avatars) };
    return { revision, value: { ...shown, revision, curve: curveOf(rows[2]), page, stats } };
  }
}

/** Reads a ranked member of a guild with a public page, with those next to it; null for another guild. O(log m + reach). */
export class PublicMemberRead implements ReadCommand<Versioned<PublicMember | typeof UNRANKED | null>> {
  readonly command: string;
  readonly weight: number;

  /** @param reach members to read above and below it, at most. */
  constructor(
    readonly guildId: string,
    private readonly userId: string,
    reach: number,
    private readonly board: BoardName | undefined,
  ) {
    this.command = [`public.${board ? named('member', board) : 'member~'}`, userId, reach].join(' ');
    this.weight = 2 * reach + 1;
  }

  decode(reply: CommandReply): Versioned<PublicMember | typeof UNRANKED | null> {
    if (reply === 'none') return { revision: '', value: UNRANKED };
    if (typeof reply === 'string') return NOTHING;
    const [stored, first, page, hashes] = reply as unknown as [string[], number | string, PageReply, string[]];
    const settings = settingsOf(stored);
    const { revision, value } = decodePage(page, 1, Number(first));
    const { data: rows, total } = value;
    const avatars = avatarsOfRows(rows, hashes);
    const index = rows.findIndex(({ user_id }) => user_id === this.userId);
    const member = rows[index];
    if (!member || (this.board && !settings.boards.includes(this.board))) return { revision, value: null };
    const dailyStreak = wholeXp(splitProfile(page[4][index] ?? null).streak);
    const shown = { ...settings, avatars, revision, curve: curveOf(page[2]) };
    return { revision, value: { ...shown, member, rows, total, dailyStreak } };
  }
}

/** Returns the settings that command-public.lua replies. The boards are stored as "week,month". */
function settingsOf([title = '', stored = '', avatars = '', ...look]: readonly string[]) {
  const kinds: readonly string[] = stored.split(',');
  return {
    title: cutText(title, BOUNDS.title.bytes),
    boards: BOARDS.filter((board) => kinds.includes(kindOfBoard(board))),
    look: lookOf(look),
    showsAvatars: avatars === '1',
  };
}

function avatarsOfRows(rows: readonly LeaderboardEntry[], hashes: readonly string[]): ReadonlyMap<string, string> {
  return avatarsOf(
    rows.map(({ user_id }) => user_id),
    hashes,
  );
}
