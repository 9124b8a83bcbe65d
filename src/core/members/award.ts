import { randomInt } from 'node:crypto';
import { checkFields, checkText, wholeText } from '../check-fields.ts';
import { InvalidInputError, shownText } from '../errors.ts';
import { GUILD_KEYS, type GuildKeys } from '../store/redis-keys.ts';
import { throwRefusal } from '../store/refused-reply.ts';
import { defineScript, type ScriptReply } from '../store/script.ts';
import type { EventCall, OnceOptions } from './event.ts';
import { decodeGain, type Gain } from './gain.ts';
import { FACTOR_RULE, isFactor, MAX_COOLDOWN_MS, MAX_GAIN, type XpAmount } from './gain-limits.ts';
import { avatarChange, checkAvatar } from './xp-record.ts';

/** XP for one message of a member. */
export interface AwardRequest extends OnceOptions {
  readonly userId: string;
  /** XP before the guild's multiplier, 0 .. 10^9; from a range, a random number of it, both ends included. */
  readonly amount: XpAmount;
  /**
   * A further multiplier of this award, beside the guild's multiplier, such as the factor that `xpFor` gives: 0 .. 1000 with six decimals at most; 1
   * unless given. The product is exact, and rounded half up once. A product above 2^53-1 is refused as "range".
   */
  readonly factor?: number;
  /** How long this award keeps the member from the next award, in milliseconds; 0 or left out = not at all. */
  readonly cooldownMs?: number;
  /** Display name to store, if it differs. An empty name leaves the stored name as it is: `record` and `setProfiles` can remove a name. */
  readonly username?: string;
  /** Discord's hash of the avatar, to store if it differs; null removes it. */
  readonly avatar?: string | null;
  /** Whether to answer the rank too. */
  readonly rank?: boolean;
  /** Comes with what `xpFor` gives, and changes nothing. */
  readonly reason?: string | null;
}

const FIELDS: readonly (keyof AwardRequest)[] = [
  'userId',
  'amount',
  'factor',
  'cooldownMs',
  'username',
  'avatar',
  'rank',
  'eventId',
  'reason',
];

/** The result of an award. */
export interface Award extends Gain {
  /** XP gained: 0 while the cooldown runs. */
  readonly awarded: number;
  /** Whether the cooldown of an earlier award runs. Then nothing was changed. */
  readonly onCooldown: boolean;
  /** Milliseconds until the next award counts. */
  readonly cooldownLeftMs: number;
  /** Rank from 1; null unless it was asked for, and for a hidden member. */
  readonly rank: number | null;
}

/** A checked request, with each number as text. */
interface AwardFields {
  readonly amount: string;
  readonly cooldownMs: string;
  /** "" = the stored name stays. */
  readonly username: string;
  readonly rank: boolean;
  /** "" = 1. */
  readonly factor: string;
  /** As {@link avatarChange} returns it; "" = the stored avatar stays. */
  readonly avatar: string;
}

/** Gives XP for a message. The keys that {@link awardKeys} returns come last. */
export const awardScript = defineScript({
  name: 'award',
  keys: [...GUILD_KEYS, 'cooldown'],
  boards: true,
  args({ event, userId, award }: { event: EventCall; userId: string; award: AwardFields }) {
    const { amount, cooldownMs, username, rank, factor, avatar } = award;
    const args = [...event.args, userId, amount, cooldownMs, username, rank ? 'rank' : ''];
    if (factor !== '' || avatar !== '') args.push(factor);
    if (avatar !== '') args.push(avatar);
    return args;
  },
  decode: decodeAward,
});

/** Returns the fields of a request. @throws InvalidInputError */
export function awardFields(request: AwardRequest): AwardFields {
  checkFields(request, 'an award', FIELDS);
  const { amount, factor, cooldownMs = 0, username = '', avatar, rank = false } = request;
  checkText(username, 'username');
  checkAvatar(avatar, 'avatar');
  const cooldown = wholeText('cooldownMs', cooldownMs, 0, MAX_COOLDOWN_MS);
  return {
    amount: drawn(amount),
    cooldownMs: cooldown,
    username,
    rank,
    factor: factor === undefined ? '' : factorText(factor),
    avatar: avatarChange(avatar),
  };
}

/**
 * Returns the keys that {@link awardScript} takes after its own keys: the key of the avatars if the award changes an avatar, and the key of the
 * event.
 */
export function awardKeys(
  { avatars }: Pick<GuildKeys, 'avatars'>,
  { avatar }: AwardRequest,
  event: EventCall,
): readonly string[] {
  return avatar === undefined ? event.keys : [avatars, ...event.keys];
}

/** Returns a factor with its six decimals. */
function factorText(factor: number): string {
  if (isFactor(factor)) return factor.toFixed(6);
  throw new InvalidInputError(`factor must be ${FACTOR_RULE}, not ${shownText(factor)}`);
}

/** Decodes the reply of award.lua. @throws RefusedError */
function decodeAward(reply: ScriptReply): Award {
  throwRefusal(reply);
  const rank = reply[9];
  // Spreading the gain into a new object takes V8 several microseconds, and Object.assign a third of a microsecond (see ADR 11).
  return Object.assign(decodeGain(reply), {
    awarded: Number(reply[2]),
    onCooldown: reply[0] === 'WAIT',
    cooldownLeftMs: Number(reply[10]),
    rank: rank === '' ? null : Number(rank),
  });
}

/** Draws the number of a range here: Redis starts the random numbers of each script anew, so a script would always draw the same number. */
function drawn(amount: XpAmount): string {
  if (typeof amount !== 'object' || amount === null) return wholeText('amount', amount, 0, MAX_GAIN);
  checkFields(amount, 'a range', ['min', 'max'], 'amount');
  const { min, max } = amount;
  wholeText('amount.max', max, 0, MAX_GAIN);
  wholeText('amount.min', min, 0, max);
  return String(randomInt(min, max + 1));
}
