import { checkFields, checkText, wholeText } from '../check-fields.ts';
import { InvalidInputError } from '../errors.ts';
import { GUILD_KEYS } from '../store/redis-keys.ts';
import { throwRefusal } from '../store/refused-reply.ts';
import { defineScript, type ScriptReply } from '../store/script.ts';
import type { EventCall, OnceOptions } from './event.ts';
import { decodeGain, type Gain } from './gain.ts';
import { MAX_GAIN } from './gain-limits.ts';

/** The claim of one member for the present day. */
export interface ClaimRequest extends OnceOptions {
  readonly userId: string;
  /** XP; or XP for a streak of 1, 2, ... days, whose last entry counts for all longer streaks. Each 0 .. 10^9. */
  readonly reward: number | readonly number[];
  /** Minutes from UTC to the member's clock, such as 60 or -300; 0 unless given. */
  readonly utcOffsetMinutes?: number;
  /** Days that a member may miss without losing the streak, 0 .. 365; 0 unless given. */
  readonly graceDays?: number;
  /**
   * Milliseconds between two claims at least, 0 .. 7 days; 20 hours unless given. Without it, a member that gives another offset can claim
   * two days at once.
   */
  readonly minIntervalMs?: number;
  /** Display name to store, if it differs. An empty name leaves the stored name as it is. */
  readonly username?: string;
}

const FIELDS: readonly (keyof ClaimRequest)[] = [
  'userId',
  'reward',
  'utcOffsetMinutes',
  'graceDays',
  'minIntervalMs',
  'username',
  'eventId',
];

/** The result of a daily claim. */
export interface Claim extends Gain {
  /** Whether this call was the claim of the day. Otherwise the day was claimed before, or the last claim is too recent, and nothing was changed. */
  readonly claimed: boolean;
  /** XP gained. */
  readonly reward: number;
  /** Days in a row. */
  readonly streak: number;
  /** When the next claim is possible, at this offset. */
  readonly nextClaimAt: Date;
}

const MAX_OFFSET = 24 * 60;
const MAX_GRACE_DAYS = 365;
/** The last time of a Date. */
const MAX_TIME_MS = 8_640_000_000_000_000;
const MIN_INTERVAL_MS = 20 * 3_600_000;
const MAX_INTERVAL_MS = 7 * 24 * 3_600_000;

/** A checked request, with each number as text. */
interface ClaimFields {
  readonly utcOffsetMinutes: string;
  readonly graceDays: string;
  readonly minIntervalMs: string;
  /** "" = the stored name stays. */
  readonly username: string;
  /** XP for a streak of 1, 2, ... days. */
  readonly rewards: readonly string[];
}

/** Gives the reward of the day. The key of the event comes last, if the call has an event. */
export const claimScript = defineScript({
  name: 'claim',
  keys: GUILD_KEYS,
  boards: true,
  args: ({ event, userId, claim }: { event: EventCall; userId: string; claim: ClaimFields }) => [
    ...event.args,
    userId,
    claim.utcOffsetMinutes,
    claim.graceDays,
    claim.minIntervalMs,
    claim.username,
    ...claim.rewards,
  ],
  decode: decodeClaim,
});

/** Returns the fields of a request. @throws InvalidInputError */
export function claimFields(request: ClaimRequest): ClaimFields {
  checkFields(request, 'a claim', FIELDS);
  const { reward, utcOffsetMinutes = 0, graceDays = 0, minIntervalMs = MIN_INTERVAL_MS, username = '' } = request;
  checkText(username, 'username');
  const rewards = typeof reward === 'number' ? [reward] : reward;
  if (!Array.isArray(rewards) || rewards.length === 0)
    throw new InvalidInputError('reward must be a number or a list with one number or more');
  return {
    utcOffsetMinutes: wholeText('utcOffsetMinutes', utcOffsetMinutes, -MAX_OFFSET, MAX_OFFSET),
    graceDays: wholeText('graceDays', graceDays, 0, MAX_GRACE_DAYS),
    minIntervalMs: wholeText('minIntervalMs', minIntervalMs, 0, MAX_INTERVAL_MS),
    username,
    rewards: rewards.map((xp) => wholeText('reward', xp, 0, MAX_GAIN)),
  };
}

/** Decodes the reply of claim.lua. @throws RefusedError */
function decodeClaim(reply: ScriptReply): Claim {
  throwRefusal(reply);
  return Object.assign(decodeGain(reply), {
    claimed: reply[0] === 'OK',
    reward: Number(reply[2]),
    streak: Number(reply[9]),
    // A raw writer can have stored any time.
    nextClaimAt: new Date(Math.min(Number(reply[10]), MAX_TIME_MS)),
  });
}
