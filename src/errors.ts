/**
 * The domain errors, all of them. The HTTP layer and the commands each map them to their answers in one place.
 */

export abstract class DomainError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** Redis is unreachable or too slow, refuses the command, or holds a value of another type than the data model says. */
export class StoreUnavailableError extends DomainError {
  constructor(cause: unknown) {
    super('The store did not answer in time or refused the command', { cause });
  }

  /** Message of Redis or of its client. For logs only, because it can contain an address. */
  get reason(): string {
    const { cause } = this;
    return cause instanceof Error ? cause.message || cause.name : String(cause);
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
