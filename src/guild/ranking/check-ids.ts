import { InvalidIdError } from '../../errors.ts';
import { checkList } from '../members/check-fields.ts';
import { ID_PATTERN } from './model.ts';

/** Checks the ids of a write before it is sent. @throws InvalidIdError, and InvalidInputError for user ids that are no list. */
export function checkIds(guildId: string, userIds: readonly string[]): void {
  if (!isId(guildId)) throw new InvalidIdError('guild', guildId);
  checkList(userIds, 'The user ids');
  for (const userId of userIds) if (!isId(userId)) throw new InvalidIdError('user', userId);
}

/** JavaScript lets a bot pass anything, and a pattern takes undefined for the text "undefined". */
function isId(id: unknown): boolean {
  return typeof id === 'string' && ID_PATTERN.test(id);
}
