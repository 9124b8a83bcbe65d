import { RefusedError } from '../../core/errors.ts';
import type { CommandBatcher } from '../../core/reads/command-batcher.ts';
import { foldText } from '../../core/reads/fold-text.ts';
import type { NameSearch } from '../../core/reads/name-search.ts';
import { PublicPageCommand } from '../../core/reads/public-page.ts';
import { invalidRequest, Problem } from '../http/response/problem.ts';
import type { RenderedBody } from '../http/response/rendered-body.ts';
import { renderFound } from './data.ts';
import { renderSearch } from './documents.ts';
import { type Address, noPage, parseData, parseSearch, queryOf } from './queries.ts';
import type { Site } from './unfurl.ts';

/** The parts of the service that a search on a public page uses. */
export interface SearchParts {
  readonly commands: Pick<CommandBatcher, 'read'>;
  readonly search: Pick<NameSearch, 'find'>;
}

/** The answer to a search: a page, or the relative address of another page. */
export type SearchAnswer = { readonly body: RenderedBody } | { readonly to: string };

/** User ids that a browser would resolve as steps in a path, however they are encoded. */
const WAYS_UP: readonly string[] = ['.', '..'];

/**
 * Searches the members of a guild with a public page. A single hit leads straight to the page of the member, and an empty text leads to the
 * ranking. Takes one round trip more than {@link NameSearch.find}.
 * @throws Problem not_found for a guild without a public page; invalid_request; store_unavailable, with the refusal as its cause, when other
 * searches have to end first.
 * @throws StoreUnavailableError
 */
export async function answerSearch(address: Address, site: Site, parts: SearchParts): Promise<SearchAnswer> {
  const query = parseSearch(address);
  const { guildId, find } = query;
  if (foldText(find) === '') return { to: guildId + queryOf(query) };
  const { value: page } = await parts.commands.read(new PublicPageCommand(guildId, 1, 1, undefined));
  if (!page || 'isMissing' in page) throw noPage();
  const hits = await hitsOf(guildId, find, parts);
  const [only] = hits?.length === 1 ? hits : [];
  if (only && !WAYS_UP.includes(only.userId)) return { to: `${guildId}/m/${only.userId}${queryOf(query)}` };
  return { body: renderSearch(query, page, hits, site) };
}

/**
 * Searches as {@link answerSearch}, for a program: the hits in the form of a ranking.
 * @throws Problem and StoreUnavailableError as {@link answerSearch}; invalid_request also for a guild with too many names.
 */
export async function answerDataSearch(address: Address, parts: SearchParts) {
  const query = parseData(address);
  const { guildId, find = '', withRewards } = query;
  const { value: page } = await parts.commands.read(new PublicPageCommand(guildId, 1, 1, undefined, { withRewards }));
  if (!page || 'isMissing' in page) throw noPage();
  const hits = foldText(find) === '' ? [] : await hitsOf(guildId, find, parts);
  if (!hits) throw invalidRequest([{ parameter: 'find', detail: 'must be a user id: this server has too many names' }]);
  const data = hits
    .slice(0, query.limit)
    .map(({ userId, rank, username, level, xp }) => ({ rank, user_id: userId, username, level, xp }));
  return { guildId, body: renderFound(query, page, data) };
}

/** Returns the hits of a search; undefined when the guild has too many names. */
async function hitsOf(guildId: string, find: string, { search }: SearchParts) {
  try {
    return await search.find(guildId, find);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    if (error.code === 'search_too_large') return undefined;
    const { seconds } = error.params as { readonly seconds: number };
    const detail = 'Other searches have to end first. Load this page again in a moment.';
    throw new Problem('store_unavailable', detail, { headers: ['Retry-After', String(seconds)], cause: error });
  }
}
