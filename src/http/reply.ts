import type { Request, Response } from 'express';
import { WINDOW_S } from '../access/quotas.ts';
import { type Heads, headerLines, headerList } from './head.ts';
import { Problem } from './problem.ts';
import type { View } from './view.ts';

/** For whoever opens an answer as if it were a page: it runs nothing, loads nothing and stands in no frame. */
const SAFETY = headerLines(
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ...['X-Frame-Options', 'DENY'],
  ...['Referrer-Policy', 'no-referrer'],
  ...['Cross-Origin-Resource-Policy', 'cross-origin'],
);

/** Writes answers: every header that an answer carries is put together here. */
export class Replies {
  /** Headers of every answer with data, but for what differs. */
  private readonly forData: string;
  private readonly vary: string;

  constructor(
    /** Seconds a browser may reuse an answer without asking; 0 = it always asks. */
    cacheMaxAgeS: number,
    /** Whether the CORS headers depend on the Origin of the request. */
    variesByOrigin: boolean,
    /** Milliseconds since the epoch. */
    private readonly now: () => number,
    private readonly heads: Heads,
    /** Called with every answer that goes out. */
    private readonly onAnswer: (req: Request, res: Response) => void,
  ) {
    this.vary = headerLines('Vary', variesByOrigin ? 'x-api-key, Origin' : 'x-api-key');
    const reuse = cacheMaxAgeS > 0 ? `private, max-age=${cacheMaxAgeS}` : 'private, no-cache';
    this.forData = headerLines('Cache-Control', reuse) + this.vary;
  }

  /** 200 with the ready bytes, or 304 when the client holds them already. @throws Problem member_not_found for a null. */
  view(req: Request, res: Response, view: View | null): void {
    if (view === null) throw memberNotFound();
    const lines = `${this.start(res)}ETag: ${view.etag}\r\n${this.forData}`;
    const ifNoneMatch = req.headers['if-none-match'];
    if (ifNoneMatch !== undefined && matches(ifNoneMatch, view.etag)) {
      this.heads.write(req, res, 304, lines);
      res.end();
    } else {
      const content = `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${view.length}\r\n`;
      this.heads.write(req, res, 200, lines + content);
      sendWhole(res, view.body);
    }
    this.onAnswer(req, res);
  }

  problem(req: Request, res: Response, problem: Problem): void {
    const body = Buffer.from(problem.body(res.exchange.requestId));
    const content = ['Content-Type', 'application/problem+json', 'Content-Length', String(body.length)];
    const own = headerLines('Cache-Control', 'no-store', ...(problem.extra.headers ?? []), ...content);
    res.writeHead(problem.status, headerList(this.start(res) + this.vary + own));
    res.end(body);
    this.onAnswer(req, res);
  }

  /** The headers of every answer. */
  private start({ exchange: { requestId, cors, quota } }: Response): string {
    const always = `X-Request-Id: ${requestId}\r\n${SAFETY}${cors}`;
    if (!quota) return always;
    const { limit, remaining, resetMs } = quota;
    return (
      `RateLimit-Policy: "hourly";q=${limit};w=${WINDOW_S}\r\n` +
      `RateLimit: "hourly";r=${remaining};t=${Math.max(0, Math.ceil(resetMs / 1000))}\r\n` +
      `X-RateLimit-Limit: ${limit}\r\n` +
      `X-RateLimit-Remaining: ${remaining}\r\n` +
      `X-RateLimit-Reset: ${Math.ceil((this.now() + resetMs) / 1000)}\r\n${always}`
    );
  }
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
