import type { Request, Response } from 'express';
import { WINDOW_S } from '../../access/quotas.ts';
import { headerLines, headerList, type RawHead } from './headers.ts';
import { Problem } from './problem.ts';
import type { RenderedBody } from './rendered-body.ts';

/** For whoever opens an answer as if it were a page: it runs nothing, loads nothing and stands in no frame. */
const SAFETY = headerLines(
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ...['X-Frame-Options', 'DENY'],
  ...['Referrer-Policy', 'no-referrer'],
  ...['Cross-Origin-Resource-Policy', 'cross-origin'],
);

/**
 * Writes answers: every header that an answer carries is put together here. What answers have in common is kept as one text; put
 * together for each, its pieces took 7 % of a request (docs/adr/0011).
 */
export class ResponseWriter {
  private readonly vary: string;
  private readonly caching: string;
  /** By CORS headers, of which there are few: they and what else every answer with data carries. */
  private readonly ofData = new Map<string, string>();
  /** By requests per window, of which there are as many as plans. */
  private readonly policies = new Map<number, string>();

  constructor(
    /** Seconds a browser may reuse an answer without asking; 0 = it always asks. */
    cacheMaxAgeS: number,
    /** Whether the CORS headers depend on the Origin of the request. */
    variesByOrigin: boolean,
    /** Milliseconds since the epoch. */
    private readonly now: () => number,
    private readonly heads: RawHead,
    /** Called with every answer that goes out. */
    private readonly onAnswer: (req: Request, res: Response) => void,
  ) {
    this.vary = headerLines('Vary', variesByOrigin ? 'x-api-key, Origin' : 'x-api-key');
    const reuse = cacheMaxAgeS > 0 ? `private, max-age=${cacheMaxAgeS}` : 'private, no-cache';
    this.caching = headerLines('Cache-Control', reuse) + this.vary;
  }

  /** 200 with the ready bytes, or 304 when the client holds them already. @throws Problem member_not_found for a null. */
  view(req: Request, res: Response, view: RenderedBody | null): void {
    if (view === null) throw memberNotFound();
    const own = this.own(res);
    const common = this.common(res.context.cors);
    const ifNoneMatch = req.headers['if-none-match'];
    if (ifNoneMatch !== undefined && matches(ifNoneMatch, view.etag)) {
      this.heads.write(req, res, 304, `${own}ETag: ${view.etag}\r\n${common}`);
      res.end();
    } else {
      this.heads.write(req, res, 200, own + view.lines + common);
      sendWhole(res, view.body);
    }
    this.onAnswer(req, res);
  }

  problem(req: Request, res: Response, problem: Problem): void {
    const body = Buffer.from(problem.body(res.context.requestId));
    const content = ['Content-Type', 'application/problem+json', 'Content-Length', String(body.length)];
    const rest = headerLines('Cache-Control', 'no-store', ...(problem.extra.headers ?? []), ...content);
    const lines = this.own(res) + rest + this.vary + SAFETY + res.context.cors;
    res.writeHead(problem.status, headerList(lines));
    res.end(body);
    this.onAnswer(req, res);
  }

  /** The headers that only this answer carries, whatever it is. */
  private own({ context: { requestId, quota } }: Response): string {
    const id = `X-Request-Id: ${requestId}\r\n`;
    if (!quota) return id;
    const { limit, remaining, resetMs } = quota;
    const seconds = Math.max(0, Math.ceil(resetMs / 1000));
    const reset = Math.ceil((this.now() + resetMs) / 1000);
    return (
      `${this.policy(limit)}RateLimit: "hourly";r=${remaining};t=${seconds}\r\n` +
      `X-RateLimit-Remaining: ${remaining}\r\nX-RateLimit-Reset: ${reset}\r\n${id}`
    );
  }

  private policy(limit: number): string {
    return kept(this.policies, limit, () =>
      headerLines('RateLimit-Policy', `"hourly";q=${limit};w=${WINDOW_S}`, 'X-RateLimit-Limit', String(limit)),
    );
  }

  private common(cors: string): string {
    return kept(this.ofData, cors, () => [this.caching, SAFETY, cors].join(''));
  }
}

/** The text kept under a key, made when there is none. */
function kept<K>(texts: Map<K, string>, key: K, make: () => string): string {
  let text = texts.get(key);
  if (text === undefined) {
    text = make();
    texts.set(key, text);
  }
  return text;
}

/** Headers and body in one write of one string, where `end` with a body makes a vectored write of two: 4 % of a request. */
function sendWhole(res: Response, body: string): void {
  const { socket } = res;
  socket?.cork();
  res.write(body, 'latin1');
  socket?.uncork();
  res.end();
}

/** RFC 9110 section 13.1.2: a list of entity tags, compared weakly, or "*". */
function matches(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}

function memberNotFound(): Problem {
  return new Problem('member_not_found', 'This server has no member with that user_id in its ranking.');
}
