import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailableError } from '../errors.ts';
import type { RedisClient } from './client.ts';
import { mayHaveSpoken } from './connection-refusal.ts';

/** Time after which the requests are looked at again, to see whether Redis served them, while requests can be served. */
const PERIOD_MS = 1000;
/** Time between two checks while requests cannot be served. */
const PERIOD_DOWN_MS = 250;
/** Time before a check without an answer is repeated, because a single late reply is not an outage. */
const RETRY_MS = 100;
/** A failure outside of an outage is logged once in this time, for each code. */
const WARN_EVERY_MS = 60_000;
/** Requests that failed in an outage can end this long after it. */
const AFTERMATH_MS = 1000;

interface HealthLogger {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

/** The numbers of requests that Redis has served for this process since the start of the process. */
export interface StoreTraffic {
  /** Requests that Redis has counted, which proves that a master serves and takes writes. */
  readonly counted: number;
  /** Reads without a count, which a server that is no longer the master answers as well. */
  readonly uncounted: number;
}

/** What {@link StoreHealth} watches, and where it reports. */
export interface StoreHealthParts {
  readonly client: RedisClient;
  /** Tries what a request does. Rejects with StoreUnavailableError. */
  readonly probe: () => Promise<unknown>;
  readonly logger: HealthLogger;
  /** Where Redis is, for log lines. */
  readonly where: string;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
  /** Returns what the server says to a connection that only reads. */
  readonly readRefusal?: () => Promise<string | undefined>;
  /** Milliseconds between two checks of an idle Redis. */
  readonly idleMs: number;
  /** Returns the traffic so far. Left out = requests prove nothing, and only the time since the last probe counts. */
  readonly traffic?: () => StoreTraffic;
}

/**
 * Knows whether requests can be served. It sends a probe when the connection returns, when a request failed, every second while Redis serves only
 * reads without a count, and after `idleMs` without a request. Counted requests are proof enough. An outage is two lines in the log, however long it
 * lasts and however many requests and reconnections fail in it.
 */
export class StoreHealth {
  private current: StoreUnavailableError | undefined = new StoreUnavailableError(new Error('no connection yet'));
  /** The last error of the connection since it was usable, because a command itself only fails as "not writeable". */
  private connectionError: Error | undefined;
  /** The start itself reports an outage that begins before the start is over. */
  private hasStarted = false;
  private isOutageLogged = false;
  private quietUntil = 0;
  private readonly warnedAt = new Map<string, number>();
  private checking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  /** The traffic at the last look, and the time since the last proof that Redis serves. Time is counted in periods, so a process that was
   * suspended asks only once. */
  private seen: StoreTraffic = { counted: 0, uncounted: 0 };
  private unprovenMs = 0;

  constructor(private readonly parts: StoreHealthParts) {
    const { client } = parts;
    client.on('error', (error: Error) => {
      void this.loseConnection(error);
    });
    client.on('close', () => void this.check());
    client.on('ready', () => {
      this.connectionError = undefined;
      void this.check();
    });
  }

  /** Why requests cannot be served; undefined while they can. */
  get problem(): StoreUnavailableError | undefined {
    return this.current;
  }

  /** Checks now, and from then on logs outages. */
  start(): Promise<void> {
    this.hasStarted = true;
    return this.check();
  }

  /** Checks now, and from then on regularly. Settles when the state is known. Calls at the same time share one check. */
  check(): Promise<void> {
    if (this.stopped) return Promise.resolve();
    clearTimeout(this.timer);
    this.checking ??= this.decide().finally(() => {
      this.checking = undefined;
      this.unprovenMs = 0;
      this.schedule();
    });
    return this.checking;
  }

  private schedule(): void {
    if (this.stopped) return;
    clearTimeout(this.timer);
    this.timer = this.current
      ? setTimeout(() => void this.check(), PERIOD_DOWN_MS).unref()
      : setTimeout(this.look, this.periodMs).unref();
  }

  private get periodMs(): number {
    return Math.min(PERIOD_MS, this.parts.idleMs);
  }

  /** Checks Redis when requests were served without a count, or when nothing has proved for `idleMs` that Redis serves. */
  private readonly look = (): void => {
    const { idleMs, traffic } = this.parts;
    const now = traffic?.() ?? this.seen;
    const isProven = now.counted > this.seen.counted;
    const isRead = now.uncounted > this.seen.uncounted;
    this.seen = now;
    this.unprovenMs = isProven ? 0 : this.unprovenMs + this.periodMs;
    if (!isProven && (isRead || this.unprovenMs >= idleMs)) void this.check();
    else this.schedule();
  };

  /** Takes the failure of a request as a reason to check at once. Logs it if it is not part of an outage. */
  async report(error: StoreUnavailableError, fields: object): Promise<void> {
    if (this.current) return;
    await this.check();
    if (this.current) return;
    const now = this.parts.now();
    const { code, reason } = error;
    if (now < this.quietUntil || now - (this.warnedAt.get(code) ?? -WARN_EVERY_MS) < WARN_EVERY_MS) return;
    this.warnedAt.set(code, now);
    this.parts.logger.warn({ reason, ...fields }, 'store unavailable');
  }

  /** Ends the watch: no further probe begins by itself. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private async decide(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.parts.probe();
        return this.goUp();
      } catch (failure) {
        const error = failure as StoreUnavailableError;
        if (!error.isOutage || attempt === 2 || this.current) {
          // A server that refuses connections can close them without an error.
          const isSilent = error.code === 'unreachable' && !this.connectionError && !this.current;
          return isSilent && error.cause instanceof Error ? this.loseConnection(error.cause) : this.goDown(error);
        }
      }
      await delay(RETRY_MS, undefined, { ref: false });
    }
  }

  /** Goes down. The log names what the server says to a new connection, if the server closes connections at once. */
  private async loseConnection(error: Error): Promise<void> {
    this.connectionError = error;
    const { readRefusal } = this.parts;
    if (readRefusal && this.hasStarted && !this.isOutageLogged && mayHaveSpoken(error)) {
      this.current = new StoreUnavailableError(error, 'unreachable');
      const said = await readRefusal();
      if (said !== undefined) this.connectionError = new Error(said);
      // Redis may be back meanwhile.
      if (this.current === undefined) return;
    }
    this.goDown(new StoreUnavailableError(this.connectionError ?? error, 'unreachable'));
  }

  private goDown(error: StoreUnavailableError): void {
    const { connectionError } = this;
    const isAway = error.code === 'unreachable' && connectionError;
    this.current = isAway ? new StoreUnavailableError(connectionError, 'unreachable') : error;
    if (!this.hasStarted || this.isOutageLogged || this.stopped) return;
    this.isOutageLogged = true;
    const { code, reason } = this.current;
    const { logger, where } = this.parts;
    logger.error({ code, reason }, code === 'unreachable' ? `lost ${where}` : `requests fail at ${where}`);
  }

  private goUp(): void {
    this.current = undefined;
    if (!this.isOutageLogged) return;
    this.isOutageLogged = false;
    this.quietUntil = this.parts.now() + AFTERMATH_MS;
    this.parts.logger.info({}, `back: ${this.parts.where}`);
  }
}
