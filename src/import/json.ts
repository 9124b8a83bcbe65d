import { StringDecoder } from 'node:string_decoder';
import { getManyValues, isMany, none } from 'stream-chain/defs.js';
import Assembler from 'stream-json/assembler.js';
import { jsonParser, type Token } from 'stream-json/parser.js';
import { InvalidInputError, messageOf } from '../errors.ts';
import type { JsonLayout } from './formats.ts';
import { checkRow, type Entry, isObject } from './rows.ts';

/**
 * Reads the members of a JSON document, or of several one after the other, holding only a piece of it in memory. Numbers
 * are read as the digits in the file.
 * @throws InvalidInputError when it is not valid JSON, or has no place for members.
 */
export async function* readJson(
  chunks: AsyncIterable<Uint8Array>,
  layout: JsonLayout,
  file: string,
): AsyncGenerator<Entry[]> {
  const tokenize = tokenizer();
  const decoder = new StringDecoder();
  const walker = new ElementWalker(layout);
  const entriesOf = (text: string | undefined): Entry[] => {
    try {
      return walker.walk(tokenize(text));
    } catch (error) {
      const after = walker.count > 0 ? ` somewhere after element ${walker.count}` : '';
      throw new InvalidInputError(`${file} is not valid JSON${after}: ${messageOf(error)}`);
    }
  };
  let first = true;
  for await (const chunk of chunks) {
    let text = decoder.write(Buffer.from(chunk));
    if (first) text = text.replace(/^\uFEFF/, '');
    first &&= text === '';
    yield entriesOf(text);
  }
  yield entriesOf(undefined);
  if (!walker.found) {
    throw new InvalidInputError(`${file} has no ${layout.containers.join(' or ')}: is --format right?`);
  }
}

/** Returns a function from text to the tokens that it completes; undefined ends the document. */
export function tokenizer(): (text: string | undefined) => Token[] {
  const tokenize = jsonParser({ streamValues: false, jsonStreaming: true });
  return (text) => {
    // The library's type of a flushable function leaves out `none`, which ends the document.
    const result = tokenize(text ?? (none as never));
    return isMany(result) ? getManyValues<Token>(result) : [];
  };
}

const IS_START: ReadonlySet<string> = new Set(['startObject', 'startArray']);
const IS_END: ReadonlySet<string> = new Set(['endObject', 'endArray']);

/** Follows the tokens down to the members and assembles each of them. Skips everything else. */
class ElementWalker {
  /** Elements so far, in all documents. */
  count = 0;
  /** Whether there was a place for members, even an empty one. */
  found = false;
  private depth = 0;
  /** Depth of the members' values; 0 outside of them. */
  private memberDepth = 0;
  private key = '';
  private readonly element = new Assembler<unknown>({ numberAsString: true });
  private isAssembling = false;

  constructor(private readonly layout: JsonLayout) {}

  walk(tokens: readonly Token[]): Entry[] {
    const entries: Entry[] = [];
    for (const token of tokens) {
      if (this.isAssembling) this.assemble(token, entries);
      else this.step(token, entries);
    }
    return entries;
  }

  private step(token: Token, entries: Entry[]): void {
    const { name } = token;
    if (name === 'keyValue') {
      this.key = token.value;
    } else if (IS_END.has(name)) {
      this.depth--;
      if (this.depth < this.memberDepth) this.memberDepth = 0;
    } else if (this.isMember(name)) {
      this.isAssembling = true;
      this.assemble(token, entries);
    } else if (IS_START.has(name)) {
      if (this.isContainer(name)) {
        this.memberDepth = this.depth + 1;
        this.found = true;
      }
      this.depth++;
    }
  }

  private isContainer(name: string): boolean {
    const { containers, keyedById } = this.layout;
    if (name !== (keyedById ? 'startObject' : 'startArray')) return false;
    return this.depth === 1 ? containers.includes(this.key) : this.depth === 0 && !keyedById;
  }

  private isMember(name: string): boolean {
    if (this.memberDepth > 0) return this.depth === this.memberDepth;
    // The document can be a plain map of ids, with keys for other things beside them.
    const bare = this.layout.keyedById && this.depth === 1 && /^\d+$/.test(this.key) && name !== 'startArray';
    if (bare) this.found = true;
    return bare === true;
  }

  private assemble(token: Token, entries: Entry[]): void {
    this.element.consume(token);
    if (!this.element.done) return;
    this.isAssembling = false;
    this.count++;
    entries.push({ at: this.count, row: this.rowOf(this.element.current) });
  }

  private rowOf(value: unknown): Entry['row'] {
    const { names, keyedById } = this.layout;
    if (keyedById) return checkRow({ ...(isObject(value) ? value : { [names.xp]: value }), id: this.key }, names);
    if (!isObject(value)) return 'it is not an object';
    return checkRow(names.username?.includes('.') ? flattened(value, names.username) : value, names);
  }
}

/** Returns the object with a copy of the nested field at `path` (such as user.username) at its top. */
function flattened(value: Record<string, unknown>, path: string): Record<string, unknown> {
  let nested: unknown = value;
  for (const key of path.split('.')) nested = isObject(nested) ? nested[key] : undefined;
  return { ...value, [path]: nested };
}
