import type { components, operations } from './api.ts';

/** An example of a typed client: copy it beside api.ts. It needs nothing but fetch, in Node 18 or later and in browsers. */

type Operation = 'getLeaderboard' | 'getMember' | 'getStats';
type Answer<Name extends Operation> = operations[Name]['responses'][200]['content']['application/json'];
export type Page = Answer<'getLeaderboard'>;
export type Member = Answer<'getMember'>;
export type Stats = Answer<'getStats'>;
export type PageQuery = NonNullable<operations['getLeaderboard']['parameters']['query']>;
export type Problem = components['schemas']['Problem'];

/** An answer that is not the data. Decide by `problem.code`; its detail is for people. */
export class GuildrankError extends Error {
  constructor(
    readonly problem: Problem,
    /** Seconds until it is worth asking again; undefined when that would change nothing. */
    readonly retryAfterS: number | undefined,
  ) {
    super(`${problem.code}: ${problem.detail} (request ${problem.request_id})`);
  }
}

export interface ClientOptions {
  /** Where the service is, such as https://ranks.example.com; /api/v1 is added. */
  readonly url: string;
  readonly key: string;
  /** How often an answer of 429 or 503 is asked for again. */
  readonly retries?: number;
  /** The longest wait that Retry-After may ask for: a used-up hour is better told than waited for. */
  readonly longestWaitS?: number;
  readonly wait?: (ms: number) => Promise<void>;
}

interface Held {
  readonly etag: string;
  readonly body: unknown;
}

/** Reads one service with one key. Remembers the last answers by their ETag, so unchanged data costs no body. */
export class GuildrankClient {
  private readonly held = new Map<string, Held>();

  constructor(private readonly options: ClientOptions) {}

  /** A page of the leaderboard. @throws GuildrankError */
  leaderboard(guildId: string, query: PageQuery = {}): Promise<Page> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) search.set(name, String(value));
    return this.get<'getLeaderboard'>(`${encodeURIComponent(guildId)}/leaderboard?${search}`);
  }

  /** One member, or null when the ranking does not have it. @throws GuildrankError */
  async member(guildId: string, userId: string): Promise<Member | null> {
    try {
      return await this.get<'getMember'>(`${encodeURIComponent(guildId)}/members/${encodeURIComponent(userId)}`);
    } catch (error) {
      if (error instanceof GuildrankError && error.problem.code === 'member_not_found') return null;
      throw error;
    }
  }

  /** The server's totals. @throws GuildrankError */
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
    // The oldest goes: a client that walks through a large leaderboard must not hold all of it.
    const [oldest] = this.held.keys();
    if (this.held.size > 100 && oldest !== undefined) this.held.delete(oldest);
  }
}

/** Only 429 and 503 carry the header, in whole seconds. */
function retryAfterOf({ headers }: Response): number | undefined {
  const value = headers.get('retry-after');
  return value === null ? undefined : Number(value);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
