import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { startChild } from './child-process.ts';

/** A private Redis: a child process on a free loopback port. */
export interface EmbeddedRedis {
  readonly url: string;
  readonly port: number;
  readonly process: ChildProcess;
  /** Ends the process and deletes its folder. */
  stop(): Promise<void>;
}

const BINARIES = ['redis-server', 'valkey-server'];

/** The folders of servers that have not been stopped: they end with this process. */
const folders = new Set<string>();

function removeFolder(folder: string): void {
  folders.delete(folder);
  rmSync(folder, { recursive: true, force: true });
}

process.once('exit', () => {
  for (const folder of folders) removeFolder(folder);
});

/** Returns the server that REDIS_SERVER names, else the first Redis or Valkey on PATH. @throws when REDIS_SERVER is no program. */
export function findRedisServer(): string | undefined {
  const named = process.env.REDIS_SERVER;
  if (!named) return findOnPath(BINARIES);
  const file = resolve(named);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() && isExecutable(file)) return file;
  throw new Error(`REDIS_SERVER=${named} is no program: set it to the path of a redis-server or valkey-server`);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the path of the first of `names` on PATH. */
export function findOnPath(names: readonly string[]): string | undefined {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const file = join(folder, name);
      if (isExecutable(file)) return file;
    }
  }
  return undefined;
}

/**
 * Starts a Redis that keeps everything in memory.
 * @param options further command-line options, such as `['--maxmemory', '10mb']`; a given `--port` is used as it is.
 * @param detached starts it in a process group of its own, which a terminal's Ctrl-C does not reach.
 * @throws when there is no Redis or Valkey; with the output of Redis, when it ends or 30 s pass before it is ready.
 */
export async function startEmbeddedRedis(
  options: readonly string[] = [],
  binary = findRedisServer(),
  { detached = false }: { readonly detached?: boolean } = {},
): Promise<EmbeddedRedis> {
  if (!binary) throw new Error(`Neither ${BINARIES.join(' nor ')} is on PATH`);
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-redis-'));
  const given = options.indexOf('--port');
  const port = given >= 0 ? Number(options[given + 1]) : await freePort();
  folders.add(folder);
  const redis = startChild(
    binary,
    ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no', ...options],
    { detached, stderr: 'inherit' },
  );
  const stop = async (): Promise<void> => {
    await redis.stop();
    removeFolder(folder);
  };
  try {
    await redis.waitForOutput('Redis to accept connections', () => /ready to accept connections/i.test(redis.stdout()));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `redis://127.0.0.1:${port}`, port, process: redis.child, stop };
}

/** Ports that {@link freePort} has returned or tried. */
const given = new Set<number>();
/**
 * Another process could take a returned port before its server starts. So each of the test processes that run at once has a
 * range of its own, and all ranges are below the ports that systems give to outgoing connections. PORT_RANGES_BEFORE is the number of
 * ranges that other test runs have, which `.ci/run` starts beside this run.
 */
const RANGE = { size: 2800, count: 8, lowest: 10_000 };
const POOL = Number(process.env.VITEST_POOL_ID ?? 0);
const BEFORE = Number(process.env.PORT_RANGES_BEFORE ?? 0);
const FIRST_PORT = RANGE.lowest + ((POOL + BEFORE) % RANGE.count) * RANGE.size;
const END_PORT = FIRST_PORT + RANGE.size;
const MAX_ATTEMPTS = 100;

/** Returns a TCP port of the loopback interface that is free, and that no earlier call has returned. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const port = randomInt(FIRST_PORT, END_PORT);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(
    `No port of 127.0.0.1 is free, of ${MAX_ATTEMPTS} from ${FIRST_PORT} to ${END_PORT - 1} that were tried`,
  );
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
