import * as z from 'zod';
import { ID_PATTERN } from '../../core/ranking/model.ts';
import { MAX_SEARCH_LENGTH } from '../../core/reads/name-search.ts';
import { LANGUAGES, type Language } from '../../widget/translation.ts';
import { countParameter, id, parseAll, userId } from '../http/api/schemas.ts';
import { invalidRequest, Problem } from '../http/response/problem.ts';

/** Rows of a page unless its address names another number, and the most rows. */
const DEFAULT_ROWS = 25;
const MAX_ROWS = 100;

const FIND_RULE = 'must be a text of 1 to 100 characters';

const oneOf = <const T extends readonly [string, ...string[]]>(values: T) => {
  const rule = `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
  return z.enum(values, { error: ({ input }) => (Array.isArray(input) ? 'must be given once' : rule) });
};
const board = oneOf(['week', 'week.prev', 'month', 'month.prev']).optional();
const lang = oneOf(LANGUAGES).optional();
const rankingQuery = z.object({ board, lang });
const pageQuery = rankingQuery.extend({
  page: countParameter(1, Number.MAX_SAFE_INTEGER, 1),
  limit: countParameter(1, MAX_ROWS, DEFAULT_ROWS),
  around: id.optional(),
  overlay: oneOf(['0', '1']).optional(),
});
/** The parameters of documents of data, with the texts that describe them. */
export const dataParams = z.object({
  guild_id: id.meta({ description: 'Server id, always a string', examples: ['81384788765712384'] }),
});
export const memberDataParams = dataParams.extend({ user_id: userId });
export const memberDataQuery = z.object({
  board: board.describe(
    'A board of the server: the XP gained in this week or month, or in the last week or month. Without it, the ranking of all time',
  ),
});
export const dataQuery = memberDataQuery.extend({
  page: countParameter(1, Number.MAX_SAFE_INTEGER, 1).describe(
    'Page number. A page past the end is empty, with the true total',
  ),
  limit: countParameter(1, MAX_ROWS, DEFAULT_ROWS).describe(
    'Entries a page. A value out of range is 400, never clamped',
  ),
  around: id
    .optional()
    .meta({ description: 'Id of a member: the entries with this member in the middle. Not beside `page`' }),
  find: z
    .string({ error: 'must be given once' })
    .trim()
    .min(1, FIND_RULE)
    .max(MAX_SEARCH_LENGTH, FIND_RULE)
    .optional()
    .describe(
      'The members whose name has this text, or whose id it is: ten at most, by rank among all time, on one page. Not beside `page`, `around` or `board`',
    ),
  rewards: oneOf(['0', '1'])
    .optional()
    .describe('`1` adds the field `rewards`: the roles that levels give, where the public page shows them'),
});
const searchQuery = rankingQuery.extend({
  find: z
    .string({ error: 'must be given once' })
    .max(MAX_SEARCH_LENGTH, `must have ${MAX_SEARCH_LENGTH} characters at most`),
});
const cardQuery = rankingQuery.extend({ theme: oneOf(['dark', 'light']).default('dark') });
const badgeQuery = rankingQuery.extend({ member: z.string({ error: 'must be given once' }).optional() });

/** The ranking that a page shows, and the choices of the address about it. */
export type RankingQuery = ReturnType<typeof ranking>;
/** The parsed address of a document of data. */
export type DataQuery = ReturnType<typeof parseData>;
/** The parsed address of a page of a ranking. */
export type PageQuery = ReturnType<typeof parsePage>;
/** The parsed address of the page of a member. */
export type MemberQuery = ReturnType<typeof parseMember>;
/** The parsed address of a search. */
export type SearchQuery = ReturnType<typeof parseSearch>;

/** An address of a visitor. */
export interface Address {
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: unknown;
  /** The language of the visitor, unless the address names one. */
  readonly lang: Language;
}

function ranking(address: Address, { board, lang }: z.infer<typeof rankingQuery>) {
  return {
    guildId: knownForm(address.params.guild_id),
    /** A board of the guild; undefined = its ranking. */
    board,
    lang: lang ?? address.lang,
    /** Whether the address names the language. Links then name it too. */
    isLangGiven: lang !== undefined,
  };
}

/** @throws Problem not_found for an id of no guild; invalid_request naming every bad parameter. */
export function parsePage(address: Address) {
  const { page, limit, around, overlay, ...rest } = parseAll(z.object({}), pageQuery, {}, address.query);
  const shown = { page, limit, isDefaultLimit: limit === DEFAULT_ROWS, around, isOverlay: overlay === '1' };
  return { ...ranking(address, rest), ...shown };
}

/** @throws Problem as {@link parsePage}. */
export function parseSearch(address: Address) {
  const { find, lang } = parseAll(z.object({}), searchQuery, {}, address.query);
  return { ...ranking(address, { board: undefined, lang }), find };
}

/** @throws Problem as {@link parsePage}; not_found for an id that no member can have. */
export function parseMember(address: Address) {
  const rest = parseAll(z.object({}), rankingQuery, {}, address.query);
  return { ...ranking(address, rest), userId: knownForm(address.params.user_id) };
}

/** @throws Problem as {@link parsePage}; invalid_request for an address with two of the parameters `page`, `around` and `find`. */
export function parseData(address: Address) {
  const { board, page, limit, around, find, rewards } = parseAll(z.object({}), dataQuery, {}, address.query);
  const given = Object.keys(address.query as object).filter(
    (name) => name === 'page' || name === 'around' || name === 'find' || (name === 'board' && find !== undefined),
  );
  if (given.length > 1)
    throw invalidRequest(
      given.slice(1).map((parameter) => ({ parameter, detail: `cannot be given together with ${given[0]}` })),
    );
  const shown = { board, page, limit, around, find, withRewards: rewards === '1' };
  return { guildId: knownForm(address.params.guild_id), ...shown };
}

/** @throws Problem as {@link parseMember}. */
export function parseMemberData(address: Address) {
  const { board } = parseAll(z.object({}), memberDataQuery, {}, address.query);
  return { guildId: knownForm(address.params.guild_id), userId: knownForm(address.params.user_id), board };
}

/** @throws Problem as {@link parsePage}. */
export function parseRewards(address: Address): RankingQuery {
  return ranking(address, { board: undefined, ...parseAll(z.object({}), z.object({ lang }), {}, address.query) });
}

/** @throws Problem as {@link parsePage}. */
export function parsePicture(address: Address): RankingQuery {
  return ranking(address, parseAll(z.object({}), rankingQuery, {}, address.query));
}

/** The parsed address of the card of a member. */
export type CardQuery = ReturnType<typeof parseCard>;

/** @throws Problem as {@link parseMember}. */
export function parseCard(address: Address) {
  const { theme, ...rest } = parseAll(z.object({}), cardQuery, {}, address.query);
  return { ...ranking(address, rest), userId: knownForm(address.params.user_id), theme };
}

/** @throws Problem as {@link parseMember}. */
export function parseBadge(address: Address): RankingQuery | MemberQuery {
  const { member, ...rest } = parseAll(z.object({}), badgeQuery, {}, address.query);
  const shown = ranking(address, rest);
  return member === undefined ? shown : { ...shown, userId: knownForm(member) };
}

/** Returns the query of an address that shows the same board in the same language, or "". @param more further parameters. */
export function queryOf(
  { board, lang, isLangGiven }: Omit<RankingQuery, 'guildId'>,
  ...more: (string | false)[]
): string {
  const all = [board !== undefined && `board=${board}`, ...more, isLangGiven && `lang=${lang}`].filter(Boolean);
  return all.length > 0 ? `?${all.join('&')}` : '';
}

function knownForm(id = ''): string {
  if (!ID_PATTERN.test(id)) throw noPage();
  return id;
}

/** The problem of a page that does not exist, of a page that is switched off, and of a member that is not ranked. Visitors learn nothing else. */
export function noPage(): Problem {
  return new Problem('not_found', 'There is no public page here, or no such member in this ranking.');
}
