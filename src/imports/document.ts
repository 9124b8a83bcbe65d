import type { Readable } from 'node:stream';
import { InvalidInputError, messageOf } from '../core/errors.ts';
import { openFile, readText } from './inputs.ts';
import { checkNesting } from './nesting.ts';
import { withoutMembers } from './without-members.ts';

/** The most bytes of text: a Polaris server of 500,000 members. */
const MAX_BYTES = 64 << 20;
/** The most characters beside the members of an export. They take ten times as many bytes when they are parsed. */
const MAX_PARSED = 1 << 20;

/**
 * Reads a JSON document of rules or of an export with rules, from a file or a stream. Unpacks gzip. It has null in place of the members of
 * an export. O(n) of time, and of memory for the text.
 * @param name of the source, for messages.
 * @throws InvalidInputError when it cannot be read, is above `maxBytes` of text (64 MiB) or above 1 MiB beside its members, is no JSON, or
 * as {@link checkNesting}.
 */
export async function readDocument(
  source: string | Readable,
  name = typeof source === 'string' ? source : 'stdin',
  maxBytes = MAX_BYTES,
): Promise<unknown> {
  const stream = typeof source === 'string' ? (await openFile(source)).stream : source;
  let whole = '';
  let size = 0;
  for await (const piece of readText(stream, name)) {
    size += Buffer.byteLength(piece);
    if (size > maxBytes) throw new InvalidInputError(`${name} is above ${maxBytes >> 20} MiB: it is no file of rules`);
    whole += piece;
  }
  const text = withoutMembers(whole);
  if (text.length > MAX_PARSED)
    throw new InvalidInputError(`${name} has more than 1 MiB beside members: it is no file of rules`);
  checkNesting(text, name);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidInputError(`${name} is not valid JSON: ${messageOf(error)}`);
  }
}
