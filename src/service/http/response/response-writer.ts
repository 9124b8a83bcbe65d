import type { Request, Response } from 'express';
import { WINDOW_S } from '../../../core/access/quotas.ts';
import { chooseEncoding, type Encoding } from './encoding.ts';
import { type CorsPolicy, type HeaderBlock, headerBlock, joinBlocks } from './headers.ts';
import type { Problem } from './problem.ts';
import { rawHead, sendWhole, type WriteHead } from './raw-head.ts';
import type { RenderedBody } from './rendered-body.ts';

/** The policy for a browser that opens a response as a document. The document runs nothing, loads nothing and stands in no frame. */
const SAFETY = headerBlock(
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options',
  'DENY',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Resource-Policy',
  'cross-origin',
);

/** The settings of a {@link ResponseWriter}, and the parts that it uses. */
export interface ResponseWriterParts {
  /** Seconds that a browser may reuse a response without asking; 0 = it always asks. */
  readonly cacheMaxAgeS: number;
  readonly cors: CorsPolicy;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds that a connection may stay idle, as the server is told. */
  readonly keepAliveMs: number;
  /** Called with every response that goes out. */
  readonly onResponse: (req: Request, res: Response) => void;
}

/** The only coding of responses of the API, so that a cached body has a single compressed form. */
const ENCODINGS: readonly Encoding[] = ['gzip'];

/** Writes the responses of the API with all their headers. Headers that responses share are formatted once (hot path, see ADR 11). */
export class ResponseWriter {
  /** The headers that follow the response's own headers, by the Origin of the request. */
  private readonly ofData: CorsPolicy;
  private readonly ofLargeData: CorsPolicy;
  private readonly ofProblems: CorsPolicy;
  private readonly writeHead: WriteHead;

  constructor(private readonly parts: ResponseWriterParts) {
    this.writeHead = rawHead(parts.now, parts.keepAliveMs);
    const { cacheMaxAgeS, cors } = parts;
    const variants = cors.varies ? 'x-api-key, Origin' : 'x-api-key';
    const vary = headerBlock('Vary', variants);
    const varyLarge = headerBlock('Vary', `${variants}, Accept-Encoding`);
    const reuse = cacheMaxAgeS > 0 ? `private, max-age=${cacheMaxAgeS}` : 'private, no-cache';
    const caching = headerBlock('Cache-Control', reuse);
    this.ofData = mapBlocks(cors, (block) => joinBlocks(caching, vary, SAFETY, block));
    this.ofLargeData = mapBlocks(cors, (block) => joinBlocks(caching, varyLarge, SAFETY, block));
    this.ofProblems = mapBlocks(cors, (block) => joinBlocks(vary, SAFETY, block));
  }

  /** Sends 200 with the body, compressed if it is large and the client asks; or 304 when the client has it. */
  body(req: Request, res: Response, whole: RenderedBody): void {
    this.send(req, res, whole, blockFor(req, whole.isLarge ? this.ofLargeData : this.ofData));
  }

  /**
   * Sends 200 or 304 in the same way, with other headers than the headers of the API.
   * @param codings the codings to choose from, the best coding first.
   */
  send(req: Request, res: Response, whole: RenderedBody, common: HeaderBlock, codings = ENCODINGS): void {
    const coding = whole.isLarge ? chooseEncoding(req.headers['accept-encoding'], codings) : undefined;
    const rendered = coding ? whole.encoded(coding) : whole;
    if (isFresh(req.headers['if-none-match'], rendered.etag)) {
      this.writeHead(req, res, 304, [...this.own(res), 'ETag', rendered.etag], [common]);
      res.end();
    } else {
      this.writeHead(req, res, 200, this.own(res), [rendered.headers, common]);
      sendWhole(res, rendered.body);
    }
    this.parts.onResponse(req, res);
  }

  /** Sends a problem document. */
  problem(req: Request, res: Response, problem: Problem): void {
    const text = problem.body(res.context.requestId);
    this.refuse(req, res, problem, text, 'application/problem+json', blockFor(req, this.ofProblems));
  }

  /** Sends a problem as a text of this media type. */
  refuse(req: Request, res: Response, problem: Problem, text: string, type: string, common: HeaderBlock): void {
    const body = Buffer.from(text);
    res.writeHead(problem.status, [
      ...this.own(res),
      'Cache-Control',
      'no-store',
      ...(problem.extra.headers ?? []),
      'Content-Type',
      type,
      'Content-Length',
      String(body.length),
      ...common.list,
    ]);
    res.end(body);
    this.parts.onResponse(req, res);
  }

  /** Returns the headers that only this response carries, as a flat list. */
  private own({ context: { requestId, quota } }: Response): string[] {
    const own: string[] = [];
    if (quota) {
      const { limit, remaining, resetMs } = quota;
      const resetSeconds = Math.max(0, Math.ceil(resetMs / 1000));
      const resetAt = Math.ceil((this.parts.now() + resetMs) / 1000);
      own.push('RateLimit-Policy', `"hourly";q=${limit};w=${WINDOW_S}`, 'X-RateLimit-Limit', `${limit}`);
      own.push('RateLimit', `"hourly";r=${remaining};t=${resetSeconds}`);
      own.push('X-RateLimit-Remaining', `${remaining}`, 'X-RateLimit-Reset', `${resetAt}`);
    }
    own.push('X-Request-Id', requestId);
    return own;
  }
}

function mapBlocks(policy: CorsPolicy, change: (block: HeaderBlock) => HeaderBlock): CorsPolicy {
  const { byOrigin, otherwise, varies } = policy;
  return {
    varies,
    byOrigin: new Map([...byOrigin].map(([origin, block]) => [origin, change(block)])),
    otherwise: change(otherwise),
  };
}

function blockFor(req: Request, { byOrigin, otherwise }: CorsPolicy): HeaderBlock {
  return byOrigin.get(req.headers.origin) ?? otherwise;
}

/**
 * Returns whether If-None-Match names the tag: RFC 9110 section 13.1.2, weak comparison. Express's `req.fresh` also looks at Cache-Control,
 * and at headers set one by one.
 */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch === '*') return true;
  // A proxy that compresses marks the tag: nginx makes it weak, and Apache adds -gzip or -br. The content is the same.
  const content = contentOf(etag);
  return ifNoneMatch.split(',').some((candidate) => contentOf(candidate) === content);
}

/** Returns an entity tag without the marks of a proxy that compresses. */
function contentOf(tag: string): string {
  return tag
    .trim()
    .replace(/^W\//, '')
    .replace(/-(?:gzip|br|zstd)"$/, '"');
}
