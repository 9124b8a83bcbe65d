import type { Token } from 'stream-json/parser.js';

/**
 * The path of a value in a JSON document: names with dots between. `*` stands for any element of an array, and `#` for a name that is an id.
 * Arrays in arrays are one `*`, and an array of documents adds nothing. So the members of MEE6 are at `players.*` in one page, in an array of
 * pages, and in pages that follow each other.
 */
export type JsonPath = string;

/** Names of objects whose keys always count as ids, whatever they look like. */
const KEYED: ReadonlySet<string> = new Set(['users']);
const ID = /^\d{1,20}$/;

/** An object or array that is open. */
interface Frame {
  readonly isArray: boolean;
  /** The path of the object or array, and the path of the next value in it. */
  readonly path: JsonPath;
  child: JsonPath;
  /** The name of the value that comes next. */
  key: string;
  hasIds: boolean;
}

/** Follows the tokens of JSON texts, and knows the path of each value. */
export class PathTracker {
  private readonly frames: Frame[] = [];

  /** The number of objects and arrays that are open. */
  get depth(): number {
    return this.frames.length;
  }

  /** The path of the next value, or of the value that has just ended. */
  get path(): JsonPath {
    return this.frames.at(-1)?.child ?? '';
  }

  /** The path of the object or array that has the next value; undefined at the top. */
  get outer(): JsonPath | undefined {
    return this.frames.at(-1)?.path;
  }

  /** Whether the value that comes next is in an array. */
  get isInArray(): boolean {
    return this.frames.at(-1)?.isArray ?? false;
  }

  /** The name of the value that comes next, in an object. */
  get key(): string {
    return this.frames.at(-1)?.key ?? '';
  }

  /** The ids in the names of the objects around it, the outermost first. */
  get ids(): readonly string[] {
    return this.frames.filter(({ hasIds }) => hasIds).map(({ key }) => key);
  }

  /** Whether the object around the next value is a document, or a page in an array of pages. */
  get isInDocument(): boolean {
    const frame = this.frames.at(-1);
    return frame !== undefined && !frame.isArray && (frame.path === '' || frame.path === '*');
  }

  /** Follows a token that opens or closes an object or array, or is a name. */
  follow(token: Token): void {
    const frame = this.frames.at(-1);
    if (token.name === 'keyValue' && frame) {
      const base = frame.path === '*' ? '' : frame.path;
      frame.key = token.value;
      frame.hasIds = ID.test(token.value) || KEYED.has(base.slice(base.lastIndexOf('.') + 1));
      const segment = frame.hasIds ? '#' : token.value;
      frame.child = base === '' ? segment : `${base}.${segment}`;
    } else if (token.name === 'startArray') {
      const { path } = this;
      this.frames.push({ isArray: true, path, child: elementOf(path), key: '', hasIds: false });
    } else if (token.name === 'startObject') {
      this.frames.push({ isArray: false, path: this.path, child: '', key: '', hasIds: false });
    } else if (token.name === 'endArray' || token.name === 'endObject') this.frames.pop();
  }
}

/** Returns the path of the elements of an array. */
function elementOf(path: JsonPath): JsonPath {
  if (path === '') return '*';
  return path.endsWith('*') ? path : `${path}.*`;
}
