import { ATTRIBUTES } from './attributes.ts';
import type { DataAddresses } from './data-addresses.ts';
import { problemOfResponse, WidgetProblem } from './widget-problem.ts';

const LONGEST_DELAY_S = ATTRIBUTES.refreshInterval.max;
const LONGEST_BACKOFF_S = 60;
export const NEVER = Number.POSITIVE_INFINITY;
const now = () => performance.now();

/** An element that shows data of a source. */
export interface Subscriber {
  /** Whether somebody can see it. Nothing is asked for an element that nobody sees. */
  readonly active: boolean;
  /** Called after each answer and each problem. */
  update(): void;
}

/** How often a subscriber wants a path to be read. */
export interface Want {
  /** Seconds between two refreshes. */
  readonly everyS: number;
  /** How many refreshes a read lasts. */
  readonly lasts: number;
}

/** The paths that a subscriber shows. */
export type Wants = ReadonlyMap<string, Want>;

/** The last answer of one path. */
export interface Feed {
  data?: unknown;
  problem?: WidgetProblem | undefined;
  /** Time of the last answer, as `performance.now` counts. */
  at?: number | undefined;
}

interface PolledFeed extends Feed {
  readonly path: string;
  readonly wantedBy: Map<Subscriber, Want>;
  isPending?: boolean;
}

/** The reader of one guild, as {@link createSource} returns it. */
export type Source = ReturnType<typeof createSource>;

/**
 * Creates the reader of one guild, for all elements of the web page that show it. Equal reads are one request.
 * @param root address of the guild.
 * @param key API key; empty for public data, and if the address adds it.
 */
function createSource(root: string, key: string, addresses: DataAddresses) {
  const feeds = new Map<string, PolledFeed>();
  const subscribers = new Set<Subscriber>();
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The shortest time in seconds between two requests that makes the remaining quota last until it is renewed. */
  let paceS = 0;

  /** Returns the time of the next read; infinity while nobody sees it. */
  function dueAt({ wantedBy, at }: PolledFeed): number {
    let due = NEVER;
    for (const [subscriber, { everyS, lasts }] of wantedBy) {
      if (!subscriber.active) continue;
      due = Math.min(due, at === undefined ? 0 : at + 1000 * lasts * Math.max(everyS, paceS));
    }
    return Math.max(source.resumeAt, due);
  }

  async function ask(feed: PolledFeed, cache: RequestCache = 'default'): Promise<void> {
    if (feed.isPending) return;
    feed.isPending = true;
    try {
      feed.data = await source.get(feed.path, { cache });
      feed.problem = undefined;
      feed.at = now();
      if (source.resumeAt <= now()) {
        source.problem = undefined;
        failures = 0;
      }
    } catch (error) {
      const problem = error as WidgetProblem;
      if (problem.kind === 'missing' || (problem.kind === 'setup' && addresses.isOfBoard(feed.path))) {
        feed.problem = problem;
        feed.data = undefined;
        feed.at = now();
      } else {
        source.block(problem);
      }
    }
    feed.isPending = false;
    for (const subscriber of feed.wantedBy.keys()) subscriber.update();
    source.poll();
  }

  const source = {
    /** The problem that all reads have, until a read succeeds. */
    problem: undefined as WidgetProblem | undefined,
    /** Time of the next try, as `performance.now` counts. */
    resumeAt: 0,
    feed: (path: string): Feed => feeds.get(path) ?? {},

    /** Sets the paths that a subscriber shows, and reads the paths that are due. */
    want(subscriber: Subscriber, wants: Wants): void {
      subscribers.add(subscriber);
      for (const [path, want] of wants) {
        const feed = feeds.get(path) ?? { path, wantedBy: new Map() };
        feeds.set(path, feed);
        feed.wantedBy.set(subscriber, want);
      }
      for (const [path, { wantedBy }] of feeds) {
        if (!wants.has(path)) wantedBy.delete(subscriber);
        if (wantedBy.size === 0) feeds.delete(path);
      }
      source.poll();
    },

    /** Forgets a subscriber. A source without subscribers is forgotten too. */
    drop(subscriber: Subscriber): void {
      source.want(subscriber, new Map());
      subscribers.delete(subscriber);
      if (subscribers.size === 0) sources.delete(`${root} ${key}`);
    },

    /** Reads all paths of a subscriber now, past the cache of the browser. A used-up quota is waited for. */
    refresh(subscriber: Subscriber): void {
      if (source.problem?.kind === 'quota' && source.resumeAt > now()) return;
      source.resumeAt = 0;
      for (const feed of feeds.values()) {
        if (feed.wantedBy.has(subscriber)) ask(feed, 'no-cache');
      }
    },

    /** Reads what is due, and sets the timer for what is due next. */
    poll(): void {
      clearTimeout(timer);
      let next = NEVER;
      for (const feed of feeds.values()) {
        const due = feed.isPending ? NEVER : dueAt(feed);
        if (due <= now()) ask(feed);
        else next = Math.min(next, due);
      }
      // A browser takes a delay of 2^31 ms or more as no delay.
      if (next < NEVER) timer = setTimeout(source.poll, Math.min(next - now(), LONGEST_DELAY_S * 1000));
    },

    /** Stops reading: for good, or for the time that the service names, and longer after each failure. */
    block(problem: WidgetProblem): void {
      if (source.resumeAt > now()) return; // The reads of one moment fail together.
      let backoffS = 0;
      if (problem.kind !== 'quota') {
        backoffS = Math.min(LONGEST_BACKOFF_S, 2 ** failures);
        failures++;
      }
      const { retryS } = problem;
      const waitS = retryS === undefined ? NEVER : Math.min(LONGEST_DELAY_S, Math.max(retryS, backoffS));
      source.problem = problem;
      // Random, so that many widgets do not come back at the same moment.
      source.resumeAt = now() + (waitS + Math.random() * Math.min(10, waitS / 10)) * 1000;
      for (const subscriber of subscribers) subscriber.update();
    },

    /** Returns the JSON value of an operation. @throws WidgetProblem, or AbortError. */
    async get(path: string, init: RequestInit): Promise<unknown> {
      let response: Response;
      let body: unknown;
      try {
        const headers: HeadersInit = key ? { 'x-api-key': key } : {};
        response = await fetch(root + path, { credentials: 'omit', headers, ...init });
        body = await response.json().catch(unlessNoJson);
      } catch (error) {
        if (init.signal?.aborted) throw error;
        throw new WidgetProblem('away', `No answer from ${root}. Check base-url, and CORS_ORIGINS of the service.`, 1);
      }
      const [, left, seconds] = /r=(\d+);t=(\d+)/.exec(response.headers.get('RateLimit') ?? '') ?? [];
      if (left !== undefined) paceS = Number(seconds) / Math.max(1, Number(left));
      if (response.ok && isAnswer(body)) return body;
      throw problemOfResponse(response, body, root, key !== '', addresses);
    },
  };
  return source;
}

/** Ignores the error of a text that is not JSON, such as the web page of a proxy. */
function unlessNoJson(error: unknown): void {
  if (!(error instanceof SyntaxError)) throw error;
}

/** Returns whether a body is an answer of the API or of a public page. */
function isAnswer(body: unknown): boolean {
  return body instanceof Object && ['data', 'member', 'user_id', 'total_xp'].some((field) => field in body);
}

const sources = new Map<string, Source>();

/** Returns the source of an address and API key, which all elements of the web page share. */
export function sourceOf(root: string, key: string, addresses: DataAddresses): Source {
  const name = `${root} ${key}`;
  const source = sources.get(name) ?? createSource(root, key, addresses);
  sources.set(name, source);
  return source;
}
