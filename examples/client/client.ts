import type { components, operations } from './api.ts';

/** A typed client, to copy together with api.ts. It needs only fetch: Node 20.3 or later, or a browser. */

type Operation = 'getLeaderboard' | 'getMember' | 'getStats';
type Answer<Name extends Operation> = operations[Name]['responses'][200]['content']['application/json'];
export type Page = Answer<'getLeaderboard'>;
export type Member = Answer<'getMember'>;
export type Stats = Answer<'getStats'>;
export type PageQuery = NonNullable<operations['getLeaderboard']['parameters']['query']>;
export type Problem = components['schemas']['Problem'];

/**
 * A response with a problem instead of data. Decide by `problem.code`; the detail is for people. A response that Guildrank did not
 * send, such as an HTML page of a proxy, has the code `unexpected_response`.
 */
export class GuildrankError extends Error {
  constructor(
    readonly problem: Problem,
    /** Seconds until a retry can succeed; undefined if a retry is useless. */
    readonly retryAfterS: number | undefined,
  ) {
    super(`${problem.code}: ${problem.detail} (request ${problem.request_id})`);
    this.name = 'GuildrankError';
  }
}

export interface ClientOptions {
  /** Address of the service, such as https://example.com or https://example.com/ranks, with or without /api/v1 at its end. */
  readonly url: string;
  readonly key: string;
  /** Number of retries after 429 or 503. */
  readonly retries?: number;
  /** Maximum Retry-After to wait for. A longer wait throws, because a quota window can take an hour. */
  readonly longestWaitS?: number;
  /** Time for one response, body included. After it the call throws a DOMException named TimeoutError. */
  readonly timeoutMs?: number;
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export interface CallOptions {
  /** Ends the call, its waits included. The call then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

interface Held {
  readonly etag: string;
  readonly body: unknown;
}

/** Reads one service with one API key. Keeps the last responses with their ETag, so unchanged data has no body. */
export class GuildrankClient {
  private readonly held = new Map<string, Held>();
  private readonly base: string;

  constructor(private readonly options: ClientOptions) {
    this.base = `${options.url.replace(/\/*$/, '').replace(/\/api\/v1$/, '')}/api/v1/servers/`;
  }

  /** Returns a page of the leaderboard. @throws GuildrankError */
  leaderboard(guildId: string, query: PageQuery = {}, options?: CallOptions): Promise<Page> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) search.set(name, String(value));
    return this.get<'getLeaderboard'>(`${encodeURIComponent(guildId)}/leaderboard?${search}`, options);
  }

  /** Returns one member, or null if it is not in the ranking. @throws GuildrankError */
  async member(guildId: string, userId: string, options?: CallOptions): Promise<Member | null> {
    const path = `${encodeURIComponent(guildId)}/members/${encodeURIComponent(userId)}`;
    try {
      return await this.get<'getMember'>(path, options);
    } catch (error) {
      if (error instanceof GuildrankError && error.problem.code === 'member_not_found') return null;
      throw error;
    }
  }

  /** Returns the statistics of the server. @throws GuildrankError */
  stats(guildId: string, options?: CallOptions): Promise<Stats> {
    return this.get<'getStats'>(`${encodeURIComponent(guildId)}/stats`, options);
  }

  private async get<Name extends Operation>(path: string, { signal }: CallOptions = {}): Promise<Answer<Name>> {
    const { key, retries = 3, longestWaitS = 30, timeoutMs = 10_000, wait = pause } = this.options;
    for (let attempt = 0; ; attempt++) {
      const held = this.held.get(path);
      const timeout = AbortSignal.timeout(timeoutMs);
      const response = await fetch(this.base + path, {
        headers: { 'x-api-key': key, ...(held && { 'if-none-match': held.etag }) },
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      if (response.status === 304 && held) return held.body as Answer<Name>;
      const body = parsed(await response.text());
      if (response.ok && body !== undefined) {
        this.keep(path, response.headers.get('etag'), body);
        return body as Answer<Name>;
      }
      const error = new GuildrankError(problemOf(response, body), retryAfterOf(response));
      const { retryAfterS } = error;
      if (retryAfterS === undefined || retryAfterS > longestWaitS || attempt >= retries) throw error;
      await wait(retryAfterS * 1000, signal);
    }
  }

  private keep(path: string, etag: string | null, body: unknown): void {
    if (etag === null) return;
    this.held.delete(path);
    this.held.set(path, { etag, body });
    // A client that reads all pages of a large leaderboard must not keep all of them.
    const [oldest] = this.held.keys();
    if (this.held.size > 100 && oldest !== undefined) this.held.delete(oldest);
  }
}

/** Returns the JSON object in a text, or undefined if it holds none. */
function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the problem in a body, or one that says that something else than Guildrank answered. */
function problemOf({ status, statusText, headers, url }: Response, body: object | undefined): Problem {
  if (body && 'code' in body && 'detail' in body) return body as Problem;
  const type = headers.get('content-type') ?? 'no content type';
  return {
    type: 'about:blank',
    title: statusText,
    status,
    detail: `${url} answered ${status} with ${type}, not with the JSON of Guildrank. Check the address and the proxy before it.`,
    code: 'unexpected_response',
    request_id: headers.get('x-request-id') ?? 'unknown',
  };
}

/** Returns Retry-After in seconds, which may be stated in seconds or as a date; undefined if it is missing or neither. */
function retryAfterOf({ headers }: Response): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.max(0, (Date.parse(value) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : seconds;
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
