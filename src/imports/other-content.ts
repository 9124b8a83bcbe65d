import { InvalidInputError } from '../core/errors.ts';

/** Keys by which an error response is recognised. */
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
/** Keys at the top of a member, or of a document with members. */
const DATA_KEYS: ReadonlySet<string> = new Set([
  'players',
  'levels',
  'rankings',
  'members',
  'users',
  'xp',
  'data',
  'configs',
  'user_id',
  'userId',
  'userID',
  'id',
]);
/** A first line of SQL: a comment, a setting or a statement. */
const SQL =
  /^(?:--\s*$|--\s.*\b(?:dump|sql|database)\b|\/\*!|(?:PRAGMA|CREATE|DROP|INSERT|REPLACE|ALTER|LOCK|COPY|USE|SET|SELECT|BEGIN|START|DELIMITER)\s.*[;(]\s*$|BEGIN;|(?:INSERT|REPLACE)\s+INTO\s|(?:CREATE|DROP)\s+TABLE\s)/i;
/** A line of YAML: a field, or the first field of an element. */
const YAML_LINE = /^\s*(?:-\s+)?(["']?)[\w-]+\1:(?:\s+(?:[{[].*|[^,;\t|{[]*))?\s*$/;
const WEB_PAGE = /^<(?:!doctype\s+html|html|head|body|table|div|meta|script|style|title|p|h\d|pre)\b/i;
/** Characters that a message quotes. */
const QUOTED = 100;

/**
 * Refuses what people save in place of an export: a web page, XML, SQL, YAML, or the error response of a service.
 * @param head beginning of the file.
 * @throws InvalidInputError
 */
export function refuseOtherContent(head: string, file: string): void {
  const text = head.trimStart();
  const markup = text.replace(/^<\?xml[^>]*>\s*/, '');
  if (WEB_PAGE.test(markup)) {
    throw new InvalidInputError(
      `${file} is a web page, not an export: docs/importing.md says where each bot has its export`,
    );
  }
  if (/^<[?!\w]/.test(text))
    throw new InvalidInputError(`${file} is XML: export the members as CSV or JSON. A spreadsheet can save it as CSV`);
  const firstLine = /^.*/.exec(text)?.[0] ?? '';
  if (SQL.test(firstLine))
    throw new InvalidInputError(
      `${file} is SQL: load it into its database, and export the table with the members as CSV, such as with sqlite3 -header -csv, mysql --batch or \\copy of psql`,
    );
  if (/^"\s*[[{].*\\"/.test(firstLine))
    throw new InvalidInputError(`${file} is JSON inside a text of JSON: parse it once before you save it`);
  if (/^HTTP\/[\d.]+ \d{3}\b/.test(firstLine))
    throw new InvalidInputError(
      `${file} begins with the head of a response: save the body alone, such as with curl without -i`,
    );
  if (isYaml(text))
    throw new InvalidInputError(`${file} is YAML: convert it to JSON, such as with yq -o json FILE > members.json`);
  if (!isErrorResponse(text)) return;
  const quoted = text.replace(/\s+/g, ' ').slice(0, QUOTED);
  throw new InvalidInputError(`${file} is the error response of a service, not an export: ${quoted}`);
}

/** Whether a text begins with the mark of a document of YAML, or with two lines of it. */
function isYaml(text: string): boolean {
  const [first = '', second] = text.split(/\r?\n/).filter((line) => !/^\s*(?:#.*)?$/.test(line));
  if (/^(?:---\s*$|%YAML)/.test(first)) return true;
  return second !== undefined && YAML_LINE.test(first) && YAML_LINE.test(second);
}

/** Whether a text is a JSON object with a field that names an error, and without data. */
function isErrorResponse(text: string): boolean {
  try {
    const keys = text.startsWith('{') ? Object.keys(JSON.parse(text)) : [];
    return keys.some((key) => ERROR_KEYS.includes(key)) && !keys.some((key) => DATA_KEYS.has(key));
  } catch {
    return false; // More than one value, or the beginning of a long value.
  }
}
