import { closeSync, openSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../dev/embedded-redis.ts';
import type { ConstantReply } from './contenders/constant.ts';
import { prepareNginx } from './nginx.ts';
import { onCore } from './pinning.ts';
import { type ServerProcess, startProcess } from './processes.ts';
import { makeScratch } from './scratch.ts';
import type { Stage } from './stage.ts';

export type ContenderName =
  | 'guildrank'
  | 'cache off'
  | 'logs on'
  | 'node:http'
  | 'Express'
  | 'plain'
  | 'Fastify'
  | 'nginx';

/** What each contender is, for the report. */
export const CONTENDERS: Readonly<Record<ContenderName, string>> = {
  guildrank: 'the service, compiled, LOG_REQUESTS=errors',
  'cache off': 'the service with CACHE_MAX_PAGES=0',
  'logs on': 'the service with LOG_REQUESTS=all, standard output to a file',
  'node:http': '(a) bare node:http, constant reply of the same bytes',
  Express: '(b) stock Express 5, constant reply of the same bytes',
  plain: '(c) Express + ioredis the plain way',
  Fastify: '(d) Fastify + ioredis done well',
  nginx: '(e) nginx with Lua done well',
};

export interface RunningContender extends ServerProcess {
  readonly name: ContenderName;
}

/** The service under test; more settings for it than the benchmark's own. */
const SERVICE = 'dist/main.js';
const SERVICE_ENV = { ADMIN_PORT: '0', PLAN_QUOTAS: 'free=1000000000,pro=1000000000', LOG_REQUESTS: 'errors' };

const SERVICE_SETTINGS: Partial<Record<ContenderName, Record<string, string>>> = {
  guildrank: {},
  'cache off': { CACHE_MAX_PAGES: '0' },
  'logs on': { LOG_REQUESTS: 'all' },
};

const BASELINES: Partial<Record<ContenderName, string>> = {
  'node:http': 'bare-http',
  Express: 'bare-express',
  plain: 'plain-express',
  Fastify: 'fastify',
};

/**
 * Starts a contender on the server core.
 * @param reply what the two bare servers answer.
 * @throws when it does not start.
 */
export async function startContender(
  stage: Stage,
  name: ContenderName,
  reply?: ConstantReply,
): Promise<RunningContender> {
  const port = await freePort();
  const log = name === 'logs on' ? openLog() : undefined;
  const nginx = name === 'nginx' ? await prepareNginx(stage, port) : undefined;
  const settings = SERVICE_SETTINGS[name];
  const entry = settings ? SERVICE : `dist/bench/scripts/bench/contenders/${BASELINES[name]}.js`;
  const server = await startProcess({
    command: onCore(stage.pinning.serverCore, nginx?.command ?? [process.execPath, entry]),
    env: {
      REDIS_URL: stage.redis.url,
      ...(settings && { ...SERVICE_ENV, ...settings }),
      REPLY: JSON.stringify(reply ?? null),
    },
    port,
    ...(log && { stdout: log.file }),
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    log?.remove();
    nginx?.remove();
  };
  return { ...server, name, stop };
}

const ATTEMPTS = 5;

/** One answer of the service, as the bare servers are to repeat it. @throws when it is not a 200. */
export async function captureReply(port: number, path: string, key: string): Promise<ConstantReply> {
  const { status, rawHeaders, body } = await fetchOnce(port, path, key);
  if (status !== 200) throw new Error(`The service answered ${status} to ${path}: ${body}`);
  const headers: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    // These three every Node server adds by itself.
    if (/^(date|connection|keep-alive)$/i.test(rawHeaders[i] as string)) continue;
    headers.push(rawHeaders[i] as string, rawHeaders[i + 1] as string);
  }
  return { headers, body };
}

export interface Answer {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** One request on a connection of its own; a 503 is tried again, for a machine that stood still must not end a run. */
export async function fetchOnce(port: number, path: string, key: string): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await request(port, path, key);
    if (answer.status !== 503 || attempt === ATTEMPTS) return answer;
    await delay(200);
  }
}

function request(port: number, path: string, key: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = get({ port, host: '127.0.0.1', path, agent: false, headers: { 'x-api-key': key } }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, rawHeaders: response.rawHeaders, body }));
    });
    sent.on('error', reject);
  });
}

function openLog(): { readonly file: number; remove(): void } {
  const scratch = makeScratch();
  const file = openSync(join(scratch.folder, 'requests.log'), 'w');
  const remove = (): void => {
    closeSync(file);
    scratch.remove();
  };
  return { file, remove };
}
