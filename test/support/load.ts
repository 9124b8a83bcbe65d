import { Agent, type AgentOptions, type IncomingHttpHeaders, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { watchLag } from './lag.js';

/** One answer, or the failure to get one. */
export interface Answer {
  readonly path: string;
  /** 0 when the connection failed. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** When it was sent, on the clock of performance.now(). */
  readonly sentAt: number;
  /** Milliseconds from sending to the last byte. */
  readonly took: number;
  readonly error?: string;
  /** Whether a kept-alive connection was closed under the request, which was then sent again on another. */
  readonly resent?: boolean;
}

/** A client that sends requests at a steady rate, independent of the answers. */
export interface Load {
  readonly answers: readonly Answer[];
  /** The longest that this process was kept from running, in milliseconds: how noisy the machine was. */
  worstLag(): number;
  /** Stops sending and waits for the answers that are due. Can be called again. @throws when it comes later than five minutes after the start. */
  stop(): Promise<readonly Answer[]>;
}

export interface LoadOptions {
  /** Requests a second. */
  readonly rate: number;
  readonly headers?: Record<string, string>;
  /** Connections at most. */
  readonly connections?: number;
  /** Whether connections are kept alive (the default), or each request has one of its own. */
  readonly keepAlive?: boolean;
  /** Asked in turn. */
  readonly paths: readonly string[];
  /** For https: the authority to trust, and the name in the certificate. */
  readonly tls?: { readonly ca: string; readonly servername: string };
}

const TICK_MS = 10;
const GIVE_UP_MS = 30_000;
const LONGEST_MS = 300_000;

/** Returns an agent for https that trusts one authority. */
export const tlsAgent = (options: NonNullable<LoadOptions['tls']> & AgentOptions): Agent =>
  new TlsAgent({ keepAlive: true, ...options });

export function startLoad(
  url: string,
  { rate, headers = {}, connections = 128, keepAlive = true, paths, tls }: LoadOptions,
): Load {
  const maxSockets = connections;
  const agent = tls ? tlsAgent({ maxSockets, ...tls }) : new Agent({ keepAlive, maxSockets });
  const answers: Answer[] = [];
  const due = new Set<Promise<void>>();
  const lag = watchLag();
  let worstLag = 0;
  const start = performance.now();
  let sent = 0;
  let isOverdue = false;
  const tick = (): void => {
    const passed = performance.now() - start;
    isOverdue = passed > LONGEST_MS;
    if (isOverdue) clearInterval(timer);
    const wanted = (passed / 1000) * rate;
    for (; sent < wanted; sent++) {
      const answer = ask(agent, url, paths[sent % paths.length] as string, headers).then((it) => {
        answers.push(it);
        due.delete(answer);
      });
      due.add(answer);
    }
  };
  const timer = setInterval(tick, TICK_MS);
  return {
    answers,
    worstLag: () => {
      worstLag = Math.max(worstLag, lag.take());
      return worstLag;
    },
    stop: async () => {
      clearInterval(timer);
      await Promise.all(due);
      lag.stop();
      agent.destroy();
      if (isOverdue) throw new Error(`The load was not stopped within ${LONGEST_MS} ms`);
      return answers;
    },
  };
}

/**
 * Sends one GET. Never rejects. Sends it once more when a reused connection is closed under it: every HTTP client that keeps
 * connections does so, because either side may close an idle one at any time.
 */
export async function ask(agent: Agent, url: string, path: string, headers: Record<string, string>): Promise<Answer> {
  const [answer, wasReused] = await askOnce(agent, url, path, headers);
  if (answer.error !== 'ECONNRESET' || !wasReused) return answer;
  const [again] = await askOnce(agent, url, path, headers);
  return { ...again, sentAt: answer.sentAt, took: performance.now() - answer.sentAt, resent: true };
}

function askOnce(agent: Agent, url: string, path: string, headers: Record<string, string>): Promise<[Answer, boolean]> {
  const sentAt = performance.now();
  return new Promise((resolve) => {
    const done = (status: number, got: IncomingHttpHeaders, body: string, error?: string): void => {
      const answer = { path, status, headers: got, body, sentAt, took: performance.now() - sentAt };
      resolve([error === undefined ? answer : { ...answer, error }, req.reusedSocket]);
    };
    const failed = (error: NodeJS.ErrnoException): void => done(0, {}, '', error.code ?? error.message);
    const send = agent instanceof TlsAgent ? tlsRequest : request;
    const req = send(`${url}${path}`, { agent, headers, timeout: GIVE_UP_MS }, (res) => {
      let body = '';
      res.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      res.on('end', () => done(res.statusCode ?? 0, res.headers, body));
      res.on('error', failed);
    });
    req.on('timeout', () => req.destroy(Object.assign(new Error('no answer'), { code: 'TIMEOUT' })));
    req.on('error', failed);
    req.end();
  });
}
