import type { Readable } from 'node:stream';
import { InvalidInputError, messageOf } from '../errors.ts';
import { openFile, unreadable } from './inputs.ts';
import { checkNesting } from './nesting.ts';
import { textBytes } from './text-bytes.ts';
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
  async function* raw(): AsyncGenerator<Buffer> {
    for await (const chunk of stream as AsyncIterable<Buffer | string>) yield Buffer.from(chunk as Buffer);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of textBytes(raw(), name)) {
      size += chunk.length;
      if (size > maxBytes)
        throw new InvalidInputError(`${name} is above ${maxBytes >> 20} MiB: it is no file of rules`);
      chunks.push(chunk);
    }
  } catch (error) {
    unreadable(name, error as Error);
  } finally {
    stream.destroy();
  }
  const whole = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
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
