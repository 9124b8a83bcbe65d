import { getManyValues, isMany, none } from 'stream-chain/defs.js';
import { jsonParser, type Token } from 'stream-json/parser.js';
import { InvalidInputError, messageOf } from '../core/errors.ts';
import { MAX_DEPTH } from './nesting.ts';

/** Most characters of an element or value. No member needs more, and without a limit, a value that never ends would fill the memory. */
const MAX_VALUE = 1 << 20;

/** Takes the tokens of a JSON text, in order. */
export interface TokenTaker {
  take(token: Token): void;
  /** Whether a value is being assembled: its tokens stay in memory until its end. */
  readonly isAssembling: boolean;
  /** The depth of nesting of the current token. */
  readonly depth: number;
  /** Elements so far, for messages. */
  readonly count: number;
}

/**
 * Parses a JSON text, or several that follow each other, piece by piece. Numbers stay the digits of the file.
 * @param after called after each piece. Its results are yielded.
 * @throws InvalidInputError when it is not valid JSON, has an element or value above 1 MiB, or nests deeper than 100 levels.
 */
export async function* parseJson<T>(
  chunks: AsyncIterable<string>,
  file: string,
  taker: TokenTaker,
  after: () => T,
): AsyncGenerator<T> {
  const tokenize = tokenizer();
  const refuse = (problem: string, detail = ''): never => {
    const position = taker.count > 0 ? ` somewhere after element ${taker.count}` : '';
    throw new InvalidInputError(`${file} ${problem}${position}${detail}`);
  };
  /** The line in which the next piece begins. */
  let lines = 1;
  let hasBegun = false;
  /** Characters since the end of the last complete value. */
  let open = 0;
  const parse = (text: string | undefined): T => {
    let tokens: Token[];
    const isFirst = !hasBegun;
    hasBegun = true;
    try {
      tokens = tokenize(text);
    } catch (error) {
      if (text === undefined) return refuse('is not valid JSON', ': it is cut off, and its end is missing');
      return refuse(
        'is not valid JSON',
        `: ${(isFirst && causeOf(text)) || `${messageOf(error)}, from line ${lines} on`}`,
      );
    }
    lines += (text?.split('\n').length ?? 1) - 1;
    const before = taker.count;
    for (const token of tokens) {
      taker.take(token);
      if (taker.depth > MAX_DEPTH) refuse(`is nested deeper than ${MAX_DEPTH} levels`);
    }
    // An element is in memory as a whole. Values that are skipped are in memory one token at a time.
    const isComplete = taker.isAssembling ? taker.count > before : tokens.length > 0;
    open = isComplete ? 0 : open + (text?.length ?? 0);
    if (open > MAX_VALUE) refuse('has more than 1 MiB without the end of a value');
    return after();
  };
  for await (const chunk of chunks) yield parse(chunk);
  yield parse(undefined);
}

/** Patterns of syntax that JSON does not have, and what each is. They are looked for outside of texts. */
const OTHER_SYNTAX = [
  ['\uFEFF', 'a byte order mark, which an editor puts at the beginning of a file: remove it between joined files'],
  ['//.*|/\\*', 'a comment, which JSON does not have: remove it'],
  [',(?=\\s*[}\\]])', 'a comma before the end of an object or array'],
  ["'", 'a text in the quotes of Python or JavaScript: write it with json.dumps or JSON.stringify'],
  ['\\b(?:NaN|Infinity)\\b', 'a number that JSON does not have: write null'],
  ['\\b(?:None|True|False)\\b', 'a word of Python: write it with json.dumps'],
  ['\\b(?:NumberLong|NumberInt|ObjectId|ISODate)\\(', "a word of MongoDB's shell: export it with mongoexport"],
] as const;
const TEXT_OR_OTHER = new RegExp(
  `"(?:[^"\\\\]|\\\\.)*"|${OTHER_SYNTAX.map(([pattern]) => `(${pattern})`).join('|')}`,
  'g',
);

/** A text that begins with an object, with at most one level of objects in it, and a comma after the object. */
const LIST_WITHOUT_ARRAY = /^\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}\s*,/;

/** Returns why a text is not valid JSON, with the line; undefined if the reason is unknown. @param text beginning of the document. */
function causeOf(text: string): string | undefined {
  if (LIST_WITHOUT_ARRAY.test(text))
    return 'a comma follows the first object, which is in no array: write [ before it, and ] at the end';
  for (const { index, 0: match, ...groups } of text.matchAll(TEXT_OR_OTHER)) {
    const kind = OTHER_SYNTAX.findIndex((_, at) => groups[at + 1] !== undefined);
    if (kind < 0) continue;
    const line = text.slice(0, index).split('\n').length;
    const column = index - text.lastIndexOf('\n', index - 1);
    return `line ${line}, character ${column} has ${match === '\uFEFF' ? 'U+FEFF' : match}, ${OTHER_SYNTAX[kind]?.[1]}`;
  }
  return undefined;
}

/**
 * Returns a function that takes the next piece of text and returns the tokens that are complete then. Call it with undefined at the end of the
 * document.
 */
export function tokenizer(): (text: string | undefined) => Token[] {
  const tokenize = jsonParser({ streamValues: false, jsonStreaming: true });
  return (text) => {
    // `none` ends the document. The types of the library leave it out.
    const result = tokenize(text ?? (none as never));
    return isMany(result) ? getManyValues<Token>(result) : [];
  };
}

/** Whether a token opens an object or array. */
export const isStart = ({ name }: Token): boolean => name === 'startObject' || name === 'startArray';
/** Whether a token closes an object or array. */
export const isEnd = ({ name }: Token): boolean => name === 'endObject' || name === 'endArray';
