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
  ...[
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
  ],
  ...['CLUSTERDOWN', 'TRYAGAIN', 'CROSSSLOT', 'MOVED', 'ASK', 'NOSCRIPT'],
] as const;

/** Why the store failed, for metrics and probes: Redis's own error code, or one of three words. */
export type StoreFailureCode = (typeof REDIS_CODES)[number] | 'timeout' | 'unreachable' | 'other';

/** Messages of ioredis and of the system for a connection that is not there. */
const UNREACHABLE =
  /isn't (writeable|ready)|[Cc]onnection|[Ss]ocket|\bE[A-Z]{4,}\b|slots cache|startup nodes|sentinels are unreachable/;

/** Redis is unreachable or too slow, refuses the command, or holds a value of another type than the data model says. */
export class StoreUnavailableError extends DomainError {
  /** @param knownCode the kind of failure, if the message of `cause` does not tell it. */
  constructor(
    cause: unknown,
    private readonly knownCode?: StoreFailureCode,
  ) {
    super('The store did not answer in time or refused the command', { cause });
  }

  /** Message of Redis or of its client. For logs only, because it can contain an address. */
  get reason(): string {
    const { cause } = this;
    return cause instanceof Error ? cause.message || cause.name : String(cause);
  }

  /** The kind of failure. One of a closed set, without addresses: it may be shown to clients. */
  get code(): StoreFailureCode {
    const { reason } = this;
    const first = reason.slice(0, reason.search(/[^A-Z]|$/));
    const known = REDIS_CODES.find((code) => code === first);
    if (known) return known;
    if (this.knownCode) return this.knownCode;
    // Redis 7.0 gives the refusal of a command in a script no code of its own.
    if (reason.includes("user executing the script can't")) return 'NOPERM';
    return UNREACHABLE.test(reason) ? 'unreachable' : 'other';
  }
}

/** Reason of a refused write: not an integer, outside 0 .. 2^53-1, a bad profile field, or a guild total beyond 64 bits. */
export type RefusalReason = 'xp' | 'range' | 'field' | 'total';

const REFUSALS: Record<RefusalReason, string> = {
  xp: 'XP must be an integer between 0 and 9007199254740991',
  range: 'the addition would leave the range 0 .. 9007199254740991',
  field: 'a profile field is unknown or its level is not a whole number',
  total: "the guild's total XP would pass 9223372036854775807",
};

/** A write was refused as a whole. Nothing was changed. */
export class RecordRefusedError extends DomainError {
  constructor(
    /** Index, from 0, of the refused entry in the call. */
    readonly index: number,
    readonly reason: RefusalReason,
  ) {
    super(`Entry ${index} was refused: ${REFUSALS[reason]}`);
  }
}

/** A value from a person is wrong. The message names the value and the fix. */
export class InvalidInputError extends DomainError {}

/** A named thing does not exist. The message names it. */
export class NotFoundError extends DomainError {}
