import type { Model } from './bot-calls.ts';
import { NaiveGuild } from './guild.ts';
import type { Reply } from './state.ts';

/** around.lua. */
export const around: Model = (state, now, _keys, [id, reach]) => {
  const guild = new NaiveGuild(state, now).open();
  const rank = guild.ranking().indexOf(id as string);
  if (rank < 0) return [[-1, ''], guild];
  const first = Math.max(rank - Number(reach), 0);
  return [[first, rows(guild, first, rank + Number(reach))], guild];
};

/** card.lua. */
export const card: Model = (state, now, _keys, [id]) => {
  const guild = new NaiveGuild(state, now).open();
  const rank = guild.ranking().indexOf(id as string);
  const first = Math.max(rank - 1, 0);
  if (rank >= 0) return [['ranked', first, '', rows(guild, first, rank + 1)], guild];
  const score = guild.hidden.get(id as string);
  const page = rows(guild, 0, -1) as Reply[];
  if (score === undefined) return [['none', -1, '', page], guild];
  const shown = [...page.slice(0, 3), [id as string, String(score)], [guild.hash(':members')[id as string] ?? null]];
  return [['hidden', -1, guild.hash(':hidden:reasons')[id as string] ?? '', shown], guild];
};

/** members.lua. */
export const members: Model = (state, now, _keys, ids) => {
  const guild = new NaiveGuild(state, now).open();
  const rows = ids.map((id) => (guild.member(id).exists ? guild.row(id) : ''));
  return [[guild.stats.rev ?? '', curveOf(guild), ...rows], guild];
};

/** names.lua, for guilds with fewer members than a step. */
export const names: Model = (state, now, _keys, [id, xp]) => {
  const guild = new NaiveGuild(state, now).open();
  const { rev = '' } = guild.stats;
  const ranking = guild.ranking();
  const place = id === '' ? ranking.length : ranking.indexOf(id as string);
  if (id !== '' && (place < 0 || String(guild.ranked.get(id as string)) !== xp))
    return [[rev, 'MOVED', '', [], []], guild];
  const ids = ranking.slice(0, place);
  const profiles = guild.hash(':members');
  const first = ids[0] === undefined ? '' : String(guild.ranked.get(ids[0]));
  return [[rev, 'END', first, ids, ids.map((each) => profiles[each] ?? null)], guild];
};

/** Returns how many arguments a command of batch.lua has. The revision that the caller has cached stands behind them. */
function argumentsOf(name: string): number {
  if (name === 'page') return 2;
  return name === 'member' ? 1 : 0;
}

/** batch.lua with commands that read one guild. */
export const batch: Model = (state, now, _keys, [commands]) => {
  const guild = new NaiveGuild(state, now).open();
  const replies = (commands as string)
    .trimEnd()
    .split('\n')
    .map((command): Reply => {
      const [name, ...args] = command.split(' ') as [string, ...string[]];
      const cached = args[argumentsOf(name)] ?? '';
      if (cached !== '' && guild.stats.rev === cached) return '';
      if (name === 'page') return rows(guild, Number(args[0]), Number(args[1]));
      if (name === 'member') return member(guild, args[0] as string);
      if (name === 'rules') return [guild.stats.rev ?? '', guild.hash(':config').rules ?? ''];
      const { rev = '', members = '', total_xp: total = '', level_sum: levels = '' } = guild.stats;
      return [rev, members, total, levels, curveOf(guild), guild.hash(':config').xp_multiplier ?? ''];
    });
  return [replies, guild];
};

function rows(guild: NaiveGuild, first: number, last: number): Reply {
  const shown = guild.ranking().slice(first, last + 1);
  const profiles = guild.hash(':members');
  return [
    guild.stats.rev ?? '',
    guild.ranked.size,
    curveOf(guild),
    shown.flatMap((id) => [id, String(guild.ranked.get(id))]),
    shown.map((id) => profiles[id] ?? null),
  ];
}

function member(guild: NaiveGuild, id: string): Reply {
  const rev = guild.stats.rev ?? '';
  const rank = guild.ranking().indexOf(id);
  if (rank < 0) return [rev, -1];
  return [rev, rank, String(guild.ranked.get(id)), curveOf(guild), guild.hash(':members')[id] ?? ''];
}

function curveOf(guild: NaiveGuild): string {
  const { xp_curve: curve = '', xp_curve_custom: own = '' } = guild.hash(':config');
  return curve === 'custom' ? `custom=${own}` : curve;
}
