import type { Model } from './bot-calls.ts';
import { NaiveGuild, whole } from './guild.ts';
import { place, record } from './guild-calls.ts';
import { Refused, type Reply, RUN_ID, type State } from './state.ts';

const LOCK_MS = 10_000;
const LOCK = ':next:xp:lock';

/** stage.lua: record.lua under a lock. */
export const stage: Model = (state, now, keys, [token, ...rest]) => {
  if (new NaiveGuild(state, now).string(LOCK)?.string !== token) throw new Refused(['REFUSED', 0, 'lock']);
  return locked(state, now, token as string, () => record(state, now, keys, rest));
};

/** Renews the lock after a call, and after a refusal too. */
function locked(state: State, now: number, token: string, call: () => [Reply, NaiveGuild]): [Reply, NaiveGuild] {
  let result: [Reply, NaiveGuild];
  try {
    result = call();
  } catch (error) {
    if (!(error instanceof Refused && Array.isArray(error.reply))) throw error;
    result = [error.reply, new NaiveGuild(state, now)];
  }
  result[1].setString(LOCK, token, LOCK_MS);
  return result;
}

/** A step that takes the lock. */
function taking(take: (guild: NaiveGuild, token: string, args: readonly string[]) => Reply): Model {
  return (state, now, _keys, [token = '', ...args]) => {
    const guild = new NaiveGuild(state, now).open();
    const held = guild.string(LOCK)?.string;
    if (held !== undefined && held !== token) return [['BUSY'], guild];
    if (guild.stats.moving !== undefined) return [['MOVING'], guild];
    return [take(guild, token, args), guild];
  };
}

/** A step under the lock. */
function under(
  step: (guild: NaiveGuild, args: readonly string[], state: State, now: number) => [Reply, NaiveGuild],
): Model {
  return (state, now, _keys, [token = '', ...args]) => {
    const guild = new NaiveGuild(state, now).open();
    if (guild.string(LOCK)?.string !== token) throw new Refused(['REFUSED', 0, 'lock']);
    return locked(state, now, token, () => step(guild, args, state, now));
  };
}

function begin(guild: NaiveGuild, token: string, [archive, rest]: readonly string[]): Reply {
  const season = guild.hash(':season');
  const isOther = season.archive !== archive || season.rest !== rest;
  const isVain = season.phase === 'copy' && isOther && guild.zset(':season:xp').size === 0;
  const isOpen = season.phase !== undefined && season.phase !== 'done' && !isVain;
  if (isOpen && isOther) return ['OTHER', season.archive as string];
  guild.levelOf(0n);
  const { xp_curve: name = '', xp_curve_custom: own, xp_multiplier: multiplier = '' } = guild.hash(':config');
  guild.setString(LOCK, token, LOCK_MS);
  const isNew = isVain || season.phase === undefined || (season.phase === 'done' && season.archive !== archive);
  const now = isNew ? { ...season, id: token, archive, phase: 'copy', rest } : season;
  guild.setHash(':season', now as Record<string, string>);
  const curve = name === 'custom' ? `custom=${own}` : name || 'standard';
  const { name: told = '', icon = '' } = guild.hash(':about');
  const shown = told.length <= 400 ? told : '';
  const shownIcon = icon.length <= 34 ? icon : '';
  return ['OK', now.id as string, now.phase as string, curve, multiplier, shown, shownIcon];
}

function open(
  guild: NaiveGuild,
  token: string,
  [of, curve = '', multiplier, told = '', icon = '']: readonly string[],
): Reply {
  const season = guild.hash(':season');
  const isFirst = season.of !== of;
  if (isFirst && Object.keys(guild.stats).length + guild.ranked.size + guild.hidden.size > 0) return ['EXISTS'];
  const config = guild.hash(':config');
  if (isFirst) {
    guild.levelOf(0n);
    const [name = '', coefficients] = curve.split('=');
    const isThere =
      name === (config.xp_curve || 'standard') && (coefficients ?? config.xp_curve_custom) === config.xp_curve_custom;
    if (!isThere) Object.assign(config, { xp_curve: name, ...(coefficients && { xp_curve_custom: coefficients }) });
    if (multiplier) config.xp_multiplier = multiplier;
    if (told || icon)
      guild.setHash(':about', { ...guild.hash(':about'), ...(told && { name: told }), ...(icon && { icon }) });
  }
  guild.setString(LOCK, token, LOCK_MS);
  guild.setHash(':season', { ...season, of: of as string });
  guild.setHash(':config', config);
  return ['OK'];
}

type Step = (guild: NaiveGuild, args: readonly string[]) => Reply;

const mark: Step = (guild, [, , place, which]) => {
  const marks = guild.zset(':season:xp');
  const places = { marked: marks, ranked: guild.ranked, hidden: guild.hidden };
  const listed = ascending(places[place as keyof typeof places]);
  const wrong = listed.find((id) => !/^[\w.-]{1,64}$/.test(id));
  if (wrong !== undefined) return ['INVALID', wrong];
  const rows = listed
    .filter((id) => guild.member(id).exists && (which !== 'unmarked' || !marks.has(id)))
    .map((id) => {
      marks.set(id, Number(guild.member(id).xp));
      return guild.row(id);
    });
  guild.setZset(':season:xp', marks);
  return ['OK', '0', ...rows];
};

const endCopy: Step = (guild, [server, which]) => {
  if (server !== RUN_ID) return ['AGAIN'];
  const members = guild.ranked.size + guild.hidden.size;
  const marked = guild.zset(':season:xp').size;
  if (which === 'all' && members > marked) return ['MISSED'];
  inPhase(guild, 'reset');
  return ['OK', marked];
};

const reset: Step = (guild, [count]) => {
  if (guild.hash(':season').phase === 'copy') return ['AGAIN'];
  guild.levelOf(0n);
  const marks = guild.zset(':season:xp');
  const ids = ascending(marks).slice(0, Number(count));
  const { rest } = guild.hash(':season');
  let isWritten = false;
  for (const id of ids) {
    const { exists, isHidden, xp: old } = guild.member(id);
    if (!exists) continue;
    isWritten = true;
    const marked = whole(marks.get(id) as number);
    const xp = old > marked ? old - marked : 0n;
    const { level = '-', ...profile } = guild.profile(id);
    const stays = rest !== 'drop' || (isHidden && guild.reasonsOf(id).join() !== 'left');
    if (xp === 0n && !stays) {
      (isHidden ? guild.hidden : guild.ranked).delete(id);
      delete guild.reasons[id];
      guild.setProfile(id, {});
      guild.setAvatar(id, 'none');
    } else guild.put(id, xp, isHidden, /^\d+$/.test(level) ? profile : undefined);
  }
  if (isWritten) guild.write(['REFUSED', 0, 'total'], { hidden: String(guild.hidden.size) });
  for (const id of ids) marks.delete(id);
  guild.setZset(':season:xp', marks);
  return ['OK', marks.size, ids.length];
};

/** Puts members of the archive where each is named with its reasons. */
function placeInArchive(args: readonly string[], state: State, now: number): [Reply, NaiveGuild] {
  const ids = args.filter((_, n) => n % 2 === 0);
  const reasons = new Map(ids.map((id, n) => [id, (args[2 * n + 1] as string).split(' ').filter(Boolean)]));
  return place(state, now, ids, (id) => reasons.get(id) ?? []);
}

function inPhase(guild: NaiveGuild, phase: string): Reply {
  guild.setHash(':season', { ...guild.hash(':season'), phase });
  return ['OK'];
}

function ascending(zset: ReadonlyMap<string, number>): string[] {
  return [...zset].sort(([a, x], [b, y]) => x - y || Buffer.compare(Buffer.from(a), Buffer.from(b))).map(([id]) => id);
}

const unlock: Model = (state, now, _keys, [token]) => {
  const guild = new NaiveGuild(state, now).open();
  if (guild.string(LOCK)?.string !== token) throw new Refused(['REFUSED', 0, 'lock']);
  guild.delete(LOCK);
  return [['OK'], guild];
};

const stepOf = (step: Step): Model => under((guild, args) => [step(guild, args), guild]);

/** The steps of a season's end, by the names of their scripts. */
export const seasonModels = {
  'season-begin': taking(begin),
  'season-open-archive': taking(open),
  'season-hold': stepOf(() => ['OK', RUN_ID]),
  'season-mark': stepOf(mark),
  'season-place': under((_guild, args, state, now) => placeInArchive(args, state, now)),
  'season-end-copy': stepOf(endCopy),
  'season-reset': stepOf(reset),
  'season-finish': stepOf((guild) => inPhase(guild, 'done')),
  'season-unlock': unlock,
} satisfies Record<string, Model>;

export type SeasonStep = keyof typeof seasonModels;
