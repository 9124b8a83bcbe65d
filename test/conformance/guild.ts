import { CURVE_NAMES, type Curve, parseCurve } from '../../src/core/ranking/curves.ts';
import { exactXpToReach } from '../support/random-curve.ts';
import { Keys, Refused, type State } from './state.ts';

export const MAX = BigInt(Number.MAX_SAFE_INTEGER);
const MAX_COUNTER = 2n ** 63n - 1n;
/** The version of the data that the scripts know. */
const MODEL = '1';
const REASONS = ':hidden:reasons';
const AVATARS = ':avatars';
const ID = /^[A-Za-z0-9_.-]{1,64}$/;

/** Returns the word for the place of a user. @param isMade whether the call makes a user who is no member one. */
export function placeWord(exists: boolean, isHidden: boolean, isMade: boolean): string {
  if (isHidden) return 'hidden';
  if (exists) return 'ranked';
  return isMade ? 'new' : 'none';
}

/**
 * A guild as the contracts in the headers of the scripts describe it, in exact arithmetic and without care for speed: the counters are
 * those of all members, counted before and after a call.
 */
export class NaiveGuild extends Keys {
  readonly stats: Record<string, string>;
  readonly ranked: Map<string, number>;
  readonly hidden: Map<string, number>;
  /** Why members are hidden, as it is stored. */
  readonly reasons: Record<string, string> = {};
  private cachedCurve: Curve | undefined;
  /** Whether a ranked member had an explicit level in this call. */
  private metExplicit = false;
  private rankedBefore: ReadonlyMap<string, number> = new Map();

  constructor(
    private readonly state: State,
    readonly now: number,
  ) {
    super(state);
    this.stats = this.hash(':stats');
    if ((this.stats.model ?? MODEL) !== MODEL) throw new Refused({ error: 'MODEL' });
    this.ranked = new Map();
    this.hidden = new Map();
  }

  /** Reads the members, as a script does after it has checked the arguments. */
  open(): this {
    for (const [id, xp] of this.zset(':xp')) this.ranked.set(id, xp);
    for (const [id, xp] of this.zset(':hidden')) this.hidden.set(id, xp);
    Object.assign(this.reasons, this.hash(REASONS));
    this.rankedBefore = new Map(this.ranked);
    return this;
  }

  get rev(): string {
    return this.stats.rev ?? '0';
  }

  get curve(): Curve {
    this.cachedCurve ??= this.storedCurve();
    if (!this.cachedCurve) throw new Refused({ error: 'CURVE' });
    return this.cachedCurve;
  }

  private storedCurve(): Curve | undefined {
    const { xp_curve: stored, xp_curve_custom: own = '' } = this.hash(':config');
    if (stored === 'custom') return parseCurve(`custom=${own}`);
    return stored && !isBuiltIn(stored) ? undefined : parseCurve(stored ?? 'standard');
  }

  reach(level: bigint): bigint {
    return exactXpToReach(this.curve, level);
  }

  /** @throws Refused "CURVE" for a curve that the scripts do not know, whatever the level. */
  levelOf(xp: bigint, explicit?: string): number {
    const { curve } = this;
    if (explicit !== undefined && /^\d+$/.test(explicit)) return Number(min(BigInt(explicit), MAX));
    let low = 0n;
    let high = 1n;
    while (exactXpToReach(curve, high) <= xp) {
      low = high;
      high *= 2n;
    }
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      if (exactXpToReach(curve, middle) <= xp) low = middle;
      else high = middle;
    }
    return Number(low);
  }

  /** Returns the profile of a member, without what it does not say. One that cannot be read says nothing. */
  profile(id: string): Profile {
    return profileOf(this.hash(':members')[id]);
  }

  /** Stores a profile; one that says nothing is not stored. */
  setProfile(id: string, profile: Profile): void {
    const { [id]: _, ...others } = this.hash(':members');
    const { level = '-', daily_streak: streak = '0', last_daily_claim: claim = '-', username } = profile;
    const value = [level, streak, claim, ...(username === undefined ? [] : [username])].join(' ');
    this.setHash(':members', value === '- 0 -' ? others : { ...others, [id]: value });
  }

  /** Whether the call stores an avatar, so that it needs their key. */
  needsAvatars = false;

  /** Notes that the call stores an avatar. @throws Refused "WRONGTYPE" */
  readAvatars(): Record<string, string> {
    this.needsAvatars = true;
    return this.hash(AVATARS);
  }

  /** Returns the avatar of a member, "" for none or for a text that is none. */
  avatarOf(id: string): string {
    const stored = this.hash(AVATARS)[id] ?? '';
    return stored !== 'none' && isAvatar(stored) ? stored : '';
  }

  /** Stores the avatar of a member: "none" removes it, and "" leaves it as it is. */
  setAvatar(id: string, avatar: string): void {
    if (avatar === '') return;
    const { [id]: _, ...others } = this.readAvatars();
    this.setHash(AVATARS, avatar === 'none' ? others : { ...others, [id]: avatar });
  }

  /** Returns a member's place, XP and profile. */
  member(id: string) {
    const score = this.ranked.get(id) ?? (Number(this.stats.hidden ?? 0) > 0 ? this.hidden.get(id) : undefined);
    const isHidden = score !== undefined && !this.ranked.has(id);
    const profile = this.profile(id);
    const xp = score === undefined ? 0n : whole(score);
    return { exists: score !== undefined, isHidden, xp, profile, level: this.levelOf(xp, profile.level) };
  }

  /** Returns a member as one text, as lib-row.lua says. */
  row(id: string): string {
    const { isHidden, xp } = this.member(id);
    const place = isHidden ? `hidden ${this.reasonsOf(id).join(' ')}` : 'ranked';
    return [id, xp, place, this.avatarOf(id), this.hash(':members')[id] ?? ''].join('\n');
  }

  /** @param profile stays as it is when it is left out. */
  put(id: string, xp: bigint, isHidden: boolean, profile?: Profile): void {
    (isHidden ? this.hidden : this.ranked).set(id, Number(xp));
    if (profile) this.setProfile(id, profile);
    if (!isHidden && /^\d+$/.test(this.profile(id).level ?? '')) this.metExplicit = true;
  }

  /** Returns the reasons why a member is hidden, none for a ranked one. */
  reasonsOf(id: string): string[] {
    if (!this.hidden.has(id)) return [];
    const named = inOrder((this.reasons[id] ?? '').split(' '));
    return named.length > 0 ? named : ['moderator'];
  }

  /** Gives a member reasons to be hidden; none ranks it. @returns whether it changed its place. */
  place(id: string, reasons: readonly string[]): boolean {
    const both = [this.ranked.get(id), this.hidden.get(id)];
    const changesPlace = reasons.length > 0 ? both[0] !== undefined : both[1] !== undefined;
    if (!changesPlace && inOrder(reasons).join() === this.reasonsOf(id).join()) return false;
    if (changesPlace) {
      const [from, to] = reasons.length > 0 ? [this.ranked, this.hidden] : [this.hidden, this.ranked];
      from.delete(id);
      to.set(id, Number(min(whole(both[0] ?? 0) + whole(both[1] ?? 0), MAX)));
    }
    delete this.reasons[id];
    const text = inOrder(reasons).join(' ');
    if (text !== '' && text !== 'moderator') this.reasons[id] = text;
    return changesPlace;
  }

  /** Writes members, counters and a new revision. @throws Refused when a counter leaves 64 bits or is no number. */
  write(onOverflow: Refused['reply'], fields: Record<string, string> = {}): string {
    const before = this.sums(this.rankedBefore, new Keys(this.state));
    const after = this.sums(this.ranked, this);
    const counters: Record<string, string> = {};
    for (const name of ['members', 'total_xp', 'level_sum'] as const) {
      const text = this.stats[name] ?? '0';
      if (!/^-?\d{1,19}$/.test(text)) throw new Refused({ error: 'ERR' });
      const sum = BigInt(text) + after[name] - before[name];
      if (sum > MAX_COUNTER || sum < -MAX_COUNTER) throw new Refused(onOverflow);
      counters[name] = String(sum);
    }
    const rev = this.raiseRevision({ ...counters, ...this.noted(), ...fields });
    this.setZset(':xp', this.ranked);
    this.setZset(':hidden', this.hidden);
    this.setHash(REASONS, this.reasons);
    return rev;
  }

  /** Writes a new revision, with fields of the stats. @returns it. */
  raiseRevision(fields: Record<string, string> = {}): string {
    const last = Number(this.stats.rev ?? 0);
    const micros = this.now % 1_000_000;
    const rev = String(last >= this.now && last < Number(MAX) - 2_000_000 ? last + 1 + micros : this.now);
    this.setHash(':stats', { ...this.stats, rev, model: MODEL, ...fields });
    return rev;
  }

  /** Returns the note that a ranked member has an explicit level, or had one in this call, as `gr:{g}:stats` has it. */
  noted(): Record<string, string> {
    const isExplicit = (id: string) => /^\d+$/.test(this.profile(id).level ?? '');
    return this.metExplicit || [...this.ranked.keys()].some(isExplicit) ? { explicit: '1' } : {};
  }

  /** Returns the counters that the members give, as `gr:{g}:stats` has them. */
  counted(): Record<string, string> {
    return Object.fromEntries(Object.entries(this.sums(this.ranked, this)).map(([name, sum]) => [name, String(sum)]));
  }

  /** Returns the ranking: XP descending, equal XP by id in descending byte order. */
  ranking(): string[] {
    return [...this.ranked]
      .sort(([idA, a], [idB, b]) => b - a || Buffer.compare(Buffer.from(idB), Buffer.from(idA)))
      .map(([id]) => id);
  }

  private sums(ranked: ReadonlyMap<string, number>, keys: Keys) {
    const sums = { members: 0n, total_xp: 0n, level_sum: 0n };
    for (const [id, score] of ranked) {
      const xp = whole(score);
      if (xp === 0n) continue;
      sums.members += 1n;
      sums.total_xp += xp;
      sums.level_sum += BigInt(this.levelOf(xp, profileOf(keys.hash(':members')[id]).level));
    }
    return sums;
  }
}

function inOrder(reasons: readonly string[]): string[] {
  return ['left', 'self', 'moderator'].filter((reason) => reasons.includes(reason));
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** Returns a stored score as XP: a whole number 0 .. 2^53-1. */
export function whole(score: number): bigint {
  return score > 0 ? BigInt(Math.floor(Math.min(score, Number(MAX)))) : 0n;
}

function isBuiltIn(name: string): boolean {
  return (CURVE_NAMES as readonly string[]).includes(name);
}

/** Returns whether an avatar may change so. */
export function isAvatar(text: string): boolean {
  return /^((a_)?[0-9a-f]{32}|none)?$/.test(text);
}

export function isWhole(text: string | undefined, max: bigint): boolean {
  return text !== undefined && /^\d+$/.test(text) && BigInt(text) <= max;
}

/** @throws Refused "user_id". */
export function checkMember(id: string, index: number): void {
  if (!ID.test(id)) throw new Refused(['REFUSED', index, 'user_id']);
}

/** username, level, daily_streak and last_daily_claim, as far as a profile says them. */
export type Profile = Record<string, string>;

const PART = { level: /^\d+$/, daily_streak: /^\d+$/, last_daily_claim: /^-?\d+([+-]\d*)?$/ };

function profileOf(value = ''): Profile {
  const parts = value.split(' ');
  if (parts.length < 3) return {};
  const [level, daily_streak, last_daily_claim, ...words] = parts as [string, string, string];
  const said = { level, daily_streak, last_daily_claim };
  const isReadable =
    level === '-' || Object.entries(PART).some(([name, part]) => part.test(said[name as keyof typeof said]));
  if (!isReadable) return {};
  const username = words.join(' ');
  return { ...said, ...(username === '' ? {} : { username }) };
}
