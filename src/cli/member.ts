import { type Command, Option } from 'commander';
import type { Core } from '../core/core.ts';
import { RefusedError } from '../core/errors.ts';
import { withNoun } from '../core/format-numbers.ts';
import { readMemberData } from '../core/members/member-data.ts';
import { type LevelAndProfile, setLevelAndProfile } from '../core/members/record-members.ts';
import type { ProfileChange } from '../core/members/xp-record.ts';
import { levelForXp, MAX_XP } from '../core/ranking/curves.ts';
import { HIDE_REASONS, type HideReason } from '../core/ranking/model.ts';
import { curveOf, MemberCommand } from '../core/reads/read-commands.ts';
import {
  type GuildOptions,
  guildCommands,
  parseId,
  parseIds,
  parseLevel,
  parseName,
  parseTime,
  parseWhole,
  parseXpChange,
} from './arguments.ts';
import type { CommandContext } from './context.ts';
import { REFUSED } from './exit-codes.ts';
import { type MemberSyncOptions, parseShare, sync } from './member-sync.ts';
import { CommandRefused, confirm, PartialResult, print, UsageError } from './terminal.ts';
import { withCore } from './with-core.ts';

interface SetOptions extends GuildOptions, Omit<ProfileChange, 'level'> {
  readonly xp?: number;
  /** The level at whose first XP to set the member. */
  readonly xpOfLevel?: number;
  readonly level?: number | 'none';
}

interface MoveOptions extends GuildOptions {
  readonly reason: HideReason;
}

interface RemoveOptions extends GuildOptions {
  readonly yes?: boolean;
}

/** Defines `member show`, `set`, `add`, `rename`, `hide`, `unhide`, `sync`, `remove` and `export`. */
export function defineMember(command: Command, context: CommandContext): void {
  const subcommand = guildCommands(command, 'guild of the member');
  const memberCommand = (name: string, description: string) =>
    subcommand(name, description).argument('<user>', 'user id', parseId).option('--json', 'print JSON');
  const membersCommand = (name: string, description: string) =>
    subcommand(name, description).argument('<users...>', 'user ids', parseIds).option('--json', 'print JSON');
  const reason = (description: string) =>
    new Option('--reason <reason>', description).choices(HIDE_REASONS).default('moderator');

  memberCommand('show', 'Show a member, ranked or hidden').action((user: string, options: GuildOptions) =>
    show(context, user, options),
  );
  memberCommand('set', 'Set XP or fields of the profile; with --xp, create the member if there is none')
    .option('--xp <n>', 'total XP', parseWhole)
    .option(
      '--xp-of-level <n>',
      'set the XP at which this level begins on the curve, and remove an explicit level',
      parseWhole,
    )
    .option('--level <n>', 'explicit level, which XP does not change; none = level by the curve', parseLevel)
    .option('--username <name>', 'name to show; empty = the user id', parseName)
    .option('--daily-streak <n>', 'days in a row', parseWhole)
    .option('--last-daily-claim <time>', 'such as 2026-01-31T18:30:00Z', parseTime)
    .action((user: string, options: SetOptions) => set(context, user, options));
  memberCommand('add', 'Add XP, or take XP with a negative number; create the member if there is none')
    .argument('<xp>', 'XP', parseXpChange)
    .action((user: string, xp: number, options: GuildOptions) => add(context, user, xp, options));
  memberCommand('rename', 'Change the name to show')
    .argument('<name>', 'new name; empty = the user id', parseName)
    .action((user: string, username: string, options: GuildOptions) => set(context, user, { ...options, username }));
  membersCommand('hide', 'Take members out of the ranking; they keep XP and profile')
    .addOption(reason('why to hide them: they left, they asked for it, or a moderator decided it'))
    .action((users: string[], options: MoveOptions) => move(context, 'hide', users, options));
  membersCommand('unhide', 'Lift a reason for hiding; members without another reason come back, with all their XP')
    .addOption(reason('the reason to lift'))
    .action((users: string[], options: MoveOptions) => move(context, 'unhide', users, options));
  subcommand(
    'sync',
    'Hide the ranked members that a list of the server lacks, and lift "left" from members on the list',
  )
    .requiredOption('--file <path>', 'all user ids of the server, one on each line')
    .option('--dry-run', 'print the numbers without changing anything')
    .option(
      '--max-share <n>',
      'largest share of the ranked members that may be hidden, from 0 to 1; 0.2 if left out',
      parseShare,
    )
    .option('--json', 'print JSON')
    .action((options: MemberSyncOptions) => sync(context, options));
  membersCommand('remove', 'Erase members, with the data that the guild stores about them')
    .option('--yes', 'do not ask for confirmation')
    .action((users: string[], options: RemoveOptions) => remove(context, users, options));
  subcommand('export', 'Print the data that the guild stores about a user, as JSON')
    .argument('<user>', 'user id', parseId)
    .action((user: string, options: GuildOptions) => exportData(context, user, options));
}

async function show(context: CommandContext, user: string, { guild, json }: GuildOptions): Promise<void> {
  const member = await withCore(context, (core) => readShown(core, guild, user));
  print(context, json, member, () => lines(member));
}

async function set(
  context: CommandContext,
  user: string,
  { guild, json, xp, xpOfLevel, level, ...texts }: SetOptions,
): Promise<void> {
  if (xpOfLevel !== undefined && (xp !== undefined || level !== undefined))
    throw new UsageError('--xp-of-level sets the XP, and the level follows: leave --xp and --level out');
  const profile = { ...texts, ...(level !== undefined && { level: level === 'none' ? null : level }) };
  if (xp === undefined && xpOfLevel === undefined && Object.keys(profile).length === 0)
    throw new UsageError(
      'Nothing to set: give --xp, --xp-of-level, --level, --username, --daily-streak or --last-daily-claim',
    );
  const member = await withCore(context, async (core) => {
    if (xpOfLevel !== undefined) await setXpOfLevel(core, guild, { ...texts, userId: user, level: xpOfLevel });
    else if (xp !== undefined) await core.writer.record(guild, { userId: user, set: xp, ...profile });
    else await core.writer.setProfiles(guild, [{ userId: user, ...profile }]);
    return readShown(core, guild, user);
  });
  const hint = 'XP does not change an explicit level. To set a level that rises with XP, use --xp-of-level instead';
  print(context, json, member, () => [...lines(member), ...(typeof level === 'number' ? [hint] : [])]);
}

/**
 * Sets a member to the XP at which a level begins in the guild, with other fields of the profile, in one script, so that the curve cannot change in
 * between.
 * @throws CommandRefused for a level that no XP gives.
 */
async function setXpOfLevel(core: Core, guild: string, change: LevelAndProfile): Promise<void> {
  try {
    await setLevelAndProfile(core, guild, change, Date.now());
  } catch (error) {
    if (!(error instanceof RefusedError && error.code === 'level')) throw error;
    const highest = levelForXp(curveOf((await core.members.read(guild, [])).curve), MAX_XP);
    const { level } = change;
    const why = level > highest ? `${highest} is the highest` : 'it rounds XP beyond this level';
    throw new CommandRefused(`By the curve of guild ${guild} no XP gives level ${level}: ${why}`);
  }
}

async function add(context: CommandContext, user: string, xp: number, { guild, json }: GuildOptions): Promise<void> {
  const change = await withCore(context, async ({ writer }) => writer.record(guild, { userId: user, add: xp }));
  const { xpBefore, levelBefore, xp: now, level } = change;
  const result = { guild, user_id: user, xp_before: xpBefore, level_before: levelBefore, xp: now, level };
  print(context, json, result, () => `${user}: ${xpBefore} -> ${now} XP, level ${levelBefore} -> ${level}`);
}

async function move(
  context: CommandContext,
  direction: 'hide' | 'unhide',
  users: readonly string[],
  { guild, json, reason }: MoveOptions,
): Promise<void> {
  const { changed, hidden, unknown } = await withCore(context, async ({ writer, members }) => ({
    ...(await writer[direction](guild, users, { reason })),
    unknown: unknownOf(users, (await members.read(guild, users)).members),
  }));
  const done = direction === 'hide' ? 'hidden' : 'put back';
  const stillHidden = direction === 'hide' ? [] : hidden;
  const shown = hidden.map(({ userId, reasons }) => ({ user_id: userId, reasons }));
  print(context, json, { guild, changed, hidden: shown, unknown }, () => [
    `${changed} of ${new Set(users).size} ${done}`,
    ...stillHidden.map(({ userId, reasons }) => `${userId} is still hidden: ${reasons.join(', ')}`),
  ]);
  throwUnknown(guild, unknown);
}

async function remove(context: CommandContext, users: readonly string[], options: RemoveOptions): Promise<void> {
  const { guild, json, yes } = options;
  const { removed, unknown } = await withCore(context, async ({ writer, members }) => {
    const stored = await members.read(guild, users);
    const found = new Set(stored.members.map(({ userId }) => userId)).size;
    if (!yes) await confirm(context, guild, `This erases ${withNoun(found, 'member')} of guild ${guild} for good.`);
    return { removed: await writer.remove(guild, users), unknown: unknownOf(users, stored.members) };
  });
  print(context, json, { guild, removed, unknown }, () => `${removed} of ${new Set(users).size} removed`);
  throwUnknown(guild, unknown);
}

async function exportData(context: CommandContext, user: string, { guild }: GuildOptions): Promise<void> {
  const data = await withCore(context, (core) => readMemberData(core, guild, user));
  if (!data) throw new CommandRefused(`Nothing is stored about user ${user} in guild ${guild}`);
  print(context, true, data, () => []);
}

/** Reads a member, with the field names of `--json`. @throws CommandRefused for a user who is not a member. */
async function readShown({ members, commands }: Core, guild: string, user: string) {
  const [stored, { value: ranked }] = await Promise.all([
    members.read(guild, [user]),
    commands.read(new MemberCommand(guild, user)),
  ]);
  const [member] = stored.members;
  if (!member) throw new CommandRefused(`Guild ${guild} has no member ${user}`);
  return {
    user_id: user,
    username: member.username,
    level: member.level ?? levelForXp(curveOf(stored.curve), member.xp),
    explicit_level: member.level !== null,
    xp: member.xp,
    /** Null for a hidden member. */
    rank: ranked?.rank ?? null,
    hidden: member.hidden,
    hidden_reasons: member.hiddenReasons,
    daily_streak: member.dailyStreak,
    last_daily_claim: member.lastDailyClaim,
  };
}

function lines(member: Awaited<ReturnType<typeof readShown>>): string[] {
  const { user_id, username, level, explicit_level, xp, rank, hidden_reasons, daily_streak, last_daily_claim } = member;
  const place = rank ?? `hidden: ${hidden_reasons.join(', ')}`;
  return [
    `user         ${user_id}`,
    `name         ${(username ?? '-').replace(/\p{Cc}/gu, '?')}`,
    `rank         ${place}`,
    `XP           ${xp}`,
    `level        ${explicit_level ? `${level} (explicit)` : level}`,
    `daily streak ${last_daily_claim ? `${daily_streak}, last claim ${last_daily_claim}` : daily_streak}`,
  ];
}

function unknownOf(users: readonly string[], members: readonly { readonly userId: string }[]): string[] {
  const known = new Set(members.map(({ userId }) => userId));
  return [...new Set(users)].filter((user) => !known.has(user));
}

/** @throws PartialResult that names the users who are not members, if there are such users. */
function throwUnknown(guild: string, unknown: readonly string[]): void {
  if (unknown.length > 0)
    throw new PartialResult(`These are not members of guild ${guild}: ${unknown.join(', ')}`, REFUSED);
}
