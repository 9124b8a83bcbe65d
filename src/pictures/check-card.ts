import { InvalidInputError, shownText } from '../core/errors.ts';
import { HIDE_REASONS } from '../core/ranking/model.ts';
import type { MemberCard, RankedMember } from '../core/reads/card.ts';

const NUMBERS = ['level', 'xp', 'total', 'dailyStreak'] as const satisfies readonly (keyof MemberCard)[];
const NEIGHBOUR_NUMBERS = ['rank', 'level', 'xp'] as const satisfies readonly (keyof RankedMember)[];

/** Checks the data of a rank card, which JavaScript lets a bot make of anything. @throws InvalidInputError which names the unfit field. */
export function checkCard(data: MemberCard): void {
  if (typeof data?.userId !== 'string') {
    throw new InvalidInputError(
      'data must be a card, as reader.card returns it; it returns null for an unknown member',
    );
  }
  checkType('data.username', data.username, 'string', 'a text');
  for (const name of NUMBERS) checkType(`data.${name}`, data[name], 'number', 'a number');
  for (const name of ['rank', 'nextLevelXp'] as const) {
    if (data[name] !== null) checkType(`data.${name}`, data[name], 'number', 'a number, or null');
  }
  if (data.progress !== null) checkNumbers('data.progress', data.progress, ['gained', 'needed']);
  for (const name of ['above', 'below'] as const) {
    const neighbour = data[name];
    if (neighbour === null) continue;
    checkNumbers(`data.${name}`, neighbour, NEIGHBOUR_NUMBERS);
    checkType(`data.${name}.username`, neighbour.username, 'string', 'a text');
  }
  const { hidden } = data;
  const isKnown = hidden === null || (Array.isArray(hidden) && hidden.every((reason) => HIDE_REASONS.includes(reason)));
  if (!isKnown) refuse('data.hidden', `a list of ${HIDE_REASONS.join(', ')}, or null`, hidden);
}

function checkNumbers<T>(path: string, value: T, names: readonly (keyof T & string)[]): void {
  if (typeof value !== 'object' || value === null) refuse(path, 'an object, or null', value);
  for (const name of names) checkType(`${path}.${name}`, value[name], 'number', 'a number');
}

function checkType(path: string, value: unknown, type: 'number' | 'string', wanted: string): void {
  if (typeof value !== type || Number.isNaN(value)) refuse(path, wanted, value);
}

function refuse(path: string, wanted: string, value: unknown): never {
  throw new InvalidInputError(`${path} must be ${wanted}, not ${shownText(value)}`);
}
