import type { Rules, Stacking } from '../../core/rules/parsed-rules.ts';
import { xpFor } from '../../core/rules/rules.ts';
import type { Choices, Named } from './choices.ts';

/** The XP that a message would earn by the rules of a guild, and how it comes about. */
export interface Trial {
  /** The role of the member; null for a member without a role. */
  readonly role: Named | null;
  /** The channel of the message; null = a channel that no rule names. */
  readonly channel: Named | null;
  /** The XP in words, such as "22 to 37 XP". */
  readonly xp: string;
  /** Why the message earns this XP, in words, without a full stop. */
  readonly reason: string;
}

/** Whole millionths, in which multipliers are exact. */
const ONE = 1_000_000;

/**
 * Tries rules on a message of a member with one role, in one channel. If the address names no role or channel, the role or channel of the first
 * multiplier is tried.
 * @param multiplier the multiplier of the whole server.
 * @param query `role` and `channel` of the address.
 */
export function trialOf(
  rules: Rules,
  multiplier: number,
  choices: Choices,
  query: Readonly<Record<string, unknown>>,
): Trial {
  const asked = (name: string): string | undefined =>
    typeof query[name] === 'string' ? query[name].trim() : undefined;
  const roleId = asked('role') ?? [...rules.multipliers.roles.keys()][0] ?? '';
  const channelId = asked('channel') ?? [...rules.multipliers.channels.keys()][0] ?? '';
  const role = roleId === '' ? null : choices.role(roleId);
  const channel = channelId === '' ? null : choices.channel(channelId);
  const parent = choices.parentOf(channelId);
  const gain = xpFor(rules, { kind: 'message', roles: role ? [roleId] : [], channel: channelId, parents: [parent] });
  const shown = { role, channel };
  if (gain.reason !== null) return { ...shown, xp: 'no XP', reason: noXpReason(gain.reason, shown) };
  const { amount, factor } = gain;
  const { min, max } = typeof amount === 'number' ? { min: amount, max: amount } : amount;
  const [least, most] = [min, max].map((xp) => multiplied(xp, factor, multiplier));
  const { roles, channels, stacking } = rules.multipliers;
  const nearest = [channelId, parent].find((id) => id !== undefined && channels.has(id));
  const found: readonly Factor[] = [
    ...(role ? factorOf(roles.get(roleId), `${isolated(role.name)} earns`) : []),
    ...(nearest ? factorOf(channels.get(nearest), `${isolated(choices.channel(nearest).name)} gives`) : []),
  ];
  const reasons = [
    factorsInWords(found, stacking),
    multiplier === 1 ? '' : `the whole server earns ${multiplier}×`,
  ].filter(Boolean);
  return {
    ...shown,
    xp: least === most ? `${least} XP` : `${least} to ${most} XP`,
    reason: reasons.length > 0 ? `because ${reasons.join(' and ')}` : 'as any message does',
  };
}

/** A multiplier with the words before it, such as "Regular earns". */
interface Factor {
  readonly factor: number;
  readonly words: string;
}

function factorOf(factor: number | undefined, words: string): Factor[] {
  return factor === undefined ? [] : [{ factor, words }];
}

/** Returns in words what the multipliers of a role and a channel do together; "" if they change nothing. */
function factorsInWords(found: readonly Factor[], stacking: Stacking): string {
  const inWords = ({ factor, words }: Factor) => `${words} ${factor}×`;
  const others = found.filter(({ factor }) => factor !== 1);
  if (found.length < 2 || others.length === 0) return others.map(inWords).join('');
  if (stacking === 'max') {
    const greatest = found.reduce((one, other) => (other.factor > one.factor ? other : one));
    return `${inWords(greatest)} (of role and channel, only the greatest counts)`;
  }
  const isSum = stacking === 'sum' && others.length > 1;
  return others.map(inWords).join(' and ') + (isSum ? ' (what each has above 1 is added)' : '');
}

/** Returns a name that cannot reverse the direction of the sentence after it. */
function isolated(name: string): string {
  return name.replace(/\p{Bidi_Control}/gu, '');
}

function noXpReason(reason: string, { role, channel }: Pick<Trial, 'role' | 'channel'>): string {
  if (reason === 'role' && role) return `because ${isolated(role.name)} earns no XP`;
  if (reason === 'channel' && channel) return `because ${isolated(channel.name)} gives no XP`;
  return 'because messages give no XP';
}

/** Returns XP times two multipliers, rounded half up once, as an award gives it. */
function multiplied(xp: number, factor: number, multiplier: number): bigint {
  const millionths = [factor, multiplier].map((each) => BigInt(Math.round(each * ONE)));
  const [a = 0n, b = 0n] = millionths;
  const unit = BigInt(ONE) ** 2n;
  return (2n * BigInt(xp) * a * b + unit) / (2n * unit);
}
