import { getManyValues, isMany, none } from 'stream-chain/defs.js';
import Assembler from 'stream-json/assembler.js';
import { jsonParser, type Token } from 'stream-json/parser.js';
import { InvalidInputError, messageOf } from '../core/errors.ts';
import type { Advice } from './advice.ts';
import type { JsonLayout } from './formats.ts';
import { MAX_DEPTH } from './nesting.ts';
import { checkRow, type Entry, isObject } from './rows.ts';

/** No member needs a longer element or value. It bounds the memory of one that does not end. */
const MAX_VALUE = 1 << 20;

/**
 * Reads the members of a JSON document, or of several one after the other, holding only a piece of it in memory. Numbers
 * are read as the digits in the file.
 * @throws InvalidInputError when it is not valid JSON, has no place for members, has an element or value above 1 MiB, or nests deeper than
 * 100 levels.
 */
export async function* readJson(
  chunks: AsyncIterable<string>,
  layout: JsonLayout,
  file: string,
  advice: Advice,
): AsyncGenerator<Entry[]> {
  const tokenize = tokenizer();
  const walker = new ElementWalker(layout);
  const refuse = (problem: string, detail = ''): never => {
    const after = walker.count > 0 ? ` somewhere after element ${walker.count}` : '';
    throw new InvalidInputError(`${file} ${problem}${after}${detail}`);
  };
  /** Characters since the last value that is complete. */
  let open = 0;
  const entriesOf = (text: string | undefined): Entry[] => {
    let tokens: Token[];
    try {
      tokens = tokenize(text);
    } catch (error) {
      return refuse('is not valid JSON', `: ${messageOf(error)}`);
    }
    const entries = walker.walk(tokens);
    // An element counts as a whole; of what is skipped, each token alone is kept in memory.
    const isComplete = walker.isAssembling ? entries.length > 0 : tokens.length > 0;
    open = isComplete ? 0 : open + (text?.length ?? 0);
    if (walker.deepest > MAX_DEPTH) refuse(`is nested deeper than ${MAX_DEPTH} levels`);
    if (open > MAX_VALUE) refuse('has more than 1 MiB without the end of a value');
    return entries;
  };
  for await (const chunk of chunks) yield entriesOf(chunk);
  yield entriesOf(undefined);
  if (!walker.found) {
    throw new InvalidInputError(`${file} has no ${layout.containers.join(' or ')}: ${advice.checkFormat}`);
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
  /** The deepest level so far. */
  deepest = 0;
  private depth = 0;
  /** Depth of the members' values; 0 outside of them. */
  private memberDepth = 0;
  private key = '';
  private readonly element = new Assembler<unknown>({ numberAsString: true });
  /** Whether an element has begun and not ended. */
  isAssembling = false;

  constructor(private readonly layout: JsonLayout) {}

  walk(tokens: readonly Token[]): Entry[] {
    const entries: Entry[] = [];
    for (const token of tokens) {
      if (this.isAssembling) this.assemble(token, entries);
      else this.step(token, entries);
      this.deepest = Math.max(this.deepest, this.depth + this.element.depth);
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
