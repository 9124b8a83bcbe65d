import { type EntryCode, type Refusal, type RefusalCode, type Sentences, tell } from './refusals.ts';

/**
 * The errors of the domain: {@link StoreUnavailableError}, {@link RefusedError} and {@link InvalidInputError}. The HTTP layer, the commands and
 * the dashboard each map them to their answers in one place.
 */

/** The base of the errors below, whose `name` is the name of their class. */
export abstract class DomainError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** Error codes of Redis that a request or a command can meet. */
const REDIS_CODES = [
  'READONLY',
  'OOM',
  'MISCONF',
  'NOREPLICAS',
  'NOPERM',
  'NOAUTH',
  'WRONGPASS',
  'WRONGTYPE',
  'LOADING',
  'BUSY',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'CROSSSLOT',
  'MOVED',
  'ASK',
  'NOSCRIPT',
  // The codes of the project's own scripts: the data have a newer version, the script lacks the curve, or the call left out the keys of the boards.
  'MODEL',
  'CURVE',
  'BOARDS',
] as const;

/** An error code of {@link REDIS_CODES}. */
export type RedisCode = (typeof REDIS_CODES)[number];

/** Why the store failed, for metrics and probes: Redis's own error code, or one of three words. */
export type StoreFailureCode = RedisCode | 'timeout' | 'unreachable' | 'other';

/** Returns the error code of Redis in a message, ERR for a code that is not in the list; undefined for a failure of the connection. */
export function redisCodeOf(reason: string): RedisCode | 'ERR' | undefined {
  const word = /^([A-Z]{2,})\b/.exec(reason)?.[1];
  const known = REDIS_CODES.find((code) => code === word);
  if (known) return known;
  // Redis 7.0 and Valkey give the refusal of a command in a script no code of its own.
  if (/user executing the script can't|ACL failure in script/.test(reason)) return 'NOPERM';
  // Proxies in front of several servers have words of their own for this refusal.
  if (/\bCROSSSLOT\b|\bsame (hash ?)?slot\b/i.test(reason)) return 'CROSSSLOT';
  return word === undefined ? undefined : 'ERR';
}

/**
 * What precedes the error of Redis in a message. ioredis puts words before the last error of a command that it has sent to several nodes of a
 * Cluster, and ioredis-mock puts words before each error of a script, as do servers that report such errors like a Redis before 7.
 */
const PREFIX =
  /^(Too many Cluster redirections\. Last error: (\w*Error: )?|Error trying to loading or executing lua code string in VM: |(ERR )?Error running script \(call to \w+\): (@user_script:\d+: )?)/;

/** Messages of ioredis, of node-redis and of the system for a connection that is not there. */
const UNREACHABLE =
  /isn't (writeable|ready)|client is (closed|offline)|Disconnects client|max retries per request|[Cc]onnection|[Ss]ocket|\bE[A-Z]{4,}\b|slots cache|startup nodes|sentinels are unreachable/;

/**
 * Messages of ioredis and of node-redis for a command that never left the process. A Cluster of ioredis gives other messages, which also appear after
 * a retry.
 */
const NEVER_SENT = /^Stream isn't writeable|^The client is (closed|offline)/;

/** The messages of ioredis about a missing connection, each with a message for a person. */
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
    const code = failureCodeOf(toldBy(cause), knownCode);
    super(message ?? `The store did not answer in time or refused the command (${code})`, { cause });
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

  /**
   * The message of Redis or of the system unchanged, or the message of ioredis in plainer words. For logs only, because it can contain an address.
   */
  get reason(): string {
    const { told } = this;
    return CLIENT_WORDS.find(([pattern]) => pattern.test(told))?.[1] ?? told;
  }

  /** Whether Redis was out of reach or late, and not a refusal: the same command may be done soon. */
  get isOutage(): boolean {
    return this.code === 'timeout' || this.code === 'unreachable';
  }

  /** Whether the command was surely not sent. Otherwise Redis may have done the command, unless `code` is the code of a refusal by Redis. */
  get notSent(): boolean {
    const { cause } = this;
    return cause instanceof Error && NEVER_SENT.test(cause.message);
  }

  private get told(): string {
    return toldBy(this.cause);
  }

  /** The kind of failure, from a closed set without addresses, so that clients may see it. */
  get code(): StoreFailureCode {
    return failureCodeOf(this.told, this.knownCode);
  }
}

/** Returns what a failure tells of itself, without what precedes the error of Redis. */
function toldBy(cause: unknown): string {
  return cause instanceof Error ? cause.message.replace(PREFIX, '') || cause.name : String(cause);
}

/** Returns the kind of a failure by what it tells of itself. @param knownCode the kind, where Redis gives no code. */
function failureCodeOf(told: string, knownCode: StoreFailureCode | undefined): StoreFailureCode {
  const code = redisCodeOf(told);
  if (code && code !== 'ERR') return code;
  if (knownCode) return knownCode;
  return UNREACHABLE.test(told) ? 'unreachable' : 'other';
}

/** Failures that the data of one guild cause. */
const UNREADABLE: readonly StoreFailureCode[] = ['WRONGTYPE', 'MODEL', 'CURVE'];

/** Returns whether a caught value says that the data of one guild cannot be read, while the data of other guilds can. */
export function isUnreadable(caught: unknown): boolean {
  return caught instanceof StoreUnavailableError && UNREADABLE.includes(caught.code);
}

/**
 * The data do not allow a call: something that the call names is missing, other work holds the guild, or data would be lost. A script that refuses
 * changes nothing; in a call of several steps, the steps before the refusal were done. The message is for a log, and {@link tell} for a person.
 */
export class RefusedError extends DomainError {
  readonly code: RefusalCode;
  /** The values that the sentence names. An `index` counts the entries of the call from 0, and names the refused entry. */
  readonly params: Refusal[1];
  readonly #state: string | undefined;

  constructor(...[code, params, state]: Refusal) {
    const entry = 'index' in params ? ` (entry ${params.index})` : '';
    super(tell(code, params, {}, state) + entry);
    this.code = code;
    this.params = params;
    this.#state = state;
  }

  /** Returns the sentence without its full stop. @param own the sentences of the place that shows the refusal, if it has sentences of its own. */
  tell(own: Partial<Sentences> = {}): string {
    return tell(this.code, this.params, own, this.#state);
  }

  /** Returns this error with a text that says what was done before the refusal. */
  after(state: string): RefusedError {
    return new RefusedError(...([this.code, this.params, state] as Refusal));
  }
}

/** Returns the message of a caught value, which need not be an error. */
export function messageOf(caught: unknown): string {
  return caught instanceof Error ? caught.message : String(caught);
}

/** Returns a value as JSON for a message. A list or an object that has no JSON, because it is nested too deep or in itself, is named by its kind. */
export function shownJson(value: unknown): string {
  return shown(value, (each) => JSON.stringify(each) ?? String(each));
}

/** Returns a value as text for a message, a text in quotes. A list or an object is named by its kind if it has no text. */
export function shownText(value: unknown): string {
  return shown(value, (each) => (typeof each === 'string' ? JSON.stringify(each) : String(each)));
}

function shown(value: unknown, textOf: (value: unknown) => string): string {
  if (typeof value === 'bigint') return `${value}n`;
  try {
    return textOf(value);
  } catch {
    return Array.isArray(value) ? 'a list that JSON cannot show' : 'an object that JSON cannot show';
  }
}

/** Returns whether a caught value says that an AbortSignal ended the work. */
export function isAbort(caught: unknown): boolean {
  return caught instanceof Error && caught.name === 'AbortError';
}

/** A value of a call, a person, a file or an environment is wrong. The message names the value and the fix. */
export class InvalidInputError extends DomainError {}

/** Returns the code of an error of the system, such as EADDRINUSE, and the call that failed; "" for another error. */
export function systemErrorOf(error: unknown): { readonly code: string; readonly syscall: string } {
  const { code = '', syscall = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return { code, syscall };
}

export type { EntryCode, RefusalCode, Sentences };

/** All errors in the environment, one line a variable. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`Invalid configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}
