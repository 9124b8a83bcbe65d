import { type Request, type RequestHandler, type Response, Router } from 'express';
import { LRUCache } from 'lru-cache';
import type { AddressLimiter } from '../../core/access/address-limiter.ts';
import { RefusedError } from '../../core/errors.ts';
import type { Language } from '../../widget/translation.ts';
import { type HeaderBlock, headerBlock, joinBlocks } from '../http/response/headers.ts';
import { Problem, tooManyRequests } from '../http/response/problem.ts';
import { RenderedBody } from '../http/response/rendered-body.ts';
import { isFresh, type ResponseWriter } from '../http/response/response-writer.ts';
import { addRoute, assetFile, serve } from '../http/site/asset.ts';
import { REVALIDATE } from '../http/site/static-routes.ts';
import type { RequestBatcher } from '../serving/request-batcher.ts';
import { acceptedLanguage, DEFAULT_LANGUAGE } from './languages.ts';
import { PICTURE_POLICY, policyOf } from './look.ts';
import { type Painter, Pictures } from './pictures.ts';
import { problemPage } from './problem-page.ts';
import { type Address, noPage } from './queries.ts';
import { answerSearch, type SearchParts } from './search.ts';
import type { Site } from './unfurl.ts';
import { type Want, type Wanted, wantBadge, wantMember, wantPage, wantTop } from './wanted.ts';

const COMMON = {
  Vary: 'Accept-Encoding, Accept-Language',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};
const CACHING = headerBlock('Cache-Control', 'no-cache');
/** For old browsers, which do not know frame-ancestors. */
const FRAMELESS = { 'X-Frame-Options': 'DENY' };
/** A badge and a picture stand in pages of other sites, and run nothing. */
const OF_IMAGES = joinBlocks(
  CACHING,
  blockOf({
    ...COMMON,
    ...FRAMELESS,
    'Content-Security-Policy': PICTURE_POLICY,
    'Cross-Origin-Resource-Policy': 'cross-origin',
  }),
);
/** Open pages ask for the same addresses again and again: this many are cached with what they need. */
const MAX_ADDRESSES = 5000;
/** Addresses of pages and the languages of a browser are shorter together; what is longer is not worth the memory. */
const MAX_KEY_LENGTH = 300;
/** Seconds after which a picture is asked for again when too many others wait. */
const PICTURE_RETRY_S = '2';

export interface PublicPagesParts extends Omit<Site, 'hasPictures' | 'frameAncestors'>, SearchParts {
  /** Limits the requests of an address. */
  readonly limiter: AddressLimiter;
  /** Limits the searches of an address. */
  readonly searchLimiter: AddressLimiter;
  readonly batcher: Pick<RequestBatcher<RenderedBody | null>, 'read'>;
  readonly responses: ResponseWriter;
  /** Draws the pictures of the first members; undefined = there are none. */
  readonly painter: Painter | undefined;
  /** The sites that may show the pages in a frame, such as the dashboard; "*" allows all. */
  readonly embedOrigins: readonly string[];
}

/** The web pages of guilds that have switched them on. They need no API key, and count on no quota. */
export type PublicPages = ReturnType<typeof publicPages>;

/** An address that was parsed, with what its response needs. */
interface KnownAddress {
  readonly route: string;
  readonly wanted: Wanted;
  readonly headers: HeaderBlock;
}

/** The routes, each with the read that it needs, and the relative address of the root of the service. */
const PAGE = '/g/:guild_id';
const ROUTES: readonly [route: string, root: string, want: Want][] = [
  [PAGE, '../', wantPage],
  ['/g/:guild_id/m/:user_id', '../../../', wantMember],
  ['/g/:guild_id/badge.svg', '../../', wantBadge],
];
const PICTURE = '/g/:guild_id/top.png';
const ROOTS = new Map([...ROUTES.map(([route, root]) => [route, root] as const), [PICTURE, '../../']]);

/** @param onFile called for each request of a file of the pages, and for each search that leads to another page. */
export function publicPages(parts: PublicPagesParts, onFile: () => void) {
  const { limiter, searchLimiter, batcher, responses, painter, url, embedOrigins } = parts;
  const site = {
    url,
    hasPictures: painter !== undefined,
    frameAncestors: embedOrigins.join(' ') || "'none'",
  };
  const ofPages = blockOf(embedOrigins.length > 0 ? COMMON : { ...COMMON, ...FRAMELESS });
  // A page has a policy of its own.
  const ofCachedPages = joinBlocks(CACHING, ofPages);
  const ofProblems = joinBlocks(ofPages, headerBlock('Content-Security-Policy', policyOf(site.frameAncestors)));
  const router = Router({ caseSensitive: true, strict: true });
  /** Sends the page of a problem, if the request was for one of these pages. @returns whether it was. */
  const refuse = (req: Request, res: Response, problem: Problem): boolean => {
    const root = ROOTS.get(res.context.route);
    if (root === undefined) return false;
    responses.refuse(req, res, problem, problemPage(req, problem, root), 'text/html; charset=utf-8', ofProblems);
    return true;
  };
  /** Lets a request pass that its address may send. */
  const limitBy =
    (taken: AddressLimiter): RequestHandler =>
    (req, res, next) => {
      const waitMs = taken.take(req.ip);
      if (waitMs === 0) return next();
      const detail = 'Too many requests came from your address. Wait a moment, and load this page again.';
      // Not thrown, because the log of errors and the metric of invalid keys are for other refusals.
      refuse(req, res, tooManyRequests(detail, Math.ceil(waitMs / 1000)));
    };
  const limit = limitBy(limiter);
  const limitSearches = limitBy(searchLimiter);
  const wantedBy = ({ params, query }: Request, want: Want, lang: Language): Wanted =>
    want({ params: params as Address['params'], query, lang }, site);
  const read = async (wanted: Wanted): Promise<RenderedBody> => {
    const { response, error } = await batcher.read(wanted);
    if (error !== undefined) throw error;
    if (!response) throw noPage();
    return response;
  };
  /** Addresses by {@link keyOf}. */
  const known = new LRUCache<string, KnownAddress>({
    max: MAX_ADDRESSES,
    maxSize: MAX_ADDRESSES * MAX_KEY_LENGTH,
    sizeCalculation: (_address, key) => key.length,
  });
  const answer = async (req: Request, res: Response, { wanted, headers }: KnownAddress): Promise<void> => {
    responses.send(req, res, await read(wanted), headers);
  };

  /** Leaves requests that search for nothing to the next route. */
  const ifSearch: RequestHandler = ({ query }, res, next) => {
    if (query.find === undefined) return next('route');
    res.context.route = PAGE;
    next();
  };
  router.get(PAGE, ifSearch, limit, limitSearches, async (req, res) => {
    const address = { params: req.params as Address['params'], query: req.query, lang: acceptedLanguage(req) };
    try {
      const answer = await answerSearch(address, site, parts);
      if ('body' in answer) return responses.send(req, res, answer.body, ofCachedPages);
      onFile();
      const { requestId } = res.context;
      res.writeHead(303, { Location: answer.to, 'Cache-Control': 'no-store', 'X-Request-Id': requestId }).end();
    } catch (error) {
      // Not thrown, because the store is there.
      if (!(error instanceof Problem && error.extra.cause instanceof RefusedError)) throw error;
      refuse(req, res, error);
    }
  });
  for (const [route, , want] of ROUTES) {
    // An image is the same for all visitors, unless its address names a language.
    const isImage = want === wantBadge;
    addRoute(router, route, limit, (req, res) => {
      const wanted = wantedBy(req, want, isImage ? DEFAULT_LANGUAGE : acceptedLanguage(req));
      const address = { route, wanted, headers: isImage ? OF_IMAGES : ofCachedPages };
      const key = keyOf(req);
      if (key.length <= MAX_KEY_LENGTH) known.set(key, address);
      return answer(req, res, address);
    });
  }
  /** Answers addresses that were parsed before, without asking the router about them again. */
  const knownAddresses: RequestHandler = (req, res, next) => {
    const isRead = req.url.startsWith('/g/') && (req.method === 'GET' || req.method === 'HEAD');
    const address = isRead ? known.get(keyOf(req)) : undefined;
    if (!address) return next();
    res.context.route = address.route;
    limit(req, res, () => void answer(req, res, address).catch(next));
  };
  const pictures = painter && new Pictures(painter);
  addRoute(router, PICTURE, limit, async (req, res) => {
    if (!pictures) throw noPage();
    const svg = await read(wantedBy(req, wantTop, DEFAULT_LANGUAGE));
    const etag = pictures.etagOf(svg);
    // A client that has it needs no drawing.
    const picture = isFresh(req.headers['if-none-match'], etag) ? new RenderedBody('', etag) : await pictures.png(svg);
    if (picture) return responses.send(req, res, picture, OF_IMAGES);
    const detail = 'Other pictures are being drawn. Load this one again in a moment.';
    // Not thrown, because the store is there.
    refuse(req, res, new Problem('store_unavailable', detail, { headers: ['Retry-After', PICTURE_RETRY_S] }));
  });
  for (const name of ['page.css', 'live.js']) {
    const file = assetFile(new URL(`./assets/${name}`, import.meta.url));
    serve(router, `/public/${name}`, file, REVALIDATE, onFile);
  }
  return { router, knownAddresses, refuse };
}

function blockOf(headers: Readonly<Record<string, string>>): HeaderBlock {
  return headerBlock(...Object.entries(headers).flat());
}

/** Returns what a page depends on, with the languages as the visitor sent them. */
function keyOf({ url, headers }: Request): string {
  return [headers['accept-language'], url].join('\n');
}
