import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { parseDashboardConfig } from '../../src/config/dashboard.ts';
import { createInvite } from '../../src/core/access/invites.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { connect } from '../../src/core/store/connection.ts';
import { type RunningDashboard, startDashboard } from '../../src/dashboard/server.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { untilConnected } from './connected.ts';
import { LONG_REDIS_TIMEOUT } from './process.ts';

/** A dashboard on a Redis of its own, on a free loopback port. */
export interface TestDashboard extends RunningDashboard {
  /** The address that it listens on, whatever its public one is. */
  readonly localUrl: string;
  readonly redis: EmbeddedRedis;
  /** Writers, keys and counters on the same data. */
  readonly store: Core;
  /** The log so far. */
  readonly logText: () => string;
  /** Makes a link that signs in to a guild, or as the operator. */
  link(guildId: string | null, userId?: string): Promise<string>;
  /** Returns a person who has signed in with such a link. */
  signIn(guildId: string | null, userId?: string): Promise<Visitor>;
}

/** @param env settings that differ from the defaults. */
export async function startTestDashboard(env: Record<string, string> = {}): Promise<TestDashboard> {
  const redis = await startEmbeddedRedis();
  const { REDIS_TIMEOUT_MS } = LONG_REDIS_TIMEOUT;
  const ownDefaults = { REDIS_URL: redis.url, DASHBOARD_PORT: '0', LOG_LEVEL: 'trace', REDIS_TIMEOUT_MS };
  const config = parseDashboardConfig({ ...ownDefaults, ...env });
  const lines: string[] = [];
  const running = await startDashboard(
    config,
    createLogger(config.logLevel, { write: (line) => void lines.push(line) }),
  );
  const client = connect({ ...config.redis, timeoutMs: 5000 });
  await untilConnected(client);
  const store = openCore(client, 'gr');
  const dashboard: TestDashboard = {
    ...running,
    redis,
    store,
    logText: () => lines.join(''),
    link: (guildId, userId = '') => createInvite(store, running.url, { guildId, userId }),
    signIn: async (guildId, userId) => {
      const visitor = new Visitor(running);
      const { status, text } = await visitor.signIn(await dashboard.link(guildId, userId));
      if (status !== 303) throw new Error(`The sign-in got ${status}: ${text}`);
      return visitor;
    },
    close: async () => {
      await running.close();
      client.disconnect();
      await redis.stop();
    },
  };
  return dashboard;
}

/** An answer of the dashboard. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Fields of a form by their names, each with its value or with all of its values. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>;

let visitors = 0;

/** A browser without scripts: it keeps cookies and sends forms. Behind a proxy that is trusted, it has an address of its own. */
export class Visitor {
  /** The cookies, by their names. */
  readonly cookies = new Map<string, string>();
  readonly address = `10.0.${Math.floor(visitors / 256)}.${visitors++ % 256}`;
  readonly #url: string;
  readonly #localUrl: string;

  constructor({ url, localUrl }: Pick<TestDashboard, 'url' | 'localUrl'>) {
    this.#url = url;
    this.#localUrl = localUrl;
  }

  /** The cookie of the session, as the header has it; "" = there is none. */
  get cookie(): string {
    const [session] = [...this.cookies].filter(([name]) => /^(__Host-)?guildrank$/.test(name));
    return session?.join('=') ?? '';
  }

  set cookie(text: string) {
    const at = text.indexOf('=');
    this.cookies.set(text.slice(0, at), text.slice(at + 1));
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('GET', path, headers);
  }

  /** Sends a form as its page does, with the token that the page has. @param from the page. */
  async submit(from: string, path: string, fields: FormFields): Promise<Answer> {
    return this.post(path, { _token: await this.tokenOf(from), ...fields });
  }

  post(path: string, fields: FormFields, headers: Record<string, string> = {}): Promise<Answer> {
    const body = new URLSearchParams();
    for (const [name, values] of Object.entries(fields)) {
      for (const value of [values].flat()) body.append(name, value);
    }
    return this.request('POST', path, { origin: this.#url, ...headers }, body);
  }

  /** Opens a link and presses its button. */
  signIn(link: string): Promise<Answer> {
    return this.post('/sign-in', { invite: link.slice(link.lastIndexOf('/') + 1) });
  }

  /** Returns the token of the forms on a page. */
  async tokenOf(path: string): Promise<string> {
    const { text } = await this.get(path);
    return /name="_token" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? '';
  }

  async request(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: URLSearchParams | FormData | string | null = null,
  ): Promise<Answer> {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const answer = await fetch(this.#localUrl + path, {
      method,
      headers: { 'x-forwarded-for': this.address, ...(cookie && { cookie }), ...headers },
      body,
      redirect: 'manual',
    });
    for (const text of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
}
