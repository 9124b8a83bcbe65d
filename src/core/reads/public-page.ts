import {
  channelsIn,
  type GuildChannel,
  type GuildLabel,
  type GuildRole,
  labelOf,
  rolesIn,
} from '../guilds/description.ts';
import type { Curve } from '../ranking/curves.ts';
import type { LeaderboardEntry, LeaderboardPage, LeaderboardStats } from '../ranking/model.ts';
import { splitProfile } from '../ranking/profile.ts';
import { parseRules } from '../rules/parse-rules.ts';
import type { Rules } from '../rules/parsed-rules.ts';
import { type Indexing, indexingOf } from '../settings/indexing.ts';
import { lookOf, type PageLook } from '../settings/page-look.ts';
import { BOARDS, type BoardName, kindOfBoard } from '../store/redis-keys.ts';
import { BOUNDS, cutText } from '../text-bounds.ts';
import { avatarsOf } from './avatars.ts';
import type { CommandReply, ReadCommand } from './command-batcher.ts';
import { type Period, periodOf } from './period.ts';
import {
  commandName,
  curveOf,
  decodePage,
  decodeStats,
  PageCommand,
  type PageReply,
  type Versioned,
  wholeXp,
} from './read-commands.ts';

/** The settings and names that all public pages of a guild show. */
export interface PublicGuild {
  /** Revision of the ranking: it changes with each write to the guild; "" for a guild without a revision. */
  readonly revision: string;
  /** The pages that search engines may list. */
  readonly indexing: Indexing;
  /** Whether the guild has a page of what levels give and how members earn XP. */
  readonly hasRewards: boolean;
  /** "" = the guild id. */
  readonly title: string;
  /** The boards that the guild has. */
  readonly boards: readonly BoardName[];
  readonly look: PageLook;
  /** What the bot has told of the guild; null for a name or icon that the bot has not told. */
  readonly about: GuildLabel;
  readonly curve: Curve;
  /** Counters of the ranking. */
  readonly stats: LeaderboardStats;
  /** The time that the ranking counts; null for the ranking of all time. */
  readonly period: Period | null;
  /** Whether the guild shows the avatars of its members, which browsers then load from Discord's host. */
  readonly showsAvatars: boolean;
  /** Discord's hashes of the avatars of rows, by user id, if the guild shows avatars. A row without an avatar has no entry. */
  readonly avatars: ReadonlyMap<string, string>;
  /** The rewards of levels; undefined unless they were asked for. */
  readonly rewards?: readonly NamedReward[];
}

/** A role that members have from a level on, as people see the role. */
export interface NamedReward {
  readonly level: number;
  /** Name and colour as the bot has told them; null if the bot has not. The colour is `#rrggbb`. */
  readonly role: { readonly id: string; readonly name: string | null; readonly color: string | null };
}

/** The data that a command for a public page asks for beside rows. */
interface PublicCommandOptions {
  /** Whether to read the rewards of levels, too. */
  readonly withRewards?: boolean;
}

/** One page of the ranking. */
export interface PublicPage extends PublicGuild {
  readonly page: LeaderboardPage;
}

/** A member with the rows around it. */
export interface PublicMember extends PublicGuild {
  readonly member: LeaderboardEntry;
  /** The member and its neighbours, in the order of the ranking. */
  readonly rows: readonly LeaderboardEntry[];
  /** Members in the ranking. */
  readonly total: number;
  readonly dailyStreak: number;
}

/** A guild with a public page that does not have what an address names: a member in the ranking, a board, or a page of rewards. */
export interface PublicMissing extends PublicGuild {
  readonly isMissing: true;
}

/** Returns a guild without what was wanted. It has no revision, so that it is asked for anew each time. */
function missingIn(guild: PublicGuild): Versioned<PublicMissing> {
  return { revision: '', value: { ...guild, isMissing: true } };
}

/** The revision of "" keeps it out of the response cache: a page that is off is asked for anew each time. */
const NOTHING: Versioned<null> = { revision: '', value: null };

/**
 * The reply of command-public.lua: settings, rows and their avatars, whether there are rules, counters, the limits of the period, and the rank of the first
 * row of a member, from 0.
 */
type PublicReply = readonly [
  settings: readonly string[],
  page: PageReply | '',
  avatars: readonly string[],
  rules: string,
  counters: readonly string[],
  period: readonly string[],
  first?: number | string,
];

/** The reply of a command that has "rewarded" in its name. */
type RewardedReply = readonly [reply: PublicReply, told: readonly [rules: string, roles: string]];

/** Returns the name and the arguments of a command of command-public.lua. */
function publicCommand(command: string, { withRewards }: PublicCommandOptions): string {
  return `public.${withRewards ? 'rewarded.' : ''}${command}`;
}

/** Returns what a command replies without the rewards, and the rewards if they were asked for. */
function splitReply(
  reply: CommandReply,
  { withRewards }: PublicCommandOptions,
): [PublicReply, Pick<PublicGuild, 'rewards'>] {
  if (!withRewards) return [reply as unknown as PublicReply, {}];
  const [shown, [rules, roles]] = reply as unknown as RewardedReply;
  return [shown, { rewards: rewardsIn(rules, roles) }];
}

/** Reads one page of a guild with a public page; null for another guild. O(log m + limit). */
export class PublicPageCommand implements ReadCommand<Versioned<PublicPage | PublicMissing | null>> {
  readonly line: string;
  readonly isOfBoard: boolean;
  readonly isPublic = true;
  private readonly pageCommand: PageCommand;

  /** @param page from 1. */
  constructor(
    readonly guildId: string,
    page: number,
    readonly weight: number,
    private readonly board: BoardName | undefined,
    private readonly options: PublicCommandOptions = {},
  ) {
    this.pageCommand = new PageCommand(guildId, page, weight, board);
    this.line = publicCommand(this.pageCommand.line, options);
    this.isOfBoard = this.pageCommand.isOfBoard;
  }

  decode(reply: CommandReply): Versioned<PublicPage | PublicMissing | null> {
    if (typeof reply === 'string') return NOTHING;
    const [shown, rewards] = splitReply(reply, this.options);
    const guild = guildOf(shown, this.board);
    if (!hasBoard(guild, this.board)) return missingIn(guild);
    const { revision, value: page } = this.pageCommand.decode(shown[1] as unknown as CommandReply);
    return { revision, value: { ...guild, ...rewards, revision, page } };
  }
}

/** Reads a member of a guild with a public page, in the middle of rows; null as for {@link PublicPageCommand}. O(log m + limit). */
export class PublicMemberCommand implements ReadCommand<Versioned<PublicMember | PublicMissing | null>> {
  readonly line: string;
  readonly isOfBoard: boolean;
  readonly isPublic = true;

  /** @param weight rows to read. Where the ranking ends, the member is not in the middle, and there are as many rows. */
  constructor(
    readonly guildId: string,
    private readonly userId: string,
    readonly weight: number,
    private readonly board: BoardName | undefined,
    private readonly options: PublicCommandOptions = {},
  ) {
    this.line = publicCommand([commandName('member', board), userId, weight].join(' '), options);
    this.isOfBoard = board !== undefined;
  }

  decode(reply: CommandReply): Versioned<PublicMember | PublicMissing | null> {
    if (typeof reply === 'string') return NOTHING;
    const [shown, rewards] = splitReply(reply, this.options);
    const [, page, , , , , first] = shown;
    const guild = guildOf(shown, this.board);
    if (page === '' || !hasBoard(guild, this.board)) return missingIn(guild);
    const { revision, value } = decodePage(page, 1, Number(first));
    const { data: rows, total } = value;
    const index = rows.findIndex(({ user_id }) => user_id === this.userId);
    const member = rows[index];
    if (!member) return missingIn(guild);
    const dailyStreak = wholeXp(splitProfile(page[4][index] ?? null).streak);
    return { revision, value: { ...guild, ...rewards, revision, member, rows, total, dailyStreak } };
  }
}

/** What levels give in a guild and how its members earn XP, with the names that the bot has told. */
export interface PublicRewards extends PublicGuild {
  readonly rules: Rules;
  readonly roles: readonly GuildRole[];
  readonly channels: readonly GuildChannel[];
  /** Ranked members that have reached a level, by each level with a reward; empty for a guild in which a member has, or had, an explicit level. */
  readonly reached: ReadonlyMap<number, number>;
}

/** Reads the rules of a guild that shows them on its public page; null for a guild without a public page. O(log m) a reward. */
export class PublicRewardsCommand implements ReadCommand<Versioned<PublicRewards | PublicMissing | null>> {
  readonly line = 'public.rewards';
  readonly weight = 1;
  readonly isOfBoard = false;
  readonly isPublic = true;

  constructor(readonly guildId: string) {}

  decode(reply: CommandReply): Versioned<PublicRewards | PublicMissing | null> {
    if (typeof reply === 'string') return NOTHING;
    const [settings, rules, counters, roles, channels, reached] = reply as unknown as readonly [
      ...(readonly [string[], [string, string], string[], string, string, string]),
    ];
    const guild = guildOf([settings, '', [], rules[1], counters, []], undefined);
    const parsed = guild.hasRewards ? readableRules(rules[1]) : undefined;
    if (!parsed) return missingIn(guild);
    const { revision } = guild;
    const told = { roles: rolesIn(roles), channels: channelsIn(channels) };
    return { revision, value: { ...guild, ...told, rules: parsed, reached: reachedIn(reached) } };
  }
}

/** Returns members by levels, from a text such as `5:120 10:31`. */
function reachedIn(text: string): Map<number, number> {
  const pairs = text === '' ? [] : text.split(' ').map((pair) => pair.split(':').map(Number) as [number, number]);
  return new Map(pairs);
}

/**
 * Returns the rewards of stored rules, by level and then as the rules list them, with what the bot has told of their roles; empty for rules that
 * cannot be read. O(rules + roles).
 */
function rewardsIn(rules: string, roles: string): NamedReward[] {
  const rewards = (rules !== '' && readableRules(rules)?.rewards) || [];
  const told = new Map(rewards.length > 0 ? rolesIn(roles).map((role) => [role.id, role]) : []);
  return [...rewards]
    .sort((a, b) => a.level - b.level)
    .map(({ level, role: id }) => {
      const role = told.get(id);
      return { level, role: { id, name: role?.name || null, color: colourOf(role) } };
    });
}

/** Returns the colour of a role as `#rrggbb`, or null for a role without a colour. */
export function colourOf(role: GuildRole | undefined): string | null {
  return role?.color ? `#${role.color.toString(16).padStart(6, '0')}` : null;
}

/** Returns stored rules; undefined for a text that no command of Guildrank has stored. */
function readableRules(text: string): Rules | undefined {
  try {
    return parseRules(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns whether a guild has a board; every guild has the ranking of all time. */
function hasBoard({ boards }: PublicGuild, board: BoardName | undefined): boolean {
  return board === undefined || boards.includes(board);
}

/** Returns what a reply says of the guild. The boards are stored as "week,month". */
function guildOf(
  [settings, page, avatars, rules, counters, period]: PublicReply,
  board: BoardName | undefined,
): PublicGuild {
  const [index = '', rewards, avatarsSetting, title = '', stored = '', ...shown] = settings;
  const look = shown.slice(0, -2);
  const [name = '', icon = ''] = shown.slice(-2);
  const kinds: readonly string[] = stored.split(',');
  const boards = BOARDS.filter((name) => kinds.includes(kindOfBoard(name)));
  const { revision, value: stats, curve } = decodeStats(counters);
  const userIds = page === '' ? [] : page[3].filter((_text, at) => at % 2 === 0);
  return {
    revision,
    indexing: indexingOf(index),
    hasRewards: rewards !== 'off' && rules !== '',
    title: cutText(title, BOUNDS.title.bytes),
    boards,
    look: lookOf(look),
    about: labelOf(cutText(name, BOUNDS.title.bytes), icon),
    curve: curveOf(curve),
    stats,
    period: board ? periodOf(period) : null,
    showsAvatars: avatarsSetting === '1',
    avatars: avatarsOf(userIds, avatars),
  };
}
