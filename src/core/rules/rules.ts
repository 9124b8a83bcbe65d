import { InvalidInputError } from '../errors.ts';
import { MAX_FACTOR, type XpAmount } from '../members/gain-limits.ts';
import { assertList, parseRules, refuse, VOICE_STATES } from './parse-rules.ts';
import type { Rules, Stacking, VoiceState } from './parsed-rules.ts';

/** The package's entry `guildrank-kit/rules`, for browsers too: the XP that a guild's rules give, and the roles of a level. It computes, and does no I/O. */

/** Where and by whom XP could be gained. */
interface EventOrigin {
  /** Ids of the member's roles. */
  readonly roles: readonly string[];
  /** Id of the channel or thread. */
  readonly channel: string;
  /** Ids of what holds the channel, the nearest first: the channel of a thread, its category. Null and undefined count for nothing. */
  readonly parents?: readonly (string | null | undefined)[];
}

/** A message of a member. */
export interface MessageEvent extends EventOrigin {
  readonly kind: 'message';
  /** Its number of characters. Without it, as a bot may not read all messages, it is long enough. */
  readonly chars?: number;
}

/** A tick of the bot's clock for a member in a voice channel. */
export interface VoiceEvent extends EventOrigin {
  readonly kind: 'voice';
  /** The states that hold for the member; false unless given. Null counts as false. */
  readonly voice?: { readonly [State in keyof VoiceState]?: boolean | null };
}

/** XP to give, as `award` of the writer takes it. */
export interface XpGain {
  readonly amount: XpAmount;
  /** The product of the multipliers, with six decimals, 0 .. 1000. That of the guild comes to it in Redis. */
  readonly factor: number;
  /** 0 for voice: a tick starts no cooldown of messages. */
  readonly cooldownMs: number;
  readonly reason: null;
}

/** No XP, and the first reason that applies, in the order of {@link NoXpReason}. */
export interface NoXpGain {
  readonly amount: 0;
  readonly factor: 0;
  readonly cooldownMs: 0;
  readonly reason: NoXpReason;
}

/**
 * Why there is no XP: the rules give no XP for this kind; a role; the channel, or a category or channel above it; a message is too short; a state of
 * voice. A multiplier of 0 counts as the role or channel that has it, even where another multiplier would win. If several multipliers only make 0
 * together, the channel counts.
 */
export type NoXpReason = 'off' | 'role' | 'channel' | 'length' | keyof VoiceState;

/** One in the unit of multipliers here: whole millionths, which multiply exactly. */
const ONE = 1_000_000n;

/**
 * Returns the XP that a message or a tick of voice gives by the rules. O(n) for n roles, channels and rules.
 * @throws InvalidInputError for another kind of event, for roles, a channel or parents that are no texts, and for chars that are no number from 0 on.
 */
export function xpFor(rules: Rules, event: MessageEvent | VoiceEvent): XpGain | NoXpGain {
  requireRules(rules, ['message', 'voice', 'noXp', 'multipliers']);
  const { message, voice, noXp, multipliers } = rules;
  const kind: string | undefined = event?.kind;
  if (kind !== 'message' && kind !== 'voice') refuse('kind', 'message or voice', kind);
  requireIds(event.roles, 'roles');
  requireId(event.channel, 'channel');
  const parents = knownParents(event.parents ?? []);
  if (event.kind === 'message') requireCount(event.chars ?? 0, 'chars');
  const none = (reason: NoXpReason): NoXpGain => ({ amount: 0, factor: 0, cooldownMs: 0, reason });
  const amount = event.kind === 'voice' ? voice.xp : message.xp;
  if ((typeof amount === 'number' ? amount : amount.max) === 0) return none('off');

  const channels = [event.channel, ...parents];
  const roleFactors = millionths(multipliers.roles, event.roles);
  const ofRoles = stacked(roleFactors, multipliers.roleStacking);
  if (event.roles.some((role) => noXp.roles.includes(role)) || roleFactors.includes(0n) || ofRoles === 0n) {
    return none('role');
  }
  const ofChannel = millionths(multipliers.channels, channels).slice(0, 1);
  const all = stacked([...(roleFactors.length > 0 ? [ofRoles] : []), ...ofChannel], multipliers.stacking);
  if (channels.some((channel) => noXp.channels.includes(channel)) || ofChannel[0] === 0n || all === 0n)
    return none('channel');

  const factor = Math.min(Number(all) / Number(ONE), MAX_FACTOR);
  if (event.kind === 'message') {
    if ((event.chars ?? message.minChars) < message.minChars) return none('length');
    return { amount, factor, cooldownMs: message.cooldownMs, reason: null };
  }
  for (const state of VOICE_STATES) {
    if (event.voice?.[state] && !voice.counts[state]) return none(state);
  }
  return { amount, factor, cooldownMs: 0, reason: null };
}

/** @throws InvalidInputError for rules that parseRules did not make, such as the null of a guild without rules. */
function requireRules(rules: Partial<Rules> | null, parts: readonly (keyof Rules)[] = []): void {
  if (isObject(rules) && parts.every((part) => isObject(rules[part]))) {
    if (Array.isArray(rules.rewards) && rules.rewards.every(isObject)) return;
  }
  throw new InvalidInputError(
    'rules must be what parseRules or reader.rules returns; for a guild without rules use parseRules({})',
  );
}

function isObject<T>(value: T): value is NonNullable<T> {
  return typeof value === 'object' && value !== null;
}

/** Returns what holds a channel, without what is not there. @throws InvalidInputError */
function knownParents(parents: readonly unknown[]): string[] {
  assertList(parents, 'parents');
  const known = parents.filter((parent) => parent !== null && parent !== undefined);
  requireIds(known, 'parents');
  return known;
}

/** Checks a list of ids, because a number would equal no id of the rules, and so would not count. @throws InvalidInputError */
function requireIds(value: unknown, path: string): asserts value is string[] {
  assertList(value, path);
  for (const [i, id] of value.entries()) requireId(id, `${path}[${i}]`);
}

function requireId(value: unknown, path: string): void {
  if (typeof value !== 'string') refuse(path, 'an id, a text', value);
}

function requireCount(value: unknown, path: string): void {
  if (!(typeof value === 'number' && value >= 0)) refuse(path, 'a number from 0 on', value);
}

/** Returns the multipliers that the ids have, in their order. */
function millionths(multipliers: ReadonlyMap<string, number>, ids: readonly string[]): bigint[] {
  return ids.flatMap((id) => {
    const multiplier = multipliers.get(id);
    return multiplier === undefined ? [] : [BigInt(Math.round(multiplier * Number(ONE)))];
  });
}

/** Returns the multiplier that several multipliers make together, rounded half up; 1 for an empty list. */
function stacked(factors: readonly bigint[], stacking: Stacking): bigint {
  if (factors.length === 0) return ONE;
  if (stacking === 'max') return [...factors].sort((a, b) => Number(b - a))[0] as bigint;
  if (stacking === 'sum') {
    const sum = factors.reduce((total, factor) => total + factor - ONE, ONE);
    return sum > 0n ? sum : 0n;
  }
  const unit = ONE ** BigInt(factors.length - 1);
  return (2n * factors.reduce((a, b) => a * b) + unit) / (2n * unit);
}

/** Roles to give to a member, and roles to take from it. */
export interface RoleChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/**
 * Returns the change of roles that a member needs at a level: rewards up to it that it lacks, and rewards that are above it or replaced. A role that
 * is no reward is in neither. Without a change both are empty, so a bot can call it at any time. O(n) for n rewards and roles.
 * @param roles ids of the member's roles.
 * @throws InvalidInputError for a level that is no number from 0 on, and for roles that are no texts.
 */
export function rewardRoles(rules: Pick<Rules, 'rewards'>, level: number, roles: readonly string[]): RoleChange {
  requireRules(rules);
  const { rewards } = rules;
  requireCount(level, 'level');
  requireIds(roles, 'roles');
  const reached = rewards.filter((reward) => reward.level <= level);
  const highest = Math.max(...reached.map((reward) => reward.level));
  const due = new Set(reached.filter(({ kept, level }) => kept || level === highest).map(({ role }) => role));
  const all = new Set(rewards.map(({ role }) => role));
  return {
    add: [...due].filter((role) => !roles.includes(role)),
    remove: [...all].filter((role) => roles.includes(role) && !due.has(role)),
  };
}

export type { XpAmount } from '../members/gain-limits.ts';
export type { Reward, Rules, Stacking, VoiceState } from './parsed-rules.ts';
export { InvalidInputError, parseRules };
