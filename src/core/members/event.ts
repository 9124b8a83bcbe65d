import { InvalidInputError } from '../errors.ts';
import type { GuildKeys } from '../store/redis-keys.ts';
import { MAX_EVENT_ID_BYTES } from '../text-bounds.ts';

/** How a call is done once: when its reply was lost and the bot sends it again, it gets the first reply, and nothing changes. */
export interface OnceOptions {
  /** Id of the event that the call is for, such as the id of a message: 1 to 64 bytes. No two calls of a guild may share an event. */
  readonly eventId?: string;
}

/** How long an event keeps its reply, unless the bot says otherwise. */
export const EVENT_TTL_MS = 600_000;

const encoder = new TextEncoder();

/** The key of an event, and the argument of its time to live; both empty for a call without an event. */
export interface EventCall {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

export const NO_EVENT: EventCall = { keys: [], args: [] };

/**
 * Returns what a script needs to do a call once.
 * @param part number of the script call among the script calls of one call.
 * @throws InvalidInputError
 */
export function eventCall(
  { eventPrefix, eventPartPrefix }: Pick<GuildKeys, 'eventPrefix' | 'eventPartPrefix'>,
  eventId: string | undefined,
  ttlMs: number,
  part: number,
): EventCall {
  if (eventId === undefined) return NO_EVENT;
  const bytes = typeof eventId === 'string' ? encoder.encode(eventId).length : 0;
  // UTF-8 has the same bytes for each lone surrogate, so two ids with lone surrogates could be the same event.
  if (bytes < 1 || bytes > MAX_EVENT_ID_BYTES || /\p{Surrogate}/u.test(eventId))
    throw new InvalidInputError('eventId must be a text of 1 to 64 bytes');
  const key = part === 0 ? eventPrefix + eventId : `${eventPartPrefix}${part}:${eventId}`;
  return { keys: [key], args: [String(ttlMs)] };
}

/** Returns whether a script answered with the reply of an earlier call. */
export function isRepeated(reply: readonly unknown[]): boolean {
  return reply.at(-1) === 'repeated';
}
