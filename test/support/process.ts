import { readFileSync } from 'node:fs';
import { type RunningChild, startChild } from '../../scripts/dev/child-process.ts';
import { nodeArguments } from './entry.ts';
import { repository } from './run-command.ts';

/** How long a log line is waited for: a busy machine takes long to start a process. */
const LINE_MS = 60_000;
/** How often the lag probe reports. */
const REPORT_PERIOD_MS = 200;

export type LogLine = Record<string, unknown>;

/** A child process of a test that logs JSON lines. It is ended with the test process. */
export interface TestProcess extends RunningChild {
  /** The JSON lines on stdout so far, parsed; other lines are left out. */
  lines(): readonly LogLine[];
  /** Waits for a log line. @throws with the output, when the process ends or a minute passes before such a line comes. */
  line(matches: (line: LogLine) => boolean): Promise<LogLine>;
  /** The longest time in milliseconds that the process was kept from running, after `since` (epoch milliseconds). Needs the lag probe. */
  worstLag(since: number): number;
  /** How long the process was kept from running in a time (epoch milliseconds), and shortly before and after it. Needs the lag probe. */
  lagBetween(from: number, to: number): number;
  /** Resident memory in bytes (Linux). */
  rss(): number;
}

/**
 * Runs a file of the project (or `-e` and code) in a process of its own, with only this environment.
 * @param node the binary of Node to run it on.
 */
export function runScript(
  args: readonly string[],
  env: Record<string, string> = {},
  node = process.execPath,
): TestProcess {
  const child = startChild(node, nodeArguments(args), {
    cwd: repository,
    // Without the settings of an .env file in this repository.
    env: { PATH: process.env.PATH, NODE_ENV: 'test', ...env },
    sideChannel: true,
  });
  const lines = jsonLines(child.stdout);
  const lags = jsonLines(child.sideOutput);
  return {
    ...child,
    lines,
    line: (matches) => child.waitForOutput(`the log line ${matches}`, () => lines().find(matches), LINE_MS),
    worstLag: (since) => {
      const later = lags().filter(({ time }) => Number(time) > since);
      return Math.max(0, ...later.map(({ lag_ms }) => Number(lag_ms)));
    },
    lagBetween: (from, to) =>
      lags()
        .filter(({ time }) => Number(time) >= from && Number(time) <= to + 2 * REPORT_PERIOD_MS)
        .reduce((sum, { lag_ms }) => sum + Number(lag_ms), 0),
    rss: () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.child.pid}/status`, 'utf8'))?.[1]) * 1024,
  };
}

/** Setting for suites that judge answers and not time: a busy machine can hold up Redis for seconds, and by default the service waits a tenth of a second. */
export const LONG_REDIS_TIMEOUT = { REDIS_TIMEOUT_MS: '10000', REDIS_PROBE_MS: '1000' };

/** Time passes fifty times as slowly for a service with this preload: what it has cached outlasts a test, unless an announcement ends it. */
export const SLOW_CLOCK = [
  '--import',
  'data:text/javascript,const now = performance.now.bind(performance); performance.now = () => now() / 50;',
] as const;

/** The service as it runs in production: src/service/main.ts (after `preload`, node options), on free loopback ports unless the environment says otherwise. */
export function spawnService(env: Record<string, string>, preload: readonly string[] = []): TestProcess {
  return runScript([...preload, 'src/service/main.ts'], {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    ...env,
  });
}

export interface ServiceProcess extends TestProcess {
  readonly url: string;
  readonly adminUrl: string | undefined;
}

/** Starts the service with the lag probe, and after `preload` (node options), and waits until it serves. */
export async function startServiceProcess(
  env: Record<string, string>,
  preload: readonly string[] = [],
): Promise<ServiceProcess> {
  const service = spawnService(env, ['--import', './test/support/lag-probe.js', ...preload]);
  const { url, admin_url } = await service.line((line) => typeof line.url === 'string');
  return { ...service, url: url as string, adminUrl: admin_url as string | undefined };
}

/** Returns a reader of the complete JSON lines of a growing text. It skips a line that is not JSON, such as two that were mixed. */
export function jsonLines(text: () => string): () => readonly LogLine[] {
  const lines: LogLine[] = [];
  let read = 0;
  return () => {
    const now = text();
    const end = now.lastIndexOf('\n') + 1;
    for (const part of now.slice(read, end).split('\n')) {
      const line = parseLine(part);
      if (line) lines.push(line);
    }
    read = Math.max(read, end);
    return lines;
  };
}

function parseLine(text: string): LogLine | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return undefined;
  }
}
