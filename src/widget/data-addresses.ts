import type { EntryData, MemberData, PageData, RankingData, RewardData, StatsData } from './api-data.ts';

/**
 * How a widget asks for the data of a guild: the paths below the address of the guild, and how to read their answers. A board is the end of the id of
 * its ranking, such as `~week`, and empty for all time.
 */
export interface DataAddresses {
  /** Returns the address of a guild. @param base address of the service, without a slash at its end. */
  root(base: string, guild: string): string;
  /** Returns the path of a page. @param withRewards whether to ask for the roles that levels give, too. */
  page(board: string, limit: number, page: number, withRewards: boolean): string;
  /** Returns the path of an answer with the totals. @param page path of the page that is read anyway. */
  stats(board: string, page?: string): string;
  member(board: string, id: string): string;
  /** Returns the path of a search. That of public data finds members of all time, whatever the board. */
  find(board: string, text: string): string;
  /** Whether a search finds names, too. */
  readonly findsNames: boolean;
  /** Says to the author that too many requests came. */
  readonly limit: string;
  /** Returns whether a path can be without an answer while the other paths of its guild have answers, because the guild does not have a board. */
  isOfBoard(path: string): boolean;
  /** Says to the author that there is nothing at an address. */
  absent(root: string): string;
  statsOf(answer: unknown): StatsData | undefined;
  /** Returns the roles that levels give, by level. */
  rewardsOf(answer: unknown): readonly RewardData[];
  memberOf(answer: unknown): MemberData | undefined;
  foundOf(answer: unknown): readonly (EntryData | MemberData)[];
}

/** The API of a server, which needs an API key: the page, the totals and a member are a request each. */
export const KEYED: DataAddresses = {
  root: (base, guild) => `${base}/api/v1/servers/${guild}`,
  page: (board, limit, page) => `${board}/leaderboard?limit=${limit}&page=${page}`,
  stats: (board) => `${board}/stats`,
  member: (board, id) => `${board}/members/${id}`,
  find: (board, text) => `${board}/members/${text}`,
  findsNames: false,
  limit: 'The hourly quota is used up.',
  // The API answers for each board.
  isOfBoard: () => false,
  absent: (root) => `There is no leaderboard service at ${root}. Check the base-url attribute.`,
  statsOf: (answer) => answer as StatsData | undefined,
  rewardsOf: () => [],
  memberOf: (answer) => answer as MemberData | undefined,
  foundOf: (answer) => [answer as MemberData],
};

/** The data of a public page. They need no API key, and one document has the page and the totals. */
export const PUBLIC: DataAddresses = {
  root: (base, guild) => `${base}/g/${guild}`,
  page: (board, limit, page, withRewards) =>
    `/data.json?limit=${limit}&page=${page}${named(board)}${withRewards ? '&rewards=1' : ''}`,
  stats: (board, page) => page ?? `/data.json?limit=1${named(board)}`,
  member: (board, id) => `/m/${id}/data.json${named(board).replace('&', '?')}`,
  find: (_board, text) => `/data.json?limit=10&find=${encodeURIComponent(text)}`,
  findsNames: true,
  limit: 'Too many requests came from this address.',
  isOfBoard: (path) => path.includes('board='),
  absent: (root) =>
    `There is no public page at ${root}, or no such board. Switch it on, or check the guild, boards and base-url attributes, or set api-key.`,
  statsOf: (answer) => (answer as RankingData | undefined)?.stats,
  rewardsOf: (answer) => (answer as RankingData | undefined)?.rewards ?? [],
  memberOf: (answer) => (answer as { member: MemberData } | undefined)?.member,
  foundOf: (answer) => (answer as PageData).data,
};

const named = (board: string) => board.replace('~', '&board=');
