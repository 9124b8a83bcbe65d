import { BOARD_KEYS, BOARDS, boardKey, type boardModels, boardsText, minutesAt, periodOf } from './boards.ts';
import type { Call } from './cases.ts';
import { DAY, IDS, NOW, Random, SMALL, sampleGuilds, withReasons, xpChange } from './samples.ts';
import type { State } from './state.ts';

const GUILD_KEYS = [':xp', ':stats', ':config', ':hidden', ':members'];
const RANDOM_CALLS = 60;
/** Microseconds after {@link NOW}, a Saturday: Sunday, the next Monday, the next month, and weeks later. */
const LATER = [0, 0, DAY / 16, DAY, 2 * DAY, 4 * DAY, 30 * DAY];

/**
 * Returns a guild that has begun boards so many weeks and months ago, or by a clock that was ahead, with random gains of its members.
 * @param clock minutes from UTC, or "zone" for a state with a time zone.
 */
function withBoardsOf(random: Random, state: State, ages = [0, 0, 0, 1, 3, -1, -2, -13], clock?: string): State {
  const shown = clock ?? String(random.pick([0, 60, -720, 840]));
  const offset = minutesAt(shown, configOf(state), NOW);
  const periods = Object.fromEntries(BOARDS.map((board) => [board, periodOf(board, NOW, offset)]));
  for (const kind of ['week', 'month']) {
    periods[kind] = (periods[kind] as number) - random.pick(ages);
    periods[`${kind}.prev`] = (periods[kind] as number) - random.pick([1, 1, 2, 13, 14]);
  }
  const keys: Record<string, { zset: Record<string, number> }> = {};
  for (const board of BOARDS) {
    for (const place of ['xp', 'hidden'] as const) {
      const members = Object.keys((state[`:${place}`] as { zset: object } | undefined)?.zset ?? {});
      const gained = members.filter(() => random.below(3) > 0).map((id) => [id, random.pick([1, 5, 20, 4000])]);
      if (gained.length > 0) keys[boardKey(board, place)] = { zset: Object.fromEntries(gained) };
    }
  }
  const full: State = { ...state, ...keys };
  const stats = (state[':stats'] as { hash: Record<string, string> } | undefined)?.hash ?? {};
  const text = boardsText(full, NOW, shown, periods as Parameters<typeof boardsText>[3]);
  return { ...full, ':stats': { hash: { ...stats, boards: text } } };
}

/** Returns digits for a change of XP. Only an addition can be negative. */
function digitsFor(op: string, r: Random): string {
  if (op === 'level') return r.pick(['0', '5']);
  if (op === 'add') return r.pick(['3', '20', '700', '-1']);
  return r.pick(['3', '20', '700']);
}

function configOf(state: State): Record<string, string> {
  return (state[':config'] as { hash: Record<string, string> } | undefined)?.hash ?? {};
}

/** The keys after the first five and those of the boards, and the arguments, of a random call of each script, with so many records at most. */
const CALLS: Record<
  keyof typeof boardModels,
  (random: Random, most: number) => { further?: readonly string[]; args: readonly string[] }
> = {
  award: (r) => {
    const id = r.pick(IDS);
    const args = [
      id,
      r.pick(['0', '15', '400']),
      r.pick(['0', '60000']),
      r.pick(['', 'Ann']),
      r.pick(['', 'rank']),
      r.pick(['', '1.5']),
    ];
    const isEvent = r.below(4) === 0;
    return {
      further: [`:cooldown:${id}`, ...(isEvent ? [':event:e'] : [])],
      args: isEvent ? ['600000', ...args] : args,
    };
  },
  claim: (r) => {
    const args = [r.pick(IDS), r.pick(['0', '-300', '840']), '1', '0', '', ...r.pick([['100'], ['0'], ['10', '20']])];
    return r.below(4) === 0 ? { further: [':event:e'], args: ['600000', ...args] } : { args };
  },
  record: (r, most) => {
    const entries = Array.from({ length: 1 + r.below(most) }, () => {
      const op = r.pick(['add', 'add', 'take', 'take', 'set', 'keep', 'level', 'hidden']);
      return [xpChange(op, digitsFor(op, r)), r.pick(IDS), r.below(4) === 0 ? '12 - -' : ''];
    });
    return { args: ['each', ...entries.flat()] };
  },
  hide: (r) => ({
    further: [':hidden:reasons'],
    args: [r.pick(['hide', 'unhide', 'add']), r.pick(['left', 'self', 'moderator']), ...r.some(IDS, 1 + r.below(4))],
  }),
  remove: (r) => {
    const ids = r.some(IDS, 1 + r.below(3));
    return { further: [':season:xp', ':hidden:reasons', ':avatars', ...ids.map((id) => `:cooldown:${id}`)], args: ids };
  },
};

/** Calls on guilds with boards: most with the keys of the boards, some without them, and guilds without boards that get the keys all the same. */
export function* boardCases(script: keyof typeof boardModels): Iterable<Call> {
  const random = new Random(31);
  const guilds = sampleGuilds(12);
  for (let n = 0; n < RANDOM_CALLS; n++) {
    const plain = random.pick(guilds);
    const guild = script === 'hide' || script === 'remove' ? withReasons(random, plain) : plain;
    const hasBoards = random.below(8) > 0;
    const state = hasBoards ? withBoardsOf(random, guild) : guild;
    const isGiven = random.below(5) > 0;
    const { further = [], args } = CALLS[script](random, isGiven ? 4 : 1);
    const keys = [...GUILD_KEYS, ...(isGiven ? BOARD_KEYS : []), ...further];
    const name = `${hasBoards ? 'boards' : 'no boards'}, keys ${isGiven ? 'given' : 'missing'} ${n}`;
    yield { name, state, now: NOW + random.pick(LATER), keys, args };
  }
  if (script === 'remove') yield* left(withBoardsOf(random, guilds[0] as State, [0]));
  yield* zoneCases(script);
}

/** The end of a Saturday in Berlin: the clocks go forward in the night to Sunday, so the week ends at 22:00 in UTC. */
const CHANGE = Date.UTC(2026, 2, 29, 1) / 60_000;
const MONDAY = Date.UTC(2026, 2, 29, 22) * 1000;
const HOUR = 3_600_000_000;
const UTC_OFFSETS: readonly (readonly [name: string, text: string | undefined])[] = [
  ['with a change', `60 ${CHANGE}:120`],
  ['with changes before and after', `0 ${CHANGE - 90_000}:60 ${CHANGE}:120 ${CHANGE + 302_400}:60`],
  ['with a change to the day before', `0 ${CHANGE}:120 ${MONDAY / 60_000_000}:60`],
  ['west of UTC', `-600 ${CHANGE}:-540`],
  ['without changes', '840'],
  ['without minutes', undefined],
  ['with other text for minutes', 'x'],
];

/** Calls on a guild with a time zone, around the end of its week. */
function* zoneCases(script: keyof typeof boardModels): Iterable<Call> {
  const random = new Random(37);
  for (const [name, text] of UTC_OFFSETS) {
    const zone = {
      ...configOf(SMALL),
      time_zone: 'Europe/Berlin',
      ...(text === undefined ? {} : { utc_offsets: text }),
    };
    const state = withBoardsOf(random, { ...SMALL, ':config': { hash: zone } }, [0], 'zone');
    for (const now of [NOW, CHANGE * 60_000_000, MONDAY - 1000, MONDAY, MONDAY + HOUR, MONDAY + 12 * HOUR]) {
      const { further = [], args } = CALLS[script](random, 4);
      yield { name: `a time zone ${name}`, state, now, keys: [...GUILD_KEYS, ...BOARD_KEYS, ...further], args };
    }
  }
}

/** Calls of remove for a user whom a raw write has left on the boards alone. No counter has it after a count. */
function* left(guild: State): Iterable<Call> {
  const keys = [...GUILD_KEYS, ...BOARD_KEYS, ':season:xp', ':hidden:reasons', ':avatars', ':cooldown:left'];
  for (const place of ['xp', 'hidden'] as const) {
    const key = boardKey('week', place);
    const others = (guild[key] as { zset: Record<string, number> } | undefined)?.zset;
    const state = { ...guild, [key]: { zset: { ...others, left: 40 } } };
    yield { name: `left among ${place}`, state, now: NOW, keys, args: ['left'] };
  }
}
