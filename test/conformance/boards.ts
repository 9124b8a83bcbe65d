import { award, claim, type Model, nameOfRecord, once, withAvatars } from './bot-calls.ts';
import { NaiveGuild, whole } from './guild.ts';
import { hide, isOnBoard, record, remove } from './guild-calls.ts';
import { Keys, Refused, type Reply, type State } from './state.ts';

export const BOARDS = ['week', 'week.prev', 'month', 'month.prev'] as const;
type BoardName = (typeof BOARDS)[number];
type Place = 'xp' | 'hidden';

export const boardKey = (board: BoardName, place: Place) => `gr:{g}~${board}:${place}`;
/** The keys that each script takes after its first five for a guild with boards. */
export const BOARD_KEYS = BOARDS.flatMap((board) => (['xp', 'hidden'] as const).map((place) => boardKey(board, place)));

/** XP that a member gains. */
type Gain = readonly [userId: string, xp: bigint];
/** Returns what a call gives to members; undefined for one that changes none. */
type GainsOf = (reply: Reply, args: readonly string[], state: State) => readonly Gain[] | undefined;

/** Returns the number of the week, or of the month, that has a time in microseconds since 1970. */
export function periodOf(board: BoardName, now: number, offsetMinutes: number): number {
  const date = new Date(now / 1000 + offsetMinutes * 60_000);
  const day = Math.floor(date.getTime() / 86_400_000);
  if (board.startsWith('week')) return Math.floor((day + 3) / 7);
  // Years begin in March, so January and February belong to the one before.
  return date.getUTCFullYear() * 12 + date.getUTCMonth() - 2;
}

/**
 * Returns the minutes from UTC at a time, by the clock of a guild: minutes as a text, or "zone" for those that its config has, with the minutes since 1970 of
 * each change.
 */
export function minutesAt(clock: string, config: Readonly<Record<string, string>>, now: number): number {
  const [first = '', ...changes] = (clock === 'zone' ? (config.utc_offsets ?? '') : clock).split(' ');
  const past = changes.map((change) => change.split(':').map(Number)).filter(([at = 0]) => at * 60_000_000 <= now);
  return past.at(-1)?.[1] ?? (Number(first) || 0);
}

/** What the members of a guild have gained in one period. */
interface Board {
  period: number;
  /** How many of the ranked members have gained XP, by the counter. */
  members: number;
  gained: Map<string, bigint>;
}

const emptyBoard = (period: number): Board => ({ period, members: 0, gained: new Map() });

/** Returns the field `boards` of the stats: the counters are those of the ranked members on each board. */
export function boardsText(state: State, now: number, clock: string, periods: Record<BoardName, number>): string {
  const guild = new NaiveGuild(state, now).open();
  const texts = BOARDS.map((name) => {
    const ranked = [...guild.zset(boardKey(name, 'xp'))].filter(([, xp]) => xp > 0);
    const total = ranked.reduce((sum, [, xp]) => sum + whole(xp), 0n);
    const levels = ranked.reduce((sum, [id]) => sum + BigInt(guild.member(id).level), 0n);
    return `${name}:${periods[name]}:${ranked.length}:${total}:${levels}`;
  });
  return [clock, ...texts].join(' ');
}

/**
 * Adds to a model what lib-boards.lua does.
 * @param eventAt place of the key of an event, without those of boards.
 * @param isRead whether a call that changes no member reads the boards all the same.
 */
function withBoards(
  model: Model,
  eventAt: number,
  gainsOf: GainsOf,
  isRead = (_args: readonly string[]) => false,
): Model {
  return (state, now, keys, args) => {
    const isGiven = keys[5] === BOARD_KEYS[0];
    const own = isGiven ? [...keys.slice(0, 5), ...keys.slice(5 + BOARD_KEYS.length)] : keys;
    const [reply, guild] = model(state, now, own, args);
    const text = hashOf(state, ':stats').boards;
    const gains = gainsOf(reply, own.length > eventAt ? args.slice(1) : args, state);
    if (text === undefined || (gains === undefined && !isRead(args))) return [reply, guild];
    if (!isGiven) throw new Refused({ error: 'BOARDS' });
    if (gains === undefined) return [reply, guild];
    const clock = text.split(' ')[0] as string;
    const offset = minutesAt(clock, hashOf(state, ':config'), now);
    const boards = boardsOf(state, text);
    for (const kind of ['week', 'month'] as const) {
      const present = boards[kind];
      const last = boards[`${kind}.prev`];
      const period = periodOf(kind, now, offset);
      const isLastKept = isLastWorthMore(present, last);
      const isBefore = present.period === period + 1 && !isLastKept;
      if (isBefore) {
        // The board that has begun waits for its period.
        if (last.period !== period) boards[`${kind}.prev`] = emptyBoard(period);
      } else if (present.period !== period) {
        // What a clock that jumped put away comes back with it.
        const isBack = last.period === period;
        boards[kind] = isBack ? last : emptyBoard(period);
        if (isBack) boards[`${kind}.prev`] = emptyBoard(period - 1);
        else if (last.period !== period - 1 && (present.period === period - 1 || !isLastKept)) {
          boards[`${kind}.prev`] = present;
        }
      }
      const { gained } = boards[isBefore ? (`${kind}.prev` as const) : kind];
      for (const [id, xp] of gains) {
        const sum = (gained.get(id) ?? 0n) + xp;
        gained.set(id, sum > 0n ? sum : 0n);
      }
    }
    for (const name of BOARDS) {
      for (const [place, members] of [['xp', guild.ranked] as const, ['hidden', guild.hidden] as const]) {
        const there = [...boards[name].gained].filter(([id, xp]) => xp > 0n && members.has(id));
        guild.setZset(boardKey(name, place), new Map(there.map(([id, xp]) => [id, Number(xp)])));
      }
    }
    const periods = Object.fromEntries(BOARDS.map((name) => [name, boards[name].period])) as Record<BoardName, number>;
    const after = stateAfter(state, guild);
    guild.setHash(':stats', { ...guild.hash(':stats'), boards: boardsText(after, now, clock, periods) });
    return [reply, guild];
  };
}

function hashOf(state: State, key: string): Readonly<Record<string, string>> {
  return new Keys(state).hash(key);
}

function boardsOf(state: State, text: string): Record<BoardName, Board> {
  const keys = new Keys(state);
  const boards = BOARDS.map((name, index): [BoardName, Board] => {
    const gained = new Map<string, bigint>();
    for (const place of ['xp', 'hidden'] as const) {
      for (const [id, xp] of keys.zset(boardKey(name, place))) gained.set(id, whole(xp));
    }
    const [, period, members] = text.split(' ')[index + 1]?.split(':') ?? [];
    return [name, { period: Number(period), members: Number(members), gained }];
  });
  return Object.fromEntries(boards) as Record<BoardName, Board>;
}

/** Whether the last board stays when a period needs the room of one of both. */
function isLastWorthMore(present: Board, last: Board): boolean {
  return last.period !== present.period - 1 && last.members > present.members;
}

function stateAfter(state: State, guild: NaiveGuild): State {
  const entries = Object.entries({ ...state, ...guild.changes() });
  return Object.fromEntries(entries.flatMap(([key, value]) => (value ? [[key, value]] : [])));
}

/** The models of the scripts that change members, by their names, for guilds with boards too. */
export const boardModels = {
  award: withAvatars(
    withBoards(
      once(award, 6, ([id]) => `award ${id}`),
      6,
      gainOfOne,
    ),
  ),
  claim: withBoards(
    once(claim, 5, ([id]) => `claim ${id}`),
    5,
    gainOfOne,
  ),
  record: withAvatars(withBoards(once(record, 5, nameOfRecord), 5, gainsOfEach)),
  hide: withBoards(hide, 6, (reply) => (isDone(reply) && Number(reply[2]) > 0 ? [] : undefined)),
  remove: withBoards(
    remove,
    Number.POSITIVE_INFINITY,
    (reply, ids, state) => (Number(reply) > 0 || isOnBoard(state, ids) ? [] : undefined),
    (ids) => ids.length > 0,
  ),
};

function isDone(reply: Reply): reply is readonly Reply[] {
  return Array.isArray(reply) && reply[0] === 'OK' && reply.at(-1) !== 'repeated';
}

function gainOfOne(reply: Reply, [id]: readonly string[]): readonly Gain[] | undefined {
  return isDone(reply) ? [[id as string, BigInt(reply[2] as string)]] : undefined;
}

/** Of record with "each": all that is not a gain changes no board, but its levels. */
function gainsOfEach(reply: Reply, args: readonly string[]): readonly Gain[] | undefined {
  if (!isDone(reply) || args[0] !== 'each') return undefined;
  const gains: Gain[] = [];
  let isChanged = false;
  const hasAvatars = args[1] === 'avatars';
  for (let i = hasAvatars ? 2 : 1, n = 5; n < reply.length; i += hasAvatars ? 4 : 3, n++) {
    const [xpChange, id] = args.slice(i) as [string, string];
    const [xp, level, xpAfter, levelAfter, place] = String(reply[n]).split(' ') as [
      string,
      string,
      string,
      string,
      string,
    ];
    if (place !== 'none' && (xp !== xpAfter || level !== levelAfter || place === 'new')) isChanged = true;
    if (/^(add|take) /.test(xpChange)) gains.push([id, BigInt(xpAfter) - BigInt(xp)]);
  }
  return isChanged ? gains : undefined;
}
