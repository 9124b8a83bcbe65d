import { InvalidInputError, shownText } from './errors.ts';
import { ID_PATTERN } from './ranking/model.ts';

/**
 * Checks that an argument of a bot is an object with known fields only, because JavaScript would ignore an unknown field without a word.
 * It runs at each call, and takes about a hundred nanoseconds.
 * @param owner the name of the object that has the fields, such as "an award".
 * @param path where a list or an object of the call has it, such as `records[3].profile`; "" for the argument itself.
 * @throws InvalidInputError which names the unknown field and the known fields.
 */
export function checkFields(value: unknown, owner: string, names: readonly string[], path = ''): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const subject = path || owner.replace(/^./, (letter) => letter.toUpperCase());
    throw new InvalidInputError(`${subject} must be an object with ${names.join(', ')}, not ${shownText(value)}`);
  }
  for (const name of Object.keys(value)) {
    if (names.includes(name)) continue;
    throw new InvalidInputError(`${path && `${path}.`}${name} is no field of ${owner}: use ${names.join(', ')}`);
  }
}

/** Checks that an argument is a list. @throws InvalidInputError */
export function checkList(value: unknown, subject: string): void {
  if (!Array.isArray(value)) throw new InvalidInputError(`${subject} must be a list, not ${shownText(value)}`);
}

/** Checks the ids of a write before it is sent. @throws InvalidInputError */
export function checkGuildAndUsers(guildId: string, userIds: readonly string[]): void {
  checkId('guild', guildId);
  checkList(userIds, 'The user ids');
  for (const userId of userIds) checkId('user', userId);
}

function checkId(kind: 'guild' | 'user', id: unknown): void {
  // JavaScript lets a bot pass anything, and a pattern takes undefined for the text "undefined".
  if (typeof id === 'string' && ID_PATTERN.test(id)) return;
  const text =
    typeof id === 'string' ? JSON.stringify(id) : `${typeof id === 'bigint' ? id : shownText(id)} (${typeof id})`;
  throw new InvalidInputError(`The ${kind} id ${text} must be a text of 1 to 64 of A-Z a-z 0-9 _ - .`);
}

/** Checks that an argument is a text, because a client would turn any other value into a text, such as "null". @throws InvalidInputError */
export function checkText(value: unknown, name: string): void {
  if (typeof value !== 'string') throw new InvalidInputError(`${name} must be a text, not ${shownText(value)}`);
}

/** Returns a whole number within bounds as text. @throws InvalidInputError naming the value; nothing is sent. */
export function wholeText(name: string, value: number, min: number, max: number): string {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return String(value);
  throw new InvalidInputError(`${name} must be a whole number from ${min} to ${max}, not ${shownText(value)}`);
}
