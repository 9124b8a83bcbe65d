import { StringDecoder } from 'node:string_decoder';
import { getManyValues, isMany, none } from 'stream-chain/defs.js';
import Assembler from 'stream-json/assembler.js';
import { jsonParser, type Token } from 'stream-json/parser.js';
import { InvalidInputError } from '../errors.ts';
import type { JsonLayout } from './formats.ts';
import { checkRow, type Entry } from './rows.ts';

/**
 * Reads the members of a JSON document, or of several one after the other, without holding more than a piece of it.
 * Numbers are taken as the digits that the file has.
 * @param onWarning is told what a person should know of the rest of the document.
 * @throws InvalidInputError when it is no valid JSON, or has no members where the layout says.
 */
export async function* readJson(
  chunks: AsyncIterable<Uint8Array>,
  layout: JsonLayout,
  file: string,
  onWarning: (text: string) => void,
): AsyncGenerator<Entry[]> {
  const tokenize = tokenizer();
  const decoder = new StringDecoder();
  const walker = new ElementWalker(layout, (text) => onWarning(`${file}: ${text}`));
  const entriesOf = (text: string | undefined): Entry[] => {
    try {
      return walker.walk(tokenize(text));
    } catch (error) {
      const after = walker.count > 0 ? ` somewhere after element ${walker.count}` : '';
      throw new InvalidInputError(`${file} is not valid JSON${after}: ${(error as Error).message}`);
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

/** A function from text to the tokens it completes; undefined ends the document. */
export function tokenizer(): (text: string | undefined) => Token[] {
  const tokenize = jsonParser({ streamValues: false, jsonStreaming: true });
  return (text) => {
    const result: unknown = tokenize(text ?? (none as never));
    return isMany(result) ? getManyValues(result as Parameters<typeof getManyValues<Token>>[0]) : [];
  };
}

const IS_START: ReadonlySet<string> = new Set(['startObject', 'startArray']);
const IS_END: ReadonlySet<string> = new Set(['endObject', 'endArray']);

/** Follows the tokens down to the members and puts each of them together; whatever else there is it passes over. */
class ElementWalker {
  /** Elements met so far, all documents together. */
  count = 0;
  /** Whether there was a place for members at all, be it empty. */
  found = false;
  private depth = 0;
  /** Depth at which the members' values stand; 0 while outside of them. */
  private memberDepth = 0;
  private key = '';
  private readonly element = new Assembler<unknown>({ numberAsString: true });
  private assembling: 'member' | 'aside' | undefined;

  constructor(
    private readonly layout: JsonLayout,
    private readonly onWarning: (text: string) => void,
  ) {}

  walk(tokens: readonly Token[]): Entry[] {
    const entries: Entry[] = [];
    for (const token of tokens) {
      if (this.assembling) this.assemble(token, entries);
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
      this.assembling = 'member';
      this.assemble(token, entries);
    } else if (name === 'startObject' && this.depth === 1 && this.key === this.layout.metadata?.key) {
      this.assembling = 'aside';
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
    // A bare map of ids, beside which a file may have keys for other things.
    const bare = this.layout.keyedById && this.depth === 1 && /^\d+$/.test(this.key) && name !== 'startArray';
    if (bare) this.found = true;
    return bare === true;
  }

  private assemble(token: Token, entries: Entry[]): void {
    this.element.consume(token);
    if (!this.element.done) return;
    const kind = this.assembling;
    this.assembling = undefined;
    if (kind === 'aside') {
      const warning = this.layout.metadata?.warning(this.element.current);
      if (warning !== undefined) this.onWarning(warning);
      return;
    }
    this.count++;
    entries.push({ at: this.count, row: this.rowOf(this.element.current) });
  }

  private rowOf(value: unknown) {
    const { names, keyedById } = this.layout;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (keyedById) return checkRow({ [names.xp]: isObject ? (value as never)[names.xp] : value, id: this.key }, names);
    if (!isObject) return 'it is not an object';
    return checkRow(names.username?.includes('.') ? flattened(value, names.username) : (value as never), names);
  }
}

/** The object with the nested field at `path` (such as user.username) at its top. */
function flattened(value: object, path: string): Record<string, unknown> {
  let nested: unknown = value;
  for (const key of path.split('.')) nested = (nested as Record<string, unknown> | null | undefined)?.[key];
  return { ...value, [path]: nested };
}
