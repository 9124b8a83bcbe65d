/**
 * The closed set of domain errors. They know nothing of HTTP: the HTTP layer and the commands each map them in one place.
 */

export abstract class DomainError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** Redis is unreachable, too slow, refuses the command or holds something else than the data model says. */
export class StoreUnavailableError extends DomainError {
  constructor(cause: unknown) {
    super('The store did not answer in time or refused the command', { cause });
  }

  /** What Redis or its client said; for logs only, it can hold an address. */
  get reason(): string {
    const { cause } = this;
    return cause instanceof Error ? cause.message || cause.name : String(cause);
  }
}

/** Why a write was refused: not an integer, out of 0 .. 2^53-1, a bad profile field, or a guild total beyond 64 bits. */
export type RefusalReason = 'xp' | 'range' | 'field' | 'total';

const REFUSALS: Record<RefusalReason, string> = {
  xp: 'XP must be an integer between 0 and 9007199254740991',
  range: 'the addition would leave the range 0 .. 9007199254740991',
  field: 'a profile field is unknown or its level is not a whole number',
  total: "the guild's total XP would pass 9223372036854775807",
};

/** A write was refused as a whole; nothing was changed. */
export class RecordRefusedError extends DomainError {
  constructor(
    /** Index, from 0, of the refused entry in the call. */
    readonly index: number,
    readonly reason: RefusalReason,
  ) {
    super(`Entry ${index} was refused: ${REFUSALS[reason]}`);
  }
}

/** A value given by a person is wrong; the message names it and the fix. */
export class InvalidInputError extends DomainError {}

/** What was asked for does not exist; the message names it. */
export class NotFoundError extends DomainError {}
