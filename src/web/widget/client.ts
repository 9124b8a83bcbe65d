export type TroubleKind = 'network' | 'key' | 'missing' | 'request' | 'quota' | 'store';

const KEPT_ANSWERS = 20;

/** The reason why there is no data, with a message for people. */
export class Trouble extends Error {
  /** @param retryS seconds until the next try; undefined if trying again does not help. */
  constructor(
    readonly kind: TroubleKind,
    message: string,
    readonly retryS?: number,
  ) {
    super(message);
  }
}

/** Reads the API. Sends the ETag of the answer that it keeps, so that the service does not send unchanged data again. */
export class Client {
  readonly #kept = new Map<string, { etag: string; data: unknown }>();
  readonly #root: string;
  readonly #key: string;
  /** The shortest time in seconds between two requests that makes the remaining quota last until it is renewed. */
  paceS = 0;

  constructor(base: string, guild: string, key: string) {
    this.#root = `${base}/servers/${encodeURIComponent(guild)}`;
    this.#key = key;
  }

  /** Returns the JSON value of an operation. @throws Trouble, or AbortError. */
  async get<T>(path: string, signal: AbortSignal): Promise<T> {
    const kept = this.#kept.get(path);
    const headers = { 'x-api-key': this.#key, ...(kept && { 'if-none-match': kept.etag }) };
    let response: Response;
    let body: unknown;
    try {
      response = await fetch(this.#root + path, { headers, signal, cache: 'no-store', credentials: 'omit' });
      body = response.status === 304 ? undefined : await response.json();
    } catch (error) {
      if (signal.aborted) throw error;
      throw new Trouble('network', 'The leaderboard service cannot be reached.', 1);
    }
    this.#notePace(response.headers.get('RateLimit'));
    if (response.status === 304 && kept) return kept.data as T;
    if (!response.ok) throw troubleOf(response, body as { detail?: string } | undefined);
    this.#kept.delete(path);
    this.#kept.set(path, { etag: response.headers.get('ETag') ?? '', data: body });
    if (this.#kept.size > KEPT_ANSWERS) this.#kept.delete(this.#kept.keys().next().value as string);
    return body as T;
  }

  #notePace(rateLimit: string | null): void {
    const [, left, seconds] = /r=(\d+);t=(\d+)/.exec(rateLimit ?? '') ?? [];
    if (left !== undefined) this.paceS = Number(seconds) / Math.max(1, Number(left));
  }
}

function troubleOf({ status, headers }: Response, problem: { detail?: string } | undefined): Trouble {
  const retryS = Number(headers.get('Retry-After')) || 1;
  if (status === 401) return new Trouble('key', 'The API key was not accepted. Check the api-key attribute.');
  if (status === 403) return new Trouble('key', problem?.detail ?? 'The API key is not for this server.');
  if (status === 404) return new Trouble('missing', 'There is no member with that id in the ranking.');
  if (status === 400) return new Trouble('request', `The request was refused: ${problem?.detail ?? 'it is not valid'}`);
  if (status === 429) return new Trouble('quota', 'The hourly quota of this server is used up.', retryS);
  if (status === 503) return new Trouble('store', 'The leaderboard is away for a moment.', retryS);
  return new Trouble('network', 'The leaderboard service has a problem.', retryS);
}
