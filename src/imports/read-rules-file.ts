import type { Readable } from 'node:stream';
import Assembler from 'stream-json/assembler.js';
import type { Token } from 'stream-json/parser.js';
import { InvalidInputError } from '../core/errors.ts';
import { RULE_SOURCES } from './export-rules.ts';
import { formatNamed } from './formats.ts';
import { openSource, readSource } from './import-source.ts';
import { PathTracker } from './json-path.ts';
import { isEnd, isStart, parseJson, type TokenTaker } from './json-tokens.ts';

/** The most bytes of text: a Polaris server of 500,000 members. */
const MAX_BYTES = 64 << 20;
/** The most characters that are kept: names, values and brackets outside the members of an export. */
const MAX_KEPT = 1 << 20;

/** The names at the top of an export that hold its members. */
const MEMBERS: ReadonlySet<string> = new Set(
  RULE_SOURCES.flatMap((bot) => formatNamed(bot).paths.flatMap((path) => path.split('.').slice(0, -1))),
);

/**
 * Reads a JSON document of rules, or an export that has rules, from a file or a stream. Unpacks gzip. The members of an export become null.
 * O(n) of time, and of memory for everything outside the members.
 * @param name of the source, for messages.
 * @throws InvalidInputError when it cannot be read, has more than `maxBytes` of text (64 MiB) or more than 1 MiB outside its members, or is not
 * one JSON document with at most 100 levels.
 */
export async function readRulesFile(
  from: string | Readable,
  name = typeof from === 'string' ? from : 'stdin',
  maxBytes = MAX_BYTES,
): Promise<unknown> {
  const source = await openSource(from, undefined, name);
  const reader = new RulesReader(name);
  async function* bounded(): AsyncGenerator<string> {
    let size = 0;
    for await (const piece of readSource(source, undefined)) {
      size += Buffer.byteLength(piece);
      if (size > maxBytes)
        throw new InvalidInputError(`${name} is above ${maxBytes >> 20} MiB: it is no file of rules`);
      yield piece;
    }
  }
  try {
    for await (const _ of parseJson(bounded(), name, reader, () => undefined));
  } finally {
    await source.close();
  }
  return reader.value;
}

/** Puts a document together, with null in place of members. */
class RulesReader implements TokenTaker {
  readonly count = 0;
  readonly isAssembling = false;
  private readonly tracker = new PathTracker();
  private readonly document = new Assembler<unknown>();
  private isSkipping = false;
  private kept = 0;
  private scalar: { readonly value: unknown } | undefined;
  private hasEnded = false;

  constructor(private readonly name: string) {}

  get depth(): number {
    return this.tracker.depth;
  }

  /** The document. @throws InvalidInputError for an empty text. */
  get value(): unknown {
    if (!this.hasEnded) throw new InvalidInputError(`${this.name} is not valid JSON: it is empty`);
    return this.scalar ? this.scalar.value : this.document.current;
  }

  take(token: Token): void {
    if (this.hasEnded)
      throw new InvalidInputError(`${this.name} is not valid JSON: it goes on after the end of the document`);
    const { tracker } = this;
    const isMembers = tracker.depth === 1 && isStart(token) && tracker.outer === '' && MEMBERS.has(tracker.key);
    if (isMembers) {
      this.isSkipping = true;
      this.document.consume({ name: 'nullValue', value: null });
    }
    tracker.follow(token);
    if (!this.isSkipping) this.keep(token);
    else if (isEnd(token) && tracker.depth === 1) this.isSkipping = false;
    this.hasEnded = tracker.depth === 0;
  }

  private keep(token: Token): void {
    this.kept += 2 + ('value' in token ? String(token.value).length : 0);
    if (this.kept > MAX_KEPT)
      throw new InvalidInputError(`${this.name} has more than 1 MiB beside members: it is no file of rules`);
    if (this.tracker.depth > 0 || isEnd(token)) this.document.consume(token);
    else if ('value' in token)
      this.scalar = { value: token.name === 'numberValue' ? Number(token.value) : token.value };
  }
}
