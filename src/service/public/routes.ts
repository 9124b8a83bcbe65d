import { type Request, type RequestHandler, type Response, Router } from 'express';
import { LRUCache } from 'lru-cache';
import type { AddressLimiter } from '../../core/access/address-limiter.ts';
import type { PublicUse, Usage } from '../../core/access/usage.ts';
import { RefusedError } from '../../core/errors.ts';
import type { Language } from '../../widget/translation.ts';
import type { Encoding } from '../http/response/encoding.ts';
import { type HeaderBlock, headerBlock, joinBlocks } from '../http/response/headers.ts';
import { Problem, tooManyRequests } from '../http/response/problem.ts';
import { RenderedBody } from '../http/response/rendered-body.ts';
import { isFresh, type ResponseWriter } from '../http/response/response-writer.ts';
import { addRoute, assetFile, serve } from '../http/site/asset.ts';
import { isPerson } from '../http/site/is-person.ts';
import { REVALIDATE } from '../http/site/static-routes.ts';
import type { RequestBatcher } from '../serving/request-batcher.ts';
import { AvatarLoader, type AvatarLoaderParts } from './avatar-loader.ts';
import { withAvatars } from './illustration.ts';
import { acceptedLanguage, DEFAULT_LANGUAGE } from './languages.ts';
import { DATA_POLICY, PICTURE_POLICY, policyOf, styleOf } from './look.ts';
import { MissingProblem } from './missing-problem.ts';
import { iconOf } from './names-and-pictures.ts';
import { type Painter, Pictures } from './pictures.ts';
import { problemPage } from './problem-page.ts';
import {
  badgeRead,
  cardRead,
  dataRead,
  type MakeRead,
  memberDataRead,
  memberRead,
  type PublicRead,
  pageRead,
  rewardsRead,
  topRead,
} from './public-reads.ts';
import { type Address, noPage } from './queries.ts';
import { answerDataSearch, answerSearch, type SearchParts } from './search.ts';
import { UndrawnProblem } from './undrawn.ts';
import type { Site } from './unfurl.ts';

const COMMON = {
  Vary: 'Accept-Encoding, Accept-Language',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};
const CACHING = headerBlock('Cache-Control', 'no-cache');
/** The header X-Frame-Options, for old browsers that do not know frame-ancestors. */
const NO_FRAME = { 'X-Frame-Options': 'DENY' };
/** A badge and a picture stand in pages of other sites, and run nothing. A search engine that follows links of a page must not list members by them. */
const IMAGE_HEADERS = joinBlocks(
  CACHING,
  blockOf({
    ...COMMON,
    ...NO_FRAME,
    'Content-Security-Policy': PICTURE_POLICY,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Robots-Tag': 'noindex',
  }),
);
/** The data of a page is for programs of any site. */
const DATA_PROBLEM_HEADERS = blockOf({
  Vary: 'Accept-Encoding',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': DATA_POLICY,
  'X-Robots-Tag': 'noindex',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Retry-After, X-Request-Id',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  ...NO_FRAME,
});
/** A proxy and a browser may each keep data for five seconds. So a hidden member is gone everywhere after ten seconds. */
const DATA_HEADERS = joinBlocks(headerBlock('Cache-Control', 'public, max-age=5, s-maxage=5'), DATA_PROBLEM_HEADERS);
/** The codings of the responses. The coding that makes smaller bodies comes first. */
const DATA_CODINGS = ['br', 'gzip'] as const;
/** Parsed addresses to cache, because open pages request the same addresses again and again. */
const MAX_ADDRESSES = 5000;
/** Longest key to cache. The address of a page and the languages of a browser are shorter together. A longer key is not worth the memory. */
const MAX_KEY_LENGTH = 300;
/** Seconds after which a client asks for a picture again when too many pictures wait to be drawn. */
const PICTURE_RETRY_S = '2';

/** The parts of the service that the public pages use. */
export interface PublicPagesParts extends Omit<Site, 'hasPictures' | 'frameAncestors'>, SearchParts {
  /** Limits the requests of an address. */
  readonly limiter: AddressLimiter;
  /** Limits the searches of an address. */
  readonly searchLimiter: AddressLimiter;
  readonly batcher: Pick<RequestBatcher<RenderedBody | null>, 'read'>;
  /** Counts the answered requests by guild. */
  readonly usage: Pick<Usage, 'countPublic'>;
  readonly responses: ResponseWriter;
  /** Draws the pictures of the first members; undefined = there are no such pictures. */
  readonly painter: Painter | undefined;
  /** Loads the avatars in drawn pictures; undefined = drawn pictures have initials. */
  readonly avatars: AvatarLoaderParts | undefined;
  /** The sites that may show the pages in a frame, such as the dashboard; "*" allows all. */
  readonly embedOrigins: readonly string[];
}

/** The web pages of guilds that have switched them on. They need no API key, and count on no quota. */
export type PublicPages = ReturnType<typeof publicPages>;

/** An address that was parsed, with what its response needs. */
interface KnownAddress {
  readonly route: string;
  readonly publicRead: PublicRead;
  readonly headers: HeaderBlock;
  readonly codings: readonly Encoding[] | undefined;
}

/** A route that one read answers. */
interface Route {
  readonly path: string;
  /** Relative address of the root of the service. */
  readonly root: string;
  readonly makeRead: MakeRead;
  /**
   * The kind of response that the route sends: a web page in the language of the visitor, or a response that is the same for all visitors unless its
   * address names a language.
   */
  readonly kind: 'page' | 'image' | 'data';
}

const PAGE = '/g/:guild_id';
const DATA = '/g/:guild_id/data.json';
const ROUTES: readonly Route[] = [
  { path: PAGE, root: '../', makeRead: pageRead, kind: 'page' },
  { path: '/g/:guild_id/rewards', root: '../../', makeRead: rewardsRead, kind: 'page' },
  { path: DATA, root: '../../', makeRead: dataRead, kind: 'data' },
  { path: '/g/:guild_id/m/:user_id', root: '../../../', makeRead: memberRead, kind: 'page' },
  { path: '/g/:guild_id/m/:user_id/data.json', root: '../../../../', makeRead: memberDataRead, kind: 'data' },
  { path: '/g/:guild_id/m/:user_id/card.svg', root: '../../../../', makeRead: cardRead, kind: 'image' },
  { path: '/g/:guild_id/badge.svg', root: '../../', makeRead: badgeRead, kind: 'image' },
];
/** Pictures that are drawn as PNG from an SVG. */
const PICTURES = [
  { path: '/g/:guild_id/top.png', root: '../../', makeRead: topRead },
  { path: '/g/:guild_id/m/:user_id/card.png', root: '../../../../', makeRead: cardRead },
] as const;
const DATA_PATHS = new Set(ROUTES.filter(({ kind }) => kind === 'data').map(({ path }) => path));
const DATA_PATH = /^\/g\/[^/]+\/(?:m\/[^/]+\/)?data\.json$/;
/** Route of the addresses below /g that name no page, such as an address that a person has shortened by hand. */
const NOWHERE = '/g/*';
const ROOTS = new Map([
  ...ROUTES.map(({ path, root }) => [path, root] as const),
  ...PICTURES.map(({ path, root }) => [path, root] as const),
]);

/** @param onFile called for each request of a file of the pages, and for each search that leads to another page. */
export function publicPages(parts: PublicPagesParts, onFile: () => void) {
  const { limiter, searchLimiter, batcher, usage, responses, painter, url, now, embedOrigins } = parts;
  const site = {
    url,
    now,
    hasPictures: painter !== undefined,
    frameAncestors: embedOrigins.join(' ') || "'none'",
  };
  const avatars = parts.avatars && new AvatarLoader(parts.avatars);
  const pageHeaders = blockOf(embedOrigins.length > 0 ? COMMON : { ...COMMON, ...NO_FRAME });
  // A page has a policy of its own.
  const cachedPageHeaders = joinBlocks(CACHING, pageHeaders);
  const problemHeaders = joinBlocks(pageHeaders, headerBlock('Content-Security-Policy', policyOf(site.frameAncestors)));
  /** Returns the headers of a problem page that looks like the page of a guild. */
  const missingHeaders = ({ guild, guildId }: MissingProblem) =>
    joinBlocks(
      pageHeaders,
      headerBlock(
        'Content-Security-Policy',
        policyOf(site.frameAncestors, styleOf(guild.look), [iconOf(guild, guildId)]),
      ),
    );
  const router = Router({ caseSensitive: true, strict: true });
  /**
   * Sends a problem as the route sends problems, if the request was for one of these pages.
   * @returns whether the request was for one of these pages.
   */
  const refuse = (req: Request, res: Response, problem: Problem): boolean => {
    const root = res.context.route === NOWHERE ? rootAbove(req.path) : ROOTS.get(res.context.route);
    if (root === undefined) return false;
    if (DATA_PATHS.has(res.context.route)) {
      const text = problem.body(res.context.requestId);
      responses.refuse(req, res, problem, text, 'application/problem+json', DATA_PROBLEM_HEADERS);
      return true;
    }
    const headers = problem instanceof MissingProblem ? missingHeaders(problem) : problemHeaders;
    responses.refuse(req, res, problem, problemPage(req, problem, root), 'text/html; charset=utf-8', headers);
    return true;
  };
  /** Lets a request pass if its IP address is within its limit. */
  const limitBy =
    (taken: AddressLimiter): RequestHandler =>
    (req, res, next) => {
      const waitMs = taken.take(req.ip);
      if (waitMs === 0) return next();
      const detail = 'Too many requests came from your address. Wait a moment, and load this page again.';
      // Answers instead of throwing, because the log of errors and the metric of invalid keys are for other refusals.
      refuse(req, res, tooManyRequests(detail, Math.ceil(waitMs / 1000)));
    };
  const limit = limitBy(limiter);
  const limitSearches = limitBy(searchLimiter);
  const readFor = (req: Request, makeRead: MakeRead, lang: Language): PublicRead =>
    makeRead(addressOf(req, lang), site);
  const read = async (publicRead: PublicRead, use: PublicUse): Promise<RenderedBody> => {
    const { response, error } = await batcher.read(publicRead);
    if (error !== undefined) throw error;
    if (!response) throw noPage();
    usage.countPublic(publicRead.command.guildId, use);
    return avatars ? withAvatars(response, avatars) : response;
  };
  /** Parsed addresses by {@link keyOf}, or by the address itself if all visitors get the same response. */
  const known = new LRUCache<string, KnownAddress>({
    max: MAX_ADDRESSES,
    maxSize: MAX_ADDRESSES * MAX_KEY_LENGTH,
    sizeCalculation: (_address, key) => key.length,
  });
  const answer = async (req: Request, res: Response, { publicRead, headers, codings }: KnownAddress): Promise<void> => {
    responses.send(req, res, await read(publicRead, codings ? 'data' : 'page'), headers, codings);
  };

  /** Passes requests without a search to the next route. */
  const ifSearch =
    (route: string): RequestHandler =>
    ({ query }, res, next) => {
      if (query.find === undefined) return next('route');
      res.context.route = route;
      next();
    };
  const refuseSearch = (req: Request, res: Response, error: unknown): void => {
    // Not thrown, because the store is there.
    if (!(error instanceof Problem && error.extra.cause instanceof RefusedError)) throw error;
    refuse(req, res, error);
  };
  router.get(PAGE, ifSearch(PAGE), limit, limitSearches, async (req, res) => {
    try {
      const answer = await answerSearch(addressOf(req, acceptedLanguage(req)), site, parts);
      if ('body' in answer) return responses.send(req, res, answer.body, cachedPageHeaders);
      onFile();
      const { requestId } = res.context;
      res.writeHead(303, { Location: answer.to, 'Cache-Control': 'no-store', 'X-Request-Id': requestId }).end();
    } catch (error) {
      refuseSearch(req, res, error);
    }
  });
  router.get(DATA, ifSearch(DATA), limit, limitSearches, async (req, res) => {
    try {
      const { guildId, body } = await answerDataSearch(addressOf(req, DEFAULT_LANGUAGE), parts);
      usage.countPublic(guildId, 'data');
      responses.send(req, res, body, DATA_HEADERS, DATA_CODINGS);
    } catch (error) {
      refuseSearch(req, res, error);
    }
  });
  for (const { path } of ROUTES.filter(({ kind }) => kind === 'page')) {
    // People and programs put a slash at the end. The redirect is relative, because a proxy can serve the pages below a path of its own.
    router.get(`${path}/`, (req, res) => {
      onFile();
      res.context.route = path;
      const [address = '', ...query] = req.url.split('?');
      const to = `../${[address.split('/').at(-2), ...query].join('?')}`;
      const { requestId } = res.context;
      res.writeHead(308, { Location: to, 'Cache-Control': 'no-cache', 'X-Request-Id': requestId }).end();
    });
  }
  const headersOf = { page: cachedPageHeaders, image: IMAGE_HEADERS, data: DATA_HEADERS } as const;
  for (const { path, makeRead, kind } of ROUTES) {
    addRoute(router, path, limit, (req, res) => {
      const publicRead = readFor(req, makeRead, kind === 'page' ? acceptedLanguage(req) : DEFAULT_LANGUAGE);
      const codings = kind === 'data' ? DATA_CODINGS : undefined;
      const address = { route: path, publicRead, headers: headersOf[kind], codings };
      const key = kind === 'page' ? keyOf(req) : req.url;
      if (key.length <= MAX_KEY_LENGTH) known.set(key, address);
      return answer(req, res, address);
    });
  }
  /** Answers addresses that the router has parsed before, without asking the router again. */
  const knownAddresses: RequestHandler = (req, res, next) => {
    const isRead = req.url.startsWith('/g/') && (req.method === 'GET' || req.method === 'HEAD');
    const address = isRead ? (known.get(req.url) ?? known.get(keyOf(req))) : undefined;
    if (!address) return next();
    res.context.route = address.route;
    limit(req, res, () => void answer(req, res, address).catch(next));
  };
  const pictures = painter && new Pictures(painter);
  for (const { path, makeRead } of PICTURES) {
    addRoute(router, path, limit, async (req, res) => {
      if (!pictures) throw new UndrawnProblem();
      const svg = await read(readFor(req, makeRead, DEFAULT_LANGUAGE), 'page');
      const etag = pictures.etagOf(svg);
      // If the client has the picture already, nobody has to draw it.
      const picture = isFresh(req.headers['if-none-match'], etag)
        ? new RenderedBody('', etag)
        : await pictures.png(svg);
      if (picture) return responses.send(req, res, picture, IMAGE_HEADERS);
      const detail = 'Other pictures are being drawn. Load this picture again in a moment.';
      // Not thrown, because the store is there.
      refuse(req, res, new Problem('store_unavailable', detail, { headers: ['Retry-After', PICTURE_RETRY_S] }));
    });
  }
  for (const name of ['page.css', 'live.js']) {
    const file = assetFile(new URL(`./assets/${name}`, import.meta.url));
    serve(router, `/public/${name}`, file, REVALIDATE, onFile);
  }
  // A person gets a page with a link back. A program gets the problem document of an unknown path.
  router.get(/^\/g(?:\/|$)/, (req, res, next) => {
    if (!isPerson(req)) return next();
    res.context.route = NOWHERE;
    limit(req, res, () => next(noPage()));
  });
  return { router, knownAddresses, refuse, isData: (path: string) => DATA_PATH.test(path) };
}

/** Returns the relative address of the root of the service from a path, such as "../../" from /g/1/m. */
function rootAbove(path: string): string {
  return '../'.repeat(path.split('/').length - 2) || './';
}

function addressOf({ params, query }: Request, lang: Language): Address {
  return { params: params as Address['params'], query, lang };
}

function blockOf(headers: Readonly<Record<string, string>>): HeaderBlock {
  return headerBlock(...Object.entries(headers).flat());
}

/** Returns everything that a page depends on as one text: its address, and the languages as the visitor sent them. */
function keyOf({ url, headers }: Request): string {
  return [headers['accept-language'], url].join('\n');
}
