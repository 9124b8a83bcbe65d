import { InvalidInputError, RefusedError, type Sentences } from '../core/errors.ts';
import type { Advice } from '../imports/advice.ts';

/** The sentences in which the pages tell a person what to do. */

/** The advice about an import, in the words of its pages. */
export const PAGE_ADVICE: Advice = {
  checkFormat: 'is the format right?',
  mapFields: () => 'choose below which field is which',
  readInstead: ({ xp }) => `if ${xp} is right, press "Choose other fields" before you import the file`,
  chooseGuild: 'choose the server',
  nameCurve: 'choose the curve in the field "Level curve"',
  switchCurve: (curve) => `choose the curve ${curve} to switch`,
  chooseLevels(better) {
    const choose = 'choose in the field "Levels" what becomes of them';
    return better ? `choose the curve ${better} when you upload it again, or ${choose}` : choose;
  },
  importWithoutReplacing: 'import without replacing',
  runAgain: 'start it again',
};

/** Refusals in the words for the owner of a guild. All other refusals have the same words everywhere. */
const PAGE_SENTENCES: Partial<Sentences> = {
  lock: () => 'Something else has changed this server meanwhile: begin again',
  event: () => 'This form was sent already, with other values: look at the member, and fill in the form again',
  key_unknown: () => 'There is no such API Key any more: it was revoked already',
  key_revoked: () => 'The API Key was revoked while it was made: make it again',
  key_unfinished: ({ key }) => `The API Key ${key} was not finished: revoke it, and make a new one`,
  keys_full: ({ most }) => `This server has ${most} API Keys already: revoke one that nobody uses`,
  key_rotated: ({ key, seconds }) =>
    `The API Key ${key} was rotated a moment ago: use the new API Key of that rotation. If nobody has it, revoke it, and try again in ${seconds} s`,
  guild_busy: () =>
    "An import, a deletion or a season's end of this server is running, or was killed a moment ago: try again in 10 s",
  season_unfinished: ({ archive }) =>
    `The season that goes to ${archive} has not ended: ask the operator of the bot to end it first`,
  move_unfinished: () => 'The move of this server to this Redis is not complete: ask the operator to repeat the move',
  count_busy: () => 'The members of this server are being counted: try again in a minute',
  count_interrupted: () => 'The count of the members was interrupted for more than a minute: try again',
  count_disturbed: () =>
    'Another program changes the data of this server while its members are counted: ask the operator to stop it',
  curve_changed: () => 'The curve was changed meanwhile: look at the file again, on the new curve',
  search_busy: ({ seconds }) => `The names of this server cannot be searched yet: try again in ${seconds} s`,
  search_too_large: () => 'This server has too many names to search them: enter a user id',
  hiding_disturbed: () => 'Members are hidden and shown faster than the import can follow: try again later',
};

/**
 * Returns the message for a person, without its full stop, if values are wrong or the data do not allow a change; undefined for any other failure.
 */
export function messageForPerson(error: unknown): string | undefined {
  if (error instanceof RefusedError) return error.tell(PAGE_SENTENCES);
  return error instanceof InvalidInputError ? error.message : undefined;
}

/** Returns a text with a full stop at its end, because messages of errors have no full stop. */
export function sentence(text: string): string {
  return /[.?…]$/.test(text) ? text : `${text}.`;
}
