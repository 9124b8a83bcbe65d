import type { components, operations } from './api.ts';

/** A typed client, to copy together with api.ts. It needs only fetch: Node 18 or later, or a browser. */

type Operation = 'getLeaderboard' | 'getMember' | 'getStats';
type Answer<Name extends Operation> = operations[Name]['responses'][200]['content']['application/json'];
export type Page = Answer<'getLeaderboard'>;
export type Member = Answer<'getMember'>;
export type Stats = Answer<'getStats'>;
export type PageQuery = NonNullable<operations['getLeaderboard']['parameters']['query']>;
export type Problem = components['schemas']['Problem'];

/** A response with a problem instead of data. Decide by `problem.code`; the detail is for people. */
export class GuildrankError extends Error {
  constructor(
    readonly problem: Problem,
    /** Seconds until a retry can succeed; undefined if a retry is useless. */
    readonly retryAfterS: number | undefined,
  ) {
    super(`${problem.code}: ${problem.detail} (request ${problem.request_id})`);
  }
}

export interface ClientOptions {
  /** Address of the service, such as https://ranks.example.com; the client adds /api/v1. */
  readonly url: string;
  readonly key: string;
  /** Number of retries after 429 or 503. */
  readonly retries?: number;
  /** Maximum Retry-After to wait for. A longer wait throws, because a quota window can take an hour. */
  readonly longestWaitS?: number;
  readonly wait?: (ms: number) => Promise<void>;
}

interface Held {
  readonly etag: string;
  readonly body: unknown;
}

/** Reads one service with one API key. Keeps the last responses with their ETag, so unchanged data has no body. */
export class GuildrankClient {
  private readonly held = new Map<string, Held>();

  constructor(private readonly options: ClientOptions) {}

  /** Returns a page of the leaderboard. @throws GuildrankError */
  leaderboard(guildId: string, query: PageQuery = {}): Promise<Page> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) search.set(name, String(value));
    return this.get<'getLeaderboard'>(`${encodeURIComponent(guildId)}/leaderboard?${search}`);
  }

  /** Returns one member, or null if it is not in the ranking. @throws GuildrankError */
  async member(guildId: string, userId: string): Promise<Member | null> {
    try {
      return await this.get<'getMember'>(`${encodeURIComponent(guildId)}/members/${encodeURIComponent(userId)}`);
    } catch (error) {
      if (error instanceof GuildrankError && error.problem.code === 'member_not_found') return null;
      throw error;
    }
  }

  /** Returns the statistics of the server. @throws GuildrankError */
  stats(guildId: string): Promise<Stats> {
    return this.get<'getStats'>(`${encodeURIComponent(guildId)}/stats`);
  }

  private async get<Name extends Operation>(path: string): Promise<Answer<Name>> {
    const { key, url, retries = 3, longestWaitS = 30, wait = pause } = this.options;
    for (let attempt = 0; ; attempt++) {
      const held = this.held.get(path);
      const response = await fetch(new URL(`/api/v1/servers/${path}`, url), {
        headers: { 'x-api-key': key, ...(held && { 'if-none-match': held.etag }) },
      });
      if (response.status === 304 && held) return held.body as Answer<Name>;
      if (response.ok) {
        const body = (await response.json()) as Answer<Name>;
        this.keep(path, response.headers.get('etag'), body);
        return body;
      }
      const error = new GuildrankError((await response.json()) as Problem, retryAfterOf(response));
      const { retryAfterS } = error;
      if (retryAfterS === undefined || retryAfterS > longestWaitS || attempt >= retries) throw error;
      await wait(retryAfterS * 1000);
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

/** Returns Retry-After in seconds. Only 429 and 503 have this header. */
function retryAfterOf({ headers }: Response): number | undefined {
  const value = headers.get('retry-after');
  return value === null ? undefined : Number(value);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
