import type { Logger } from 'pino';
import { parseConfig } from '../../src/config/service.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createService, type RunningService, type ServiceParts } from '../../src/service/service.ts';
import { LONG_REDIS_TIMEOUT } from './process.ts';
import type { TestStore } from './stores.ts';

export interface TestService extends RunningService {
  /** Writers, keys and counters on the same data. */
  readonly store: Core;
  /** Moves the service's clocks forward. They stand still otherwise. */
  advance(ms: number): void;
  /** Sets the service's wall clock to this many milliseconds from its start, as an operator can. */
  setWallClock(ms: number): void;
  /** The log lines so far, parsed. */
  readonly log: readonly Record<string, unknown>[];
  /** Returns the log so far as text. */
  readonly logText: () => string;
}

/** A log that nobody reads. */
export const SILENT: Logger = createLogger('silent', { write: () => {} });

const START = Date.parse('2026-01-15T12:00:00Z');

/**
 * The whole service on a test store, listening on a free loopback port, with a clock of its own.
 * @param env settings that differ from the defaults.
 * @param drawing what draws the pictures of public pages, and where their avatars come from: a closed port unless given.
 */
export async function startService(
  testStore: Pick<TestStore, 'connect'>,
  env: Record<string, string> = {},
  drawing: Pick<ServiceParts, 'painter' | 'pictureHost'> = {},
): Promise<TestService> {
  const ownDefaults = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', ...LONG_REDIS_TIMEOUT };
  const config = parseConfig({ ...ownDefaults, ...env });
  let now = START;
  let monotonic = 0;
  const lines: string[] = [];
  const logger: Logger = createLogger(config.logLevel, { write: (line: string) => void lines.push(line) });
  const client = testStore.connect();
  const service = await createService(config, {
    logger,
    store: { client, subscriber: testStore.connect() },
    clock: () => now,
    monotonic: () => monotonic,
    // Tests count the commands of a request; the end of the service writes the usage.
    usagePeriodMs: 3_600_000,
    pictureHost: 'http://127.0.0.1:9',
    ...drawing,
  });
  const running = await service.start();
  const store = openCore(testStore.connect(), config.keyPrefix);
  return {
    ...running,
    store,
    advance: (ms) => {
      now += ms;
      monotonic += ms;
    },
    setWallClock: (ms) => {
      now = START + ms;
    },
    get log() {
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    logText: () => lines.join(''),
  };
}
