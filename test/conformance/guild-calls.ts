import type { Model } from './bot-calls.ts';
import { checkMember, isAvatar, MAX, NaiveGuild, type Profile, placeWord } from './guild.ts';
import { Keys, Refused, type Reply, type State } from './state.ts';

const WORDS = ['add', 'take', 'level', 'hidden'];

/** record.lua. */
export const record: Model = (state, now, keys, rest) => {
  if (keys.length < 5) throw new Refused({ error: 'ERR' });
  const guild = new NaiveGuild(state, now).open();
  guild.levelOf(0n);
  const named = rest[0] === 'each' ? rest.slice(1) : rest;
  const hasAvatars = named[0] === 'avatars';
  const args = hasAvatars ? named.slice(1) : named;
  const width = hasAvatars ? 4 : 3;
  if (args.length % width !== 0) throw new Refused(['REFUSED', Math.floor(args.length / width), 'argument']);
  const entries = entriesOf(args, width);
  const answers: string[] = [];
  let created = 0;
  let isWritten = false;
  let isHiding = false;
  let last = ['0', 0] as [string, number];
  for (const [index, { xpChange, id, change, avatar }] of entries.entries()) {
    const refuse = (reason: string) => new Refused(['REFUSED', index, reason]);
    checkMember(id, index);
    const before = guild.member(id);
    const [word, text] = parsed(xpChange);
    if (!(word === 'add' ? /^-?\d+$/ : /^\d+$/).test(text) || abs(BigInt(text)) > MAX) throw refuse('xp');
    if (!['set', 'keep', ...WORDS].includes(word)) throw refuse('argument');
    const xp = xpAfter(guild, word, before.xp, BigInt(text));
    if (xp === undefined) throw refuse('level');
    if (xp < 0n || xp > MAX) throw refuse('range');
    const profile = changedProfile(before.profile, change);
    if (!profile || !isAvatar(avatar)) throw refuse('field');
    const isHidden = before.isHidden || (word === 'hidden' && !before.exists);
    const level = guild.levelOf(xp, profile.level);
    last = [String(xp), level];
    const isMissing = (word === 'keep' || word === 'take') && !before.exists;
    const place = placeWord(before.exists, isHidden, !isMissing);
    answers.push(`${before.xp} ${before.level} ${xp} ${level} ${place}`);
    if (isMissing) continue;
    if (!before.exists && !isHidden) created++;
    if (!before.exists && isHidden) isHiding = true;
    isWritten = true;
    guild.put(id, xp, isHidden, change === '' ? undefined : profile);
    guild.setAvatar(id, avatar);
    if (isHiding) guild.stats.hidden = String(guild.hidden.size);
  }
  const overflow = ['REFUSED', entries.length - 1, 'total'];
  const rev = isWritten ? guild.write(overflow) : guild.rev;
  return [['OK', rev, created, ...last, ...(rest[0] === 'each' ? answers : [])], guild];
};

/** Returns word and digits of a change of XP: "set" for digits alone. */
function parsed(xpChange: string): [string, string] {
  if (xpChange === 'keep') return ['keep', '0'];
  const [word = '', ...rest] = xpChange.split(' ');
  if (/^[a-z]+$/.test(word)) return [word === 'set' || word === 'keep' ? 'unknown' : word, rest.join(' ')];
  return ['set', xpChange];
}

/** Returns the XP that a change by record.lua leaves; undefined for a level that no XP gives. */
function xpAfter(guild: NaiveGuild, word: string, xp: bigint, amount: bigint): bigint | undefined {
  if (word === 'keep') return xp;
  if (word === 'add') return xp + amount;
  if (word === 'take') return xp > amount ? xp - amount : 0n;
  if (word !== 'level') return amount;
  const least = amount === 0n ? 0n : guild.reach(amount);
  return least <= MAX && guild.levelOf(least) === Number(amount) ? least : undefined;
}

/** hide.lua. */
export const hide: Model = (state, now, _keys, [direction, reason = '', ...ids]) => {
  if (!['hide', 'unhide', 'add'].includes(direction ?? '') || !['left', 'self', 'moderator'].includes(reason))
    throw new Refused(['REFUSED', 0, 'argument']);
  const after = (_: string, before: readonly string[]) =>
    direction === 'unhide' ? before.filter((each) => each !== reason) : [...before, reason];
  return place(state, now, ids, after, direction === 'add');
};

/**
 * lib-place.lua.
 * @param after gives the reasons of a member after the call, in any order.
 * @param isAdding whether a user who is no member becomes a hidden one.
 */
export function place(
  state: State,
  now: number,
  ids: readonly string[],
  after: (id: string, before: readonly string[]) => readonly string[],
  isAdding = false,
): [Reply, NaiveGuild] {
  const guild = new NaiveGuild(state, now).open();
  guild.levelOf(0n);
  for (const [index, id] of ids.entries()) checkMember(id, index);
  let changed = 0;
  let isWritten = false;
  const hidden: string[] = [];
  for (const id of new Set(ids)) {
    const isNew = !guild.ranked.has(id) && !guild.hidden.has(id);
    if (isNew && !isAdding) continue;
    const before = guild.reasonsOf(id);
    // It has no place that it could leave.
    if (isNew) guild.put(id, 0n, true);
    const hasNewPlace = guild.place(id, after(id, before));
    if (hasNewPlace) changed++;
    const now = guild.reasonsOf(id);
    if (hasNewPlace || now.join() !== before.join()) isWritten = true;
    if (now.length > 0) hidden.push([id, ...now].join(' '));
  }
  if (!isWritten) return [['OK', guild.rev, 0, ...hidden], new NaiveGuild(state, now)];
  const rev = guild.write(['REFUSED', ids.length - 1, 'total'], { hidden: String(guild.hidden.size) });
  return [['OK', rev, changed, ...hidden], guild];
}

/** list.lua. */
export const list: Model = (state, now, _keys, [kind]) => {
  const guild = new NaiveGuild(state, now).open();
  const left = Object.entries(guild.reasons).flatMap(([id, text]) => (text.split(' ').includes('left') ? [id] : []));
  return [['0', guild.ranked.size, ...(kind === 'ranked' ? guild.ranking().reverse() : left)], guild];
};

/** Returns whether one of the users is on a board. */
export function isOnBoard(state: State, userIds: readonly string[]): boolean {
  const boards = Object.keys(state).filter((key) => key.includes('~'));
  return boards.some((key) => userIds.some((id) => new Keys(state).zset(key).has(id)));
}

/** remove.lua. */
export const remove: Model = (state, now, keys, ids) => {
  const guild = new NaiveGuild(state, now).open();
  guild.levelOf(0n);
  guild.readAvatars();
  let removed = 0;
  let unhidden = 0;
  for (const [index, id] of ids.entries()) {
    if (keys[index + 8] !== `:cooldown:${id}`) throw new Refused({ error: 'ERR' });
    if (!guild.member(id).exists) continue;
    removed++;
    if (guild.stats.hidden !== undefined && guild.hidden.delete(id)) unhidden++;
    guild.ranked.delete(id);
    if (!guild.hidden.has(id)) delete guild.reasons[id];
  }
  const isDropped = guild.stats.boards !== undefined && isOnBoard(state, ids);
  if (removed > 0 || isDropped)
    guild.write({ error: 'ERR' }, unhidden > 0 ? { hidden: String(guild.hidden.size) } : {});
  const marks = guild.zset(':season:xp');
  for (const id of ids) {
    guild.setProfile(id, {});
    guild.setAvatar(id, 'none');
    marks.delete(id);
    guild.delete(`:cooldown:${id}`);
  }
  guild.setZset(':season:xp', marks);
  return [removed, guild];
};

/** The largest time of JavaScript. */
const MAX_TIME = 8_640_000_000_000_000n;

interface Entry {
  readonly xpChange: string;
  readonly id: string;
  readonly change: string;
  readonly avatar: string;
}

function entriesOf(args: readonly string[], width: number): Entry[] {
  if (args.length === 0) return [];
  const [xpChange, id, change, avatar] = args as [string, string, string, string];
  return [{ xpChange, id, change, avatar: width === 4 ? avatar : '' }, ...entriesOf(args.slice(width), width)];
}

/** Returns a profile after a change; undefined for a change that is not allowed. */
function changedProfile(before: Profile, change: string): Profile | undefined {
  const parts = change.split(' ');
  const names = ['level', 'daily_streak', 'last_daily_claim'];
  const name = parts.slice(3).join(' ');
  if (change === '') return before;
  if (parts.length < 3 || Buffer.byteLength(name) > 512) return undefined;
  const after = { ...before };
  for (const [n, field] of names.entries()) {
    const value = parts[n] as string;
    if (value === 'none') delete after[field];
    else if (value !== '-' && !isValidField(field, value)) return undefined;
    else if (value !== '-') after[field] = value;
  }
  if (parts.length > 3) after.username = name;
  if (after.username === '') delete after.username;
  return after;
}

function isValidField(field: string, value: string): boolean {
  if (field === 'last_daily_claim') return /^-?\d+$/.test(value) && abs(BigInt(value)) <= MAX_TIME;
  return /^\d{1,16}$/.test(value) && BigInt(value) <= MAX;
}

function abs(n: bigint): bigint {
  return n < 0n ? -n : n;
}
