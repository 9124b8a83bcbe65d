import { commandLine } from '../config/command-line.ts';
import type { Sentences } from '../core/errors.ts';
import type { Advice } from '../imports/advice.ts';

/** What the commands tell a person to do. */

/** How a command of `seed` is mended. */
export const COMMAND_ADVICE: Advice = {
  nameFormat: 'name it with --format',
  checkFormat: 'is --format right?',
  nameCurve: 'name one with --curve',
  switchCurve: (curve) => `add --curve ${curve} to switch`,
  chooseLevels: (better) =>
    `${better ? `add --curve ${better}, or ` : ''}choose with --levels whether they follow XP (curve) or stay as they are (file)`,
  loadWithoutReplacing: 'load without --replace',
  runAgain: 'run the same command again',
};

/** Refusals that a command mends. The others are told everywhere with the same words. */
export const COMMAND_SENTENCES: Partial<Sentences> = {
  board_unknown: ({ guild, kind, boards }) =>
    `Guild ${guild} has no board of the ${kind}: begin it with ${quoted('guild', `set --guild ${guild} --boards ${[...boards, kind].join(',')}`)}`,
  key_unknown: ({ guild, key }) =>
    `Guild ${guild} has no key ${key}: find its id with ${quoted('keys', `list --guild ${guild}`)}`,
  key_unfinished: ({ guild, key }) =>
    `Key ${key} of guild ${guild} has no record any more: ${revoke(guild, key)}, and create a new one`,
  season_unfinished: ({ guild, archive }) =>
    `The season of ${guild} that goes to ${archive} is not done: end it first with ${quoted('season', `reset --guild ${guild} --archive ${archive}`)}, and --drop-members if it had that`,
  import_unfinished: ({ guild }) =>
    `The import of ${guild} is not done: export and import it again, or ${erase(guild)}`,
  import_disturbed: ({ guild }) =>
    `Something else wrote to guild ${guild} during the import, such as its bot: stop that, ${erase(guild)} here, then export and import again`,
  keys_full: ({ guild, most }) =>
    `Guild ${guild} has ${most} keys: find one that is not used with ${quoted('keys', `list --guild ${guild}`)}, and revoke it`,
  key_unfit: ({ guild, key }) =>
    `The API key ${key} was written by hand: ${revoke(guild, key)}, then export and import again`,
  guild_exists: ({ guild }) =>
    `This Redis has data of guild ${guild} already: ${erase(guild)} first, if you do not need them`,
  present_incomplete: ({ left, ranked, share, maxShare }) =>
    `The list lacks ${left} of ${ranked} ranked members, ${share} %, and ${maxShare} % may be hidden: nothing was changed. Complete the list, or raise --max-share`,
  member_twice: ({ guild, user }) =>
    `Member ${user} is hidden and in the ranking too: run ${quoted('member', `hide --guild ${guild} ${argument(user)}`)}, then export and import again`,
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

/** Returns an id as an argument of a command. One that was written by hand can have spaces, and one with a dash looks like an option. */
function argument(id: string): string {
  const text = /^[\w.-]+$/.test(id) ? id : `'${id.replaceAll("'", "'\\''")}'`;
  return id.startsWith('-') ? `-- ${text}` : text;
}
