import type { Model } from './bot-calls.ts';
import { NaiveGuild } from './guild.ts';

/** around.lua. */
export const around: Model = (state, now, keys, [id, reach, declared]) => {
  const guild = new NaiveGuild(state, now).open();
  const rank = guild.ranking().indexOf(id as string);
  if (rank < 0) return [[-1, ''], guild];
  const first = Math.max(rank - Number(reach), 0);
  const last = rank + Number(reach);
  return [[first, rows(guild, first, last, declared === 'declared' ? keys : undefined)], guild];
};

/** batch.lua with commands that read one guild. */
export const batch: Model = (state, now, keys, [commands]) => {
  const guild = new NaiveGuild(state, now).open();
  const declared = keys.length > 1 ? keys : undefined;
  const replies = (commands as string)
    .trimEnd()
    .split('\n')
    .map((command) => {
      const [name, ...args] = command.split(' ') as [string, ...string[]];
      const cached = args[name === 'page' ? 2 : name === 'member' ? 1 : 0] ?? '';
      if (cached !== '' && guild.stats.rev === cached) return '';
      if (name === 'page') return rows(guild, Number(args[0]), Number(args[1]), declared);
      if (name === 'member') return member(guild, args[0] as string, declared);
      const { rev = '', members = '', total_xp: total = '', level_sum: levels = '' } = guild.stats;
      return [rev, members, total, levels, curveLine(guild), line(guild.hash(':config').xp_multiplier)].join('\n');
    });
  return [replies, guild];
};

function rows(guild: NaiveGuild, first: number, last: number, declared: readonly string[] | undefined): string {
  const shown = guild.ranking().slice(first, last + 1);
  if (declared && !shown.every((id) => declared.includes(`:member:${id}`))) return ['?', ...shown].join('\n');
  const lines = shown.flatMap((id) => {
    const { username, level } = guild.hash(`:member:${id}`);
    return [id, String(guild.ranked.get(id)), line(username), line(level)];
  });
  return [guild.stats.rev ?? '', guild.ranked.size, curveLine(guild), ...lines].join('\n');
}

function member(guild: NaiveGuild, id: string, declared: readonly string[] | undefined): string {
  if (declared && !declared.includes(`:member:${id}`)) return `?\n${id}`;
  const rev = guild.stats.rev ?? '';
  const rank = guild.ranking().indexOf(id);
  if (rank < 0) return [rev, -1, '', '', '', '', '', ''].join('\n');
  const { username, level, daily_streak: streak, last_daily_claim: claim } = guild.hash(`:member:${id}`);
  return [rev, rank, guild.ranked.get(id), curveLine(guild), ...[username, level, streak, claim].map(line)].join('\n');
}

function curveLine(guild: NaiveGuild): string {
  const { xp_curve: curve, xp_curve_custom: own } = guild.hash(':config');
  return curve === 'custom' ? `custom=${line(own)}` : line(curve);
}

/** Returns a stored text as one line of a reply. */
export function line(text = ''): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
