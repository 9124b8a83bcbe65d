import { InvalidInputError } from '../core/errors.ts';

/** Keys of which an error response has one. */
export const ERROR_KEYS = [
  'error',
  'errors',
  'message',
  'msg',
  'detail',
  'status',
  'statusCode',
  'status_code',
  'code',
  'success',
];
/** Top-level keys of members, and of what holds them. */
const DATA_KEYS: ReadonlySet<string> = new Set([
  ...['players', 'levels', 'rankings', 'members', 'users', 'xp', 'data', 'configs'],
  ...['user_id', 'userId', 'userID', 'id'],
]);
/** Characters that a message quotes. */
const QUOTED = 100;

/**
 * Refuses what people save in place of an export: a web page, or the error response of a service.
 * @param head beginning of the file.
 * @throws InvalidInputError
 */
export function refuseOtherContent(head: string, file: string): void {
  const text = head.trimStart();
  if (text.startsWith('<')) {
    throw new InvalidInputError(
      `${file} is a web page, not an export: docs/importing.md says where each bot has its export`,
    );
  }
  if (!isErrorResponse(text)) return;
  const quoted = text.replace(/\s+/g, ' ').slice(0, QUOTED);
  throw new InvalidInputError(`${file} is the error response of a service, not an export: ${quoted}`);
}

function isErrorResponse(text: string): boolean {
  try {
    const keys = text.startsWith('{') ? Object.keys(JSON.parse(text)) : [];
    return keys.some((key) => ERROR_KEYS.includes(key)) && !keys.some((key) => DATA_KEYS.has(key));
  } catch {
    return false; // More than one value, or the beginning of a long one.
  }
}
