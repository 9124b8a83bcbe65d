import { createHash } from 'node:crypto';
import { checkMember, isAvatar, isWhole, MAX, NaiveGuild, placeWord } from './guild.ts';
import { Refused, type Reply, type State } from './state.ts';

/** What a script replies, and the guild after it. @throws Refused */
export type Model = (
  state: State,
  now: number,
  keys: readonly string[],
  args: readonly string[],
) => [Reply, NaiveGuild];

const MAX_GAIN = 1_000_000_000n;
const DAY_S = 86_400;

/**
 * Adds to a model what lib-event.lua does: the reply of a call that was done stays under the key of its event, and a repeat gets it.
 * @param eventAt place of that key. @param whatOf names the call by its arguments.
 */
export function once(model: Model, eventAt: number, whatOf: (args: readonly string[]) => string): Model {
  return (state, now, keys, args) => {
    const event = keys[eventAt];
    const [ttl = ''] = args;
    if (event === undefined) return model(state, now, keys, args);
    if (!isWhole(ttl, 86_400_000n) || ttl.startsWith('0')) throw new Refused(['REFUSED', 0, 'argument']);
    const kept = new NaiveGuild(state, now).open();
    const text = kept.string(event)?.string;
    const what = whatOf(args.slice(1));
    if (text !== undefined && Object.keys(kept.stats).length > 0) {
      const [of, ...reply] = text.split('\n');
      if (of !== what) throw new Refused(['REFUSED', 0, 'event']);
      return [[...reply, 'repeated'], kept];
    }
    const [reply, guild] = model(state, now, keys.slice(0, eventAt), args.slice(1));
    const parts = reply as readonly (string | number | { at_most: number })[];
    const texts = parts.map((part) => String(typeof part === 'object' ? part.at_most : part));
    if (texts[0] === 'OK') guild.setString(event, [what, ...texts].join('\n'), Number(ttl));
    return [reply, guild];
  };
}

/**
 * Adds to a model what take_avatars_key of lib-avatars.lua does: a call that stores an avatar has their key after its own ones, and another call
 * can leave it out.
 */
export function withAvatars(model: Model): Model {
  return (state, now, keys, args) => {
    const own = keys.filter((key) => key !== ':avatars');
    const [reply, guild] = model(state, now, own, args);
    if (guild.needsAvatars && own.length === keys.length) throw new Refused({ error: 'ERR' });
    return [reply, guild];
  };
}

/** Names a call of record.lua for its event: by all of its arguments. */
export function nameOfRecord(args: readonly string[]): string {
  return `record ${createHash('sha1').update(args.join('\n')).digest('hex')}`;
}

/** award.lua. */
export const award: Model = (state, now, keys, args) => {
  const [id, amount, cooldown, name, rank, factor = '', avatar = ''] = args as [
    ...[string, string, string, string, string],
    ...(string | undefined)[],
  ];
  const isFit = isWhole(amount, MAX_GAIN) && isWhole(cooldown, 31_536_000_000n);
  if (!isFit || !/^(\d{1,4}(\.\d{0,6})?)?$/.test(factor) || Number(factor) > 1000)
    throw new Refused(['REFUSED', 0, 'argument']);
  checkMember(id, 0);
  const guild = new NaiveGuild(state, now).open();
  const fields = nameFields(guild, id, name);
  if (!isAvatar(avatar)) throw new Refused(['REFUSED', 0, 'field']);
  if (avatar !== '') guild.readAvatars();
  const left = cooldown === '0' ? 0 : leftOf(guild.string(keys[5] as string));
  const gained = left > 0 ? 0n : multiplied(BigInt(amount), guild.hash(':config').xp_multiplier, factor || '1');
  const reply = gain(guild, id, left > 0 ? 'WAIT' : 'OK', gained, fields);
  if (left === 0 && cooldown !== '0') guild.setString(keys[5] as string, `${cooldown} ms`, Number(cooldown));
  if (left === 0) guild.setAvatar(id, avatar);
  const place = guild.ranking().indexOf(id) + 1;
  const timeLeft = left > 0 || cooldown !== '0' ? { at_most: left || Number(cooldown) } : 0;
  return [[...reply, rank === 'rank' && place > 0 ? place : '', timeLeft], guild];
};

/** Returns the milliseconds left of a cooldown: none when that is more than its length, because then the clock went back. */
function leftOf({ string, ms = 0 }: { string: string; ms?: number } = { string: '' }): number {
  const length = /^(\d+) ms$/.exec(string)?.[1];
  return length !== undefined && ms > Number(length) ? 0 : ms;
}

/** claim.lua. */
export const claim: Model = (state, now, _keys, args) => {
  const [id, offset, missable, interval, name, ...rewards] = args as [
    string,
    string,
    string,
    string,
    string,
    ...string[],
  ];
  const isFit =
    /^-?\d+$/.test(offset) &&
    Math.abs(Number(offset)) <= 1440 &&
    isWhole(missable, 365n) &&
    isWhole(interval, 604_800_000n);
  if (!isFit || rewards.length === 0 || !rewards.every((xp) => isWhole(xp, MAX_GAIN)))
    throw new Refused(['REFUSED', 0, 'argument']);
  checkMember(id, 0);
  const guild = new NaiveGuild(state, now).open();
  const fields = nameFields(guild, id, name);
  const { profile } = guild.member(id);
  const dayOf = (seconds: number) => Math.floor((seconds + Number(offset) * 60) / DAY_S);
  const nowS = Math.floor(now / 1_000_000);
  const last = lastClaim(profile, Number(offset));
  const stored = isWhole(profile.daily_streak, MAX - 1n) ? Number(profile.daily_streak) : 0;
  const next = (day: number, claimedMs: number) =>
    String(Math.max(((day + 1) * DAY_S - Number(offset) * 60) * 1000, claimedMs + Number(interval)));
  const today = dayOf(nowS);
  const nowMs = Math.floor(now / 1000);
  const isAhead = last !== undefined && last.ms > nowMs + 86_400_000;
  if (last && !isAhead && (today <= last.day || nowMs < last.ms + Number(interval)))
    return [[...gain(guild, id, 'WAIT', 0n, {}), String(stored), next(last.day, last.ms)], guild];
  const streak = last && today - last.day <= 1 + Number(missable) ? stored + 1 : 1;
  const claimedAt = `${nowMs}${Number(offset) < 0 ? '' : '+'}${Number(offset)}`;
  const claimed = { daily_streak: String(streak), last_daily_claim: claimedAt };
  const xp = BigInt(rewards[Math.min(streak, rewards.length) - 1] as string);
  return [[...gain(guild, id, 'OK', xp, { ...fields, ...claimed }), String(streak), next(today, nowMs)], guild];
};

/** The part of a gain that award.lua and claim.lua share. */
function gain(guild: NaiveGuild, id: string, status: 'OK' | 'WAIT', amount: bigint, fields: Record<string, string>) {
  const { exists, isHidden, xp: before, level: levelBefore, profile } = guild.member(id);
  const xp = before + amount;
  if (xp > MAX) throw new Refused(['REFUSED', 0, 'range']);
  let rev = guild.rev;
  if (status === 'OK') {
    const isChanged = Object.entries(fields).some(([name, value]) => profile[name] !== value);
    guild.put(id, xp, isHidden, isChanged ? { ...profile, ...fields } : undefined);
    rev = guild.write(['REFUSED', 0, 'total']);
  }
  const level = guild.levelOf(xp, profile.level);
  const next = guild.reach(BigInt(level) + 1n);
  const isExplicit = profile.level !== undefined && /^\d+$/.test(profile.level);
  const place = placeWord(exists, isHidden, status === 'OK');
  const toNext = isExplicit || next > MAX ? '' : String(next - xp);
  return [status, rev, String(amount), String(before), levelBefore, String(xp), level, toNext, place];
}

/** @throws Refused "field" for a name of more than 512 bytes. */
function nameFields(guild: NaiveGuild, id: string, name: string): Record<string, string> {
  guild.member(id);
  if (Buffer.byteLength(name) > 512) throw new Refused(['REFUSED', 0, 'field']);
  return name === '' ? {} : { username: name };
}

/** Returns an amount times a stored multiplier and a factor, rounded half up once, with six decimals of the multiplier. */
function multiplied(amount: bigint, stored: string | undefined, factor: string): bigint {
  // A longer one counts as none.
  const multiplier = stored !== undefined && stored.length <= 32 ? stored : undefined;
  const one = millionthsOf(factor) as bigint;
  const other = millionthsOf(multiplier ?? '1');
  if (other !== undefined) return (amount * one * other + 500_000_000_000n) / 1_000_000_000_000n;
  const number = multiplier === '' ? Number.NaN : Number(multiplier);
  if (!(number >= 0 && number < Number.POSITIVE_INFINITY)) return (amount * one + 500_000n) / 1_000_000n;
  return BigInt(Math.floor(Number(amount) * Number(factor) * number + 0.5));
}

/** Returns a plain decimal in millionths, undefined for another text. */
function millionthsOf(text: string): bigint | undefined {
  const [, whole, decimals = ''] = /^(\d+)\.?(\d*)$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole) * 1_000_000n + BigInt(decimals.padEnd(6, '0').slice(0, 6));
}

/** Returns the time and the day of the last claim, undefined for none or an unreadable one. */
function lastClaim({ last_daily_claim: at = '' }: Record<string, string>, ownOffset: number) {
  const [, ms, offset] = /^(-?\d+)([+-]\d*)?$/.exec(at) ?? [];
  if (ms === undefined || Math.abs(Number(ms)) > 8.64e15) return undefined;
  const minutes = offset === undefined || offset.length < 2 ? ownOffset : Number(offset);
  return { ms: Number(ms), day: Math.floor((Number(ms) / 1000 + minutes * 60) / DAY_S) };
}
