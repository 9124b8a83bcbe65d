/**
 * The domain errors, all of them. The HTTP layer and the commands each map them to their answers in one place.
 */

export abstract class DomainError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** Error codes of Redis that a request or a command can meet. */
const REDIS_CODES = [
  ...['READONLY', 'OOM', 'MISCONF', 'NOREPLICAS', 'NOPERM', 'NOAUTH', 'WRONGPASS', 'WRONGTYPE', 'LOADING', 'BUSY'],
  ...['MASTERDOWN', 'CLUSTERDOWN', 'TRYAGAIN', 'CROSSSLOT', 'MOVED', 'ASK', 'NOSCRIPT'],
  // Of the scripts: data of a newer version, a curve that they lack, a guild whose boards they were not told.
  ...['MODEL', 'CURVE', 'BOARDS'],
] as const;

export type RedisCode = (typeof REDIS_CODES)[number];

/** Why the store failed, for metrics and probes: Redis's own error code, or one of three words. */
export type StoreFailureCode = RedisCode | 'timeout' | 'unreachable' | 'other';

/** Returns the error code of Redis in a message, ERR for one that is not in the list; undefined for a failure of the connection. */
export function redisCodeOf(reason: string): RedisCode | 'ERR' | undefined {
  // Redis 7.0 and Valkey give the refusal of a command in a script no code of its own.
  if (/user executing the script can't|ACL failure in script/.test(reason)) return 'NOPERM';
  const word = /^([A-Z]{2,})\b/.exec(reason)?.[1];
  return word === undefined ? undefined : (REDIS_CODES.find((code) => code === word) ?? 'ERR');
}

/** With these words ioredis begins the last error of a command that it has sent to several nodes of a Cluster. */
const REDIRECTED = /^Too many Cluster redirections\. Last error: (\w*Error: )?/;

/** Messages of ioredis, of node-redis and of the system for a connection that is not there. */
const UNREACHABLE =
  /isn't (writeable|ready)|client is (closed|offline)|Disconnects client|max retries per request|[Cc]onnection|[Ss]ocket|\bE[A-Z]{4,}\b|slots cache|startup nodes|sentinels are unreachable/;

/** Messages of ioredis and of node-redis for a command that never left the process. A Cluster of ioredis gives others after a retry too. */
const NEVER_SENT = /^Stream isn't writeable|^The client is (closed|offline)/;

/** What ioredis reports of a connection that is not there, and the same in words. */
const CLIENT_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Stream isn't writeable/, 'there is no connection to Redis'],
  [/^Cluster isn't ready/, 'there is no connection to the Cluster'],
  [/^Reached the max retries per request limit/, 'the connection broke before the reply'],
];

/**
 * Returns the message of a script that refused a guild for its data: a newer version, or a curve that the script lacks. It names the cause
 * and the fix. Undefined for another message.
 */
export function scriptRefusal(message: string): string | undefined {
  return /(?:^|: )(?:MODEL|CURVE) (.*?)(?: script: \w+, on @user_script:\d+\.)?$/.exec(message)?.[1];
}

/** Redis is unreachable or too slow, refuses the command, or holds a value of another type than the data model says. */
export class StoreUnavailableError extends DomainError {
  /**
   * @param knownCode the kind of failure, if the message of `cause` does not tell it.
   * @param message for the caller; told by `cause` unless given.
   */
  constructor(
    cause: unknown,
    private readonly knownCode?: StoreFailureCode,
    message = scriptRefusal(cause instanceof Error ? cause.message : ''),
  ) {
    super(message ?? 'The store did not answer in time or refused the command', { cause });
  }

  /** Returns the error of a call that the server did and that replicas may lack. @param doubt why they may. */
  static unreplicated(doubt: string): StoreUnavailableError {
    const message = `The call was done, but a failover may lose it: ${doubt}. Send it again with the same eventId`;
    return new StoreUnavailableError(new Error(message), 'timeout', message);
  }

  /** Returns a caught value as this error. */
  static of(caught: unknown): StoreUnavailableError {
    return caught instanceof StoreUnavailableError ? caught : new StoreUnavailableError(caught);
  }

  /** Message of Redis or of the system as it is, that of the client in words. For logs only, because it can contain an address. */
  get reason(): string {
    const { told } = this;
    return CLIENT_WORDS.find(([pattern]) => pattern.test(told))?.[1] ?? told;
  }

  /** Whether Redis was out of reach or late, and not a refusal: the same command may be done soon. */
  get isOutage(): boolean {
    return this.code === 'timeout' || this.code === 'unreachable';
  }

  /** Whether the command was surely not sent. Otherwise it may have been done, unless `code` is that of a refusal by Redis. */
  get notSent(): boolean {
    const { cause } = this;
    return cause instanceof Error && NEVER_SENT.test(cause.message);
  }

  private get told(): string {
    const { cause } = this;
    return cause instanceof Error ? cause.message.replace(REDIRECTED, '') || cause.name : String(cause);
  }

  /** The kind of failure. One of a closed set, without addresses: it may be shown to clients. */
  get code(): StoreFailureCode {
    const { told } = this;
    const code = redisCodeOf(told);
    if (code && code !== 'ERR') return code;
    if (this.knownCode) return this.knownCode;
    return UNREACHABLE.test(told) ? 'unreachable' : 'other';
  }
}

const REFUSALS = {
  user_id: 'a user id must be 1 to 64 of A-Z a-z 0-9 _ - .',
  xp: 'XP must be an integer between 0 and 9007199254740991',
  range: 'the addition would leave the range 0 .. 9007199254740991',
  level: "no XP gives this level by the guild's curve",
  field: 'a level or streak is not a whole number up to 9007199254740991, a time is none, or a name is too long',
  argument: 'an amount, a factor, a floor, a cooldown, an offset or a number of days is no number within its bounds',
  total: "the guild's total XP or sum of levels would pass 9223372036854775807",
  event: 'the event was that of another call: give each call an eventId of its own',
  staged: 'Redis failed over, and lost members that were staged: begin the replacement again',
  lock: 'another command has taken over the guild, or this one was suspended for more than ten seconds: run it again',
} as const;

/**
 * Reason of a refused write: a bad user id, XP that is not an integer, outside 0 .. 2^53-1, a level that no XP gives, a bad profile field or
 * argument, an event of another call, a guild total beyond 64 bits, or a replacement that another one has taken over or whose members a
 * failover lost.
 */
export type RefusalReason = keyof typeof REFUSALS;

/** A script call was refused as a whole, and changed nothing. Of a write of more than 500 members, the calls before it were done. */
export class RecordRefusedError extends DomainError {
  constructor(
    /** Index, from 0, of the refused entry in the call. */
    readonly index: number,
    readonly reason: RefusalReason,
  ) {
    super(`Entry ${index} was refused: ${REFUSALS[reason]}`);
  }

  /** Why it was refused, without its place in the call. */
  get explanation(): string {
    return REFUSALS[this.reason];
  }
}

/** An id of a write is no text of 1 to 64 of A-Z a-z 0-9 _ - . Nothing was sent. */
export class InvalidIdError extends DomainError {
  constructor(kind: 'guild' | 'user', value: unknown) {
    const shown = typeof value === 'string' ? JSON.stringify(value) : `${String(value)} (${typeof value})`;
    super(`The ${kind} id ${shown} must be a text of 1 to 64 of A-Z a-z 0-9 _ - .`);
  }
}

/** Returns the message of a caught value, which need not be an error. */
export function messageOf(caught: unknown): string {
  return caught instanceof Error ? caught.message : String(caught);
}

/** Returns whether a caught value says that an AbortSignal ended the work. */
export function isAbort(caught: unknown): boolean {
  return caught instanceof Error && caught.name === 'AbortError';
}

/** A value from a person is wrong. The message names the value and the fix. */
export class InvalidInputError extends DomainError {}

/** The state of the data does not allow it now: another command holds it, or what is there would be lost. The message says what to do. */
export class DataConflictError extends InvalidInputError {
  /** Returns the error of a command about a guild whose lock another one holds. The lock of a killed one ends after ten seconds. */
  static busy(guildId: string): DataConflictError {
    return new DataConflictError(
      `An import, a deletion or a season's end of ${guildId} is running, or was killed a moment ago: try again in 10 s`,
    );
  }

  /** Returns the error of a command about a guild whose season has not ended. */
  static unfinishedSeason(guildId: string, archive: string): DataConflictError {
    return new DataConflictError(
      `The season of ${guildId} that goes to ${archive} is not done: end it first, with the same arguments as before`,
    );
  }

  /** Returns the error of a command about a guild whose import was left unfinished. */
  static unfinishedImport(guildId: string): DataConflictError {
    return new DataConflictError(
      `The import of ${guildId} is not done: export and import it again, or delete the guild`,
    );
  }
}

/** A named thing does not exist. The message names it. */
export class NotFoundError extends DomainError {}

/** Returns the code of an error of the system, such as EADDRINUSE, and the call that failed; "" for another error. */
export function systemErrorOf(error: unknown): { readonly code: string; readonly syscall: string } {
  const { code = '', syscall = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return { code, syscall };
}

/** All errors in the environment, one line a variable. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`Invalid configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}
