import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { AddressLimiter } from '../../../core/access/address-limiter.ts';
import type { Authenticator, Identity } from '../../../core/access/authenticator.ts';
import { Doorkeeper } from '../../serving/doorkeeper.ts';
import type { RequestBatcher } from '../../serving/request-batcher.ts';
import type { Activity } from '../request-context.ts';
import {
  invalidRequest,
  memberNotFound,
  methodNotAllowed,
  Problem,
  quotaExceeded,
  tooManyRequests,
  unauthorized,
} from '../response/problem.ts';
import type { RenderedBody } from '../response/rendered-body.ts';
import type { ResponseWriter } from '../response/response-writer.ts';
import { parseQuery, type ReadQuery, ROUTES, wrongGuild } from './read-queries.ts';

/** The prefix of every operation's path. */
const PREFIX = '/api/v1';
/** Addresses to cache with their queries, because widgets ask for the same addresses again and again. */
const MAX_ADDRESSES = 20_000;
/** The API's own addresses are shorter; a longer address holds parameters that the API ignores, and is not worth the memory. */
const MAX_ADDRESS_LENGTH = 200;

/** The parts of the service that the operations of the API use. */
export interface ApiParts {
  readonly authenticator: Authenticator;
  /** Limits the look-ups of unseen keys. A look-up takes a token when it starts, and returns the token unless the key is invalid. */
  readonly limiter: AddressLimiter;
  readonly batcher: RequestBatcher<RenderedBody | null>;
  readonly responses: ResponseWriter;
  /** This layer counts the requests that are being answered. */
  readonly activity: Activity;
}

/** Returns the query of a request. @throws Problem for a request that is refused. */
type Parse = (identity: Identity) => ReadQuery;

/**
 * Answers a read: the whole way of a request, and the order of its refusals (docs/adr/0002). A request that is refused for its address
 * or its parameters is counted first, and a used-up quota comes before that refusal.
 */
async function answerRead(
  { authenticator, limiter, batcher, responses, activity }: ApiParts,
  req: Request,
  res: Response,
  next: NextFunction,
  parse: Parse,
): Promise<void> {
  const { context } = res;
  activity.inFlight++;
  try {
    const key = req.headers['x-api-key'];
    if (typeof key !== 'string') throw unauthorized('missing_api_key'); // 401
    const identity = authenticator.getCached(key) ?? (await requireApiKey(key, req.ip, authenticator, limiter)); // 429, 401, 503
    context.identity = identity;

    let query: ReadQuery | undefined;
    let refusal: unknown;
    try {
      if (identity.origins.length > 0) requireOrigin(req, identity);
      query = parse(identity);
    } catch (error) {
      refusal = error;
    }

    const { quota, response, error } = await batcher.load(identity, query); // 503
    context.quota = quota;

    if (!quota.allowed) throw quotaExceeded(quota); // 429
    if (refusal !== undefined) throw refusal; // 403, 400
    if (error !== undefined) throw error; // 503
    if (!response) throw memberNotFound(); // 404
    responses.body(req, res, response); // 304, 200
  } catch (error) {
    // Express would add a promise to each request, so the error is passed on here.
    next(error);
  } finally {
    activity.inFlight--;
  }
}

/** The layers that serve the operations of the API, read-only. */
export interface ApiRoutes {
  /** Answers addresses that were parsed before, without asking the router about them again (hot path, see ADR 11). */
  readonly knownAddresses: RequestHandler;
  /** Refuses a request without the one Host that RFC 9112 section 3.2 asks for. Node's own check answers with an empty body. */
  readonly requireHost: RequestHandler;
  /** Adds the routes to the application itself: a mounted router takes the prefix off each path and puts it back (ADR 11). */
  addTo(app: Express): void;
  /** Refuses every request. A request that carries a key is authenticated and counted first. */
  refuse(problem: () => Problem): RequestHandler;
}

/** Makes the layers that serve the operations of the API. It keeps the parsed queries of addresses that clients request again, for all layers. */
export function apiRoutes(parts: ApiParts): ApiRoutes {
  /** Queries by address: path and query, as sent. */
  const known = new LRUCache<string, ReadQuery>({
    max: MAX_ADDRESSES,
    maxSize: MAX_ADDRESSES * MAX_ADDRESS_LENGTH,
    sizeCalculation: (_query, address) => address.length,
  });
  const doorkeeper = new Doorkeeper();

  const refuse: ApiRoutes['refuse'] = (problem) => (req, res, next) => {
    if (req.headers['x-api-key'] === undefined) throw problem();
    void answerRead(parts, req, res, next, () => {
      throw problem();
    });
  };

  return {
    refuse,
    knownAddresses: (req, res, next) => {
      const isRead = (req.method === 'GET' || req.method === 'HEAD') && hasOneHost(req);
      const query = isRead ? known.get(req.url) : undefined;
      if (!query) return next();
      res.context.route = query.route;
      void answerRead(parts, req, res, next, (identity) => {
        if (query.command.guildId !== identity.guildId) throw wrongGuild();
        return query;
      });
    },
    requireHost: (req, res, next) => {
      const isMissing = req.headers.host === undefined;
      if (hasOneHost(req) || (isMissing && req.httpVersion !== '1.1')) return next();
      const detail = isMissing ? 'must be sent, as HTTP/1.1 asks' : 'must be sent once';
      refuse(() => invalidRequest([{ parameter: 'Host', detail }]))(req, res, next);
    },
    addTo: (app) => {
      for (const route of ROUTES) {
        const noteRoute: RequestHandler = (_req, res, next) => {
          res.context.route = route;
          next();
        };
        const read: RequestHandler = (req, res, next) =>
          void answerRead(parts, req, res, next, (identity) => {
            const query = parseQuery(req, route, identity);
            if (req.url.length <= MAX_ADDRESS_LENGTH && doorkeeper.meet(req.url)) known.set(req.url, query);
            return query;
          });
        app
          .route(PREFIX + route)
          .all(noteRoute)
          .get(read)
          .all(refuse(methodNotAllowed));
      }
    },
  };
}

/** Returns whether a request has exactly one Host. Node joins several with a comma, which a host cannot contain. */
function hasOneHost({ headers: { host } }: Request): boolean {
  return host !== undefined && !host.includes(',');
}

/**
 * Looks an API key up. Two round trips.
 * @param address the client's IP address.
 * @throws Problem quota_exceeded for an address that sent too many invalid keys; invalid_api_key.
 * @throws StoreUnavailableError
 */
async function requireApiKey(
  key: string,
  address: string | undefined,
  authenticator: Authenticator,
  limiter: AddressLimiter,
): Promise<Identity> {
  // A key that was valid once is never rejected for requests that other clients at its address send.
  const isLimited = authenticator.isUnseen(key);
  const retryAfterMs = isLimited ? limiter.take(address) : 0;
  if (retryAfterMs > 0) throw tooManyInvalidKeys(retryAfterMs);
  let identity: Identity | null | undefined;
  try {
    // If the header comes twice, Node joins both values to a text that is not a well-formed key.
    identity = await authenticator.authenticate(key);
  } finally {
    // Undefined: Redis did not reply, which is not the client's failure.
    if (isLimited && identity !== null) limiter.giveBack(address);
  }
  if (!identity) throw unauthorized('invalid_api_key');
  return identity;
}

/**
 * Checks that a key that is limited to origins may be used where the request comes from. Browsers name the page's origin, except within
 * one origin: the page then has the host that it asks.
 * @throws Problem wrong_guild
 */
function requireOrigin(req: Request, { origins }: Identity): void {
  const { origin } = req.headers;
  const allowed =
    origin === undefined
      ? req.headers['sec-fetch-site'] === 'same-origin' && origins.some((each) => hostOf(each) === req.host)
      : origins.includes(origin);
  // The set of codes is closed, and this is the closest code: like a key of another guild, the key is used where it does not belong.
  if (!allowed)
    throw new Problem('wrong_guild', 'This API key works only in pages of the websites that it was made for.');
}

/** Returns host and port. The scheme is left out, because a proxy that ends TLS can hide it. */
function hostOf(origin: string): string {
  return origin.replace(/^https?:\/\//, '');
}

function tooManyInvalidKeys(ms: number): Problem {
  const seconds = Math.ceil(ms / 1000);
  return tooManyRequests(
    `Too many requests with invalid keys came from this address. Try again in ${seconds} seconds.`,
    seconds,
  );
}
