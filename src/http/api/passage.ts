import type { NextFunction, Request, Response } from 'express';
import type { Identity } from '../../access/authenticator.ts';
import type { QuotaState } from '../../access/quotas.ts';
import type { Order } from '../../reads/request-batcher.ts';
import type { Want } from '../../reads/response-cache.ts';
import { Problem } from '../response/problem.ts';
import type { RenderedBody } from '../response/rendered-body.ts';
import type { Operation } from './operations.ts';

/** Sends a view; null stands for a member that is not ranked. */
export type Deliver = (req: Request, res: Response, view: RenderedBody | null) => void;

/** One request on its way through the gate. It is answered once, by whatever comes first. */
export class Passage implements Order<RenderedBody | null> {
  identity!: Identity;
  want: Want<RenderedBody | null> | undefined;
  private refusal: unknown;
  private open = true;
  /** Called when the passage ends, if somebody watches it. */
  release: (() => void) | undefined;

  constructor(
    private readonly req: Request,
    private readonly res: Response,
    private readonly next: NextFunction,
    private readonly deliver: Deliver,
  ) {}

  /** Goes on for the key's guild: works out what the operation wants, or why it is refused. */
  enter(identity: Identity, operation: Operation): void {
    this.identity = identity;
    this.res.context.identity = identity;
    try {
      if (!mayUse(this.req, identity)) throw wrongOrigin();
      this.want = operation(this.req, identity);
    } catch (error) {
      this.refusal = error;
    }
  }

  done(quota: QuotaState, view: RenderedBody | null | undefined): void {
    if (!this.end(quota)) return;
    if (!quota.allowed) this.next(quotaExceeded(quota));
    else if (this.refusal !== undefined) this.next(this.refusal);
    else this.send(view as RenderedBody | null);
  }

  failed(error: unknown, quota: QuotaState | undefined): void {
    if (!this.end(quota)) return;
    this.next(quota && !quota.allowed ? quotaExceeded(quota) : error);
  }

  private send(view: RenderedBody | null): void {
    try {
      this.deliver(this.req, this.res, view);
    } catch (error) {
      this.next(error);
    }
  }

  /** @returns whether the passage was still open. */
  private end(quota: QuotaState | undefined): boolean {
    if (!this.open) return false;
    this.open = false;
    this.release?.();
    this.res.context.quota = quota;
    return true;
  }
}

/** Whether the key may be used where the request comes from. Browsers name the page's origin, except within one origin. */
function mayUse({ headers }: Request, { origins }: Identity): boolean {
  if (origins.length === 0) return true;
  if (headers.origin === undefined) return headers['sec-fetch-site'] === 'same-origin';
  return origins.includes(headers.origin);
}

/** The set of codes is closed: like a key on another server, this is a key in a place that it is not for. */
function wrongOrigin(): Problem {
  return new Problem('wrong_guild', 'This API key works only in pages of the websites that it was made for.');
}

function quotaExceeded({ limit, resetMs }: QuotaState): Problem {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  return tooMany(`The quota of ${limit} requests per hour is used up. It is renewed in ${seconds} seconds.`, seconds);
}

/** 429 with Retry-After. */
export function tooMany(detail: string, retryAfterS: number): Problem {
  return new Problem('quota_exceeded', detail, { headers: ['Retry-After', String(retryAfterS)] });
}
