import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidInputError } from '../../src/core/errors.ts';
import { freePort } from '../dev/embedded-redis.ts';
import { prepareNginx } from './nginx.ts';
import { onCore } from './pinning.ts';
import { type ProcessPlan, type ServerProcess, startProcess } from './processes.ts';
import type { Testbed } from './testbed.ts';

/** Descriptions of the contenders for the report, by name. */
export const CONTENDERS = {
  guildrank: 'the service, built, LOG_REQUESTS=errors',
  before: 'the earlier build',
  'cache off': 'the service with CACHE_MAX_PAGES=0',
  'public pages': 'the service with PUBLIC_PAGES=1',
  'node:http': '(a) bare node:http, constant reply of the same bytes',
  nginx: '(e) nginx with Lua done well',
} as const;

/** The name of a contender. */
export type ContenderName = keyof typeof CONTENDERS;

/** A contender whose process serves. */
export interface RunningContender extends ServerProcess {
  readonly name: ContenderName;
}

/** The answer that (a) repeats. */
export interface ConstantReply {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Settings of the service for a benchmark. The quota refuses no request, so that each request does all the work. */
const SERVICE_ENV = { ADMIN_PORT: '0', PLAN_QUOTAS: 'free=1000000000,pro=1000000000', LOG_REQUESTS: 'errors' };

/** A proxy names the visitors of pages: each has an address of its own, as in real life. */
const OWN_ENV: Partial<Record<ContenderName, Readonly<Record<string, string>>>> = {
  'cache off': { CACHE_MAX_PAGES: '0' },
  'public pages': { PUBLIC_PAGES: '1', TRUST_PROXY: '1' },
};

/**
 * Starts a contender on the server core.
 * @param reply the answer that (a) repeats.
 * @throws if it does not start.
 */
export async function startContender(
  testbed: Testbed,
  name: ContenderName,
  reply?: ConstantReply,
): Promise<RunningContender> {
  const { redis, options } = testbed;
  const port = await freePort();
  const { command, env, ...plan } = await planOf(testbed, name, port, reply);
  const pinned = onCore(options.cores?.server, command);
  return { ...(await startProcess({ ...plan, command: pinned, env: { REDIS_URL: redis.url, ...env }, port })), name };
}

async function planOf(
  testbed: Testbed,
  name: ContenderName,
  port: number,
  reply: ConstantReply | undefined,
): Promise<Omit<ProcessPlan, 'port'>> {
  if (name === 'nginx') return { command: await prepareNginx(testbed, port), env: {} };
  if (name === 'node:http') {
    const module = fileURLToPath(new URL('./bare-http.mjs', import.meta.url));
    return { command: ['node', module], env: { REPLY: JSON.stringify(reply) } };
  }
  const folder = name === 'before' ? (testbed.options.before as string) : '.';
  const env = { ...SERVICE_ENV, ...OWN_ENV[name] };
  return { command: ['sh', '-c', startScript(folder)], cwd: folder, env };
}

/**
 * Returns the command of `npm start` in a checkout, in a form that replaces the shell.
 * @throws InvalidInputError if the checkout has no such command or is not built.
 */
export function startScript(folder: string): string {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) throw new InvalidInputError(`${file} is missing`);
  const start: string = JSON.parse(readFileSync(file, 'utf8')).scripts?.start ?? '';
  const module = /^(?:exec )?node (?:.* )?(\S+\.[cm]?js)\b/.exec(start)?.[1];
  if (!module)
    throw new InvalidInputError(`The start script in ${file} is not "[exec] node [options] MODULE [arguments]"`);
  const entry = join(folder, module);
  if (!existsSync(entry)) throw new InvalidInputError(`${entry} is missing: build the checkout first`);
  return start.replace(/^(exec )?/, 'exec ');
}
