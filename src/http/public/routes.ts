import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { AddressLimiter } from '../../access/address-limiter.ts';
import type { RequestBatcher } from '../../guild/ranking/request-batcher.ts';
import { type HeaderBlock, headerBlock, joinBlocks } from '../response/headers.ts';
import { methodNotAllowed, type Problem, tooManyRequests } from '../response/problem.ts';
import type { RenderedBody } from '../response/rendered-body.ts';
import type { ResponseWriter } from '../response/response-writer.ts';
import { assetFile } from '../site/asset.ts';
import { REVALIDATE, serve } from '../site/static-routes.ts';
import { problemPage } from './documents.ts';
import { noPage } from './queries.ts';
import { type Params, type Wanted, wantBadge, wantMember, wantPage } from './wanted.ts';

const COMMON = ['Vary', 'Accept-Encoding', 'X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer'];
const CACHING = headerBlock('Cache-Control', 'no-cache');
/** A badge stands in pages of other sites as a picture, and runs nothing. */
const OF_BADGES = joinBlocks(
  CACHING,
  headerBlock(
    ...COMMON,
    ...['Content-Security-Policy', "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"],
    ...['X-Frame-Options', 'DENY', 'Cross-Origin-Resource-Policy', 'cross-origin'],
  ),
);

/** Returns the headers of problems and of pages. @param embedOrigins the sites that may show them in a frame. */
function pageHeaders(embedOrigins: readonly string[]): {
  readonly ofProblems: HeaderBlock;
  readonly ofPages: HeaderBlock;
} {
  const ancestors = embedOrigins.length > 0 ? embedOrigins.join(' ') : "'none'";
  const ofProblems = headerBlock(
    ...COMMON,
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; " +
      `base-uri 'none'; frame-ancestors ${ancestors}`,
    // For old browsers, which do not know frame-ancestors.
    ...(embedOrigins.length > 0 ? [] : ['X-Frame-Options', 'DENY']),
  );
  return { ofProblems, ofPages: joinBlocks(CACHING, ofProblems) };
}

export interface PublicPagesParts {
  /** Limits the requests of an address. */
  readonly pageLimiter: AddressLimiter;
  readonly batcher: Pick<RequestBatcher<RenderedBody | null>, 'read'>;
  readonly responses: ResponseWriter;
  /** The sites that may show the pages in a frame, such as the dashboard; "*" allows all. */
  readonly embedOrigins: readonly string[];
}

/** The web pages of guilds that have switched them on. They need no API key, and count on no quota. */
export interface PublicPages {
  readonly router: Router;
  /** Sends the page of a problem, if the request was for one of these pages. @returns whether it was. */
  refuse(req: Request, res: Response, problem: Problem): boolean;
}

/** The routes, each with the read that it needs, and the relative address of the root of the service. */
const ROUTES: readonly [route: string, root: string, want: (params: Params, query: Request['query']) => Wanted][] = [
  ['/g/:guild_id', '../', wantPage],
  ['/g/:guild_id/m/:user_id', '../../../', wantMember],
  ['/g/:guild_id/badge.svg', '../../', wantBadge],
];
/** The form of the search leads here, and from here to the page of the member. */
const SEARCH = '/g/:guild_id/m';
const ROOTS = new Map([...ROUTES.map(([route, root]) => [route, root] as const), [SEARCH, '../../'] as const]);

/** @param onFile called for each request of a file of the pages, and of their search. */
export function publicPages(
  { pageLimiter, batcher, responses, embedOrigins }: PublicPagesParts,
  onFile: () => void,
): PublicPages {
  const { ofProblems, ofPages } = pageHeaders(embedOrigins);
  const router = Router({ caseSensitive: true, strict: true });
  const refuse: PublicPages['refuse'] = (req, res, problem) => {
    const root = ROOTS.get(res.context.route);
    if (root === undefined) return false;
    responses.refuse(req, res, problem, problemPage(problem, root), 'text/html; charset=utf-8', ofProblems);
    return true;
  };
  /** Lets a request pass that its address may send. */
  const limit: RequestHandler = (req, res, next) => {
    const waitMs = pageLimiter.take(req.ip);
    if (waitMs === 0) return next();
    const detail = 'Too many requests came from your address. Wait a moment, and load this page again.';
    // Not thrown, because the log of errors and the metric of invalid keys are for other refusals.
    refuse(req, res, tooManyRequests(detail, Math.ceil(waitMs / 1000)));
  };
  const answer = async (req: Request, res: Response, wanted: Wanted, headers: HeaderBlock): Promise<void> => {
    const { response, error } = await batcher.read(wanted);
    if (error !== undefined) throw error;
    if (!response) throw noPage();
    responses.send(req, res, response, headers);
  };
  const add = (route: string, handler: RequestHandler): void => {
    const named: RequestHandler = (_req, res, next) => {
      res.context.route = route;
      next();
    };
    router
      .route(route)
      .all(named)
      .get(limit, handler)
      .all(() => {
        throw methodNotAllowed();
      });
  };

  for (const [route, , want] of ROUTES) {
    const headers = want === wantBadge ? OF_BADGES : ofPages;
    add(route, (req, res) => answer(req, res, want(req.params as Params, req.query), headers));
  }
  add(SEARCH, (req, res) => {
    const { id, board } = req.query;
    const query = typeof board === 'string' ? `?board=${encodeURIComponent(board)}` : '';
    const wanted = encodeURIComponent(typeof id === 'string' ? id.trim() : '');
    const to = wanted === '' ? `../${encodeURIComponent(String(req.params.guild_id))}` : `m/${wanted}${query}`;
    onFile();
    res.writeHead(303, { Location: to, 'Cache-Control': 'no-store', 'X-Request-Id': res.context.requestId }).end();
  });
  for (const name of ['page.css', 'live.js']) {
    const path = `/public/${name}`;
    router.get(path, (_req, _res, next) => {
      onFile();
      next();
    });
    serve(router, path, assetFile(new URL(`../../web/public/${name}`, import.meta.url)), REVALIDATE);
  }
  return { router, refuse };
}
