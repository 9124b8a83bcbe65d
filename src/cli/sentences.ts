import { commandLine } from '../config/command-line.ts';
import type { Sentences } from '../core/errors.ts';
import { MOVE_AGAIN } from '../core/refusals.ts';
import type { Advice } from '../imports/advice.ts';
import type { FieldMap } from '../imports/fields.ts';

/** The sentences in which the commands tell a person what to do. */

/** The advice about a run of `seed`. */
export const COMMAND_ADVICE: Advice = {
  checkFormat: 'is --format right?',
  mapFields: (readings) => `say which field is which, such as ${readings.map(mapOption).join(', or ')}`,
  readInstead: (reading) => `add ${mapOption(reading)} to read it instead`,
  chooseGuild: 'choose the guild with --source-guild',
  nameCurve: 'name a curve with --curve',
  switchCurve: (curve) => `add --curve ${curve} to switch`,
  chooseLevels(better) {
    const levels =
      '--levels curve to give these members the level of their XP, or --levels file to keep the levels of the file';
    return better ? `add --curve ${better}, or ${levels}` : `add ${levels}`;
  },
  importWithoutReplacing: 'import without --replace',
  runAgain: 'run the same command again',
};

/** Sentences for refusals about which a command can do something. All other refusals have the same sentence everywhere. */
export const COMMAND_SENTENCES: Partial<Sentences> = {
  board_unknown: ({ guild, kind, boards }) =>
    `Guild ${guild} has no board for the ${kind}: start one with ${quoted('guild', `set --guild ${guild} --boards ${[...boards, kind].join(',')}`)}`,
  key_unknown: ({ guild, key }) =>
    `Guild ${guild} has no API key ${key}: find its id with ${quoted('keys', `list --guild ${guild}`)}`,
  key_unfinished: ({ guild, key }) =>
    `The API key ${key} of guild ${guild} has no record any more: ${revoke(guild, key)}, and create a new API key`,
  season_unfinished: ({ guild, archive }) =>
    `The end of a season of guild ${guild}, with the archive ${archive}, is not finished: finish it first with ${quoted('season', `reset --guild ${guild} --archive ${archive}`)}, and with --drop-members if you gave that before`,
  move_unfinished: ({ guild }) => `The move of guild ${guild} is not finished: ${MOVE_AGAIN}, or ${erase(guild)}`,
  move_in_disturbed: ({ guild }) =>
    `Another program, such as the bot, wrote to guild ${guild} during the move: stop it, ${erase(guild)} here, then ${MOVE_AGAIN}`,
  keys_full: ({ guild, most }) =>
    `Guild ${guild} already has ${most} API keys, the most that a guild may have: find an API key that is not used with ${quoted('keys', `list --guild ${guild}`)}, and revoke it`,
  key_unfit: ({ guild, key }) =>
    `The API key ${key} was written by hand and cannot be moved: ${revoke(guild, key)}, then ${MOVE_AGAIN}`,
  guild_exists: ({ guild }) =>
    `This Redis already has data of guild ${guild}: ${erase(guild)} first, if you do not need it`,
  present_incomplete: ({ left, ranked, share, maxShare }) =>
    `The list lacks ${left} of ${ranked} ranked members, which is ${share} %, and at most ${maxShare} % may be hidden: nothing was changed. Complete the list, or raise --max-share`,
  member_twice: ({ guild, user }) =>
    `Member ${user} is both hidden and in the ranking: run ${quoted('member', `hide --guild ${guild} ${argument(user)}`)}, then ${MOVE_AGAIN}`,
};

function revoke(guild: string, key: string): string {
  return `run ${quoted('keys', `revoke --guild ${guild} ${argument(key)}`)}`;
}

function erase(guild: string): string {
  return `run ${quoted('guild', `delete --guild ${guild}`)}`;
}

function quoted(name: string, args: string): string {
  return `"${commandLine(name, args)}"`;
}

/** Returns an id as an argument of a command. An id that was written by hand can have spaces, and an id that begins with a dash looks like an option. */
function argument(id: string): string {
  return id.startsWith('-') ? `-- ${shellWord(id)}` : shellWord(id);
}

/** Returns a naming of fields as the option of a command. */
function mapOption(reading: FieldMap): string {
  const words = Object.entries(reading).map(([word, name]) => `${word}=${name}`);
  return `--map ${shellWord(words.join(','))}`;
}

function shellWord(text: string): string {
  return /^[\w.,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
