/** The pages of a guild that search engines may list: the leaderboard without pages of members; the pages of members too; or no page. */
export const INDEXINGS = ['leaderboard', 'members', 'none'] as const;
/** One of {@link INDEXINGS}. */
export type Indexing = (typeof INDEXINGS)[number];

/** Returns what the field `page_index` of a config says. */
export function indexingOf(stored: string): Indexing {
  return INDEXINGS.find((indexing) => indexing === stored) ?? 'leaderboard';
}
