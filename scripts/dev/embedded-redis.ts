import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A private Redis: a child process on a free loopback port. */
export interface EmbeddedRedis {
  readonly url: string;
  readonly port: number;
  readonly process: ChildProcess;
  /** Ends the process and deletes its folder. */
  stop(): Promise<void>;
}

const BINARIES = ['redis-server', 'valkey-server'];

/** Returns the path of the first of `names` on PATH; by default, of a Redis or Valkey server. */
export function findOnPath(names: readonly string[] = BINARIES): string | undefined {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // Not here: the next folder.
      }
    }
  }
  return undefined;
}

/**
 * Starts a Redis that writes nothing to disk.
 * @param options further command-line options, such as `['--maxmemory', '10mb']`, or `--port` for a certain port.
 * @param detached starts it in a process group of its own, which Ctrl-C in a terminal does not reach.
 * @throws when no Redis or Valkey is on PATH, or when it ends instead of starting, with its output.
 */
export async function startEmbeddedRedis(
  options: readonly string[] = [],
  binary = findOnPath(),
  { detached = false }: { readonly detached?: boolean } = {},
): Promise<EmbeddedRedis> {
  if (!binary) throw new Error(`Neither ${BINARIES.join(' nor ')} is on PATH`);
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-redis-'));
  const given = options.indexOf('--port');
  const port = given >= 0 ? Number(options[given + 1]) : await freePort();
  const child = spawn(
    binary,
    ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no', ...options],
    { stdio: ['ignore', 'pipe', 'inherit'], detached },
  );
  // The end of this process must leave neither the child nor its folder behind.
  const kill = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', kill);
  const stop = async (): Promise<void> => {
    process.off('exit', kill);
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await started(child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `redis://127.0.0.1:${port}`, port, process: child, stop };
}

/** Returns a TCP port of the loopback interface that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (/ready to accept connections/i.test(output)) resolve();
    });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`Redis ended (${code ?? signal}) instead of starting:\n${output}`)),
    );
  });
}
