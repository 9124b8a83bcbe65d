import type { Token } from 'stream-json/parser.js';

/**
 * The place of a value in a JSON document: names with dots between. `*` stands for any element of an array, and `#` for a name that is an id.
 * Arrays in arrays are one `*`, and an array of documents adds nothing. So the members of MEE6 are at `players.*` in one page, in an array of
 * pages, and in pages that follow each other.
 */
export type JsonPlace = string;

/** Names of objects whose keys always count as ids, whatever they look like. */
const KEYED: ReadonlySet<string> = new Set(['users']);
const ID = /^\d{1,20}$/;

/** An object or array that is open. */
interface Frame {
  readonly isArray: boolean;
  /** The place of the object or array, and the place of the next value in it. */
  readonly place: JsonPlace;
  child: JsonPlace;
  /** The name of the value that comes next. */
  key: string;
  hasIds: boolean;
}

/** Follows the tokens of JSON texts, and knows the place of each value. */
export class PlaceTracker {
  private readonly frames: Frame[] = [];

  /** The number of objects and arrays that are open. */
  get depth(): number {
    return this.frames.length;
  }

  /** The place of the next value, or of the value that has just ended. */
  get place(): JsonPlace {
    return this.frames.at(-1)?.child ?? '';
  }

  /** The place of the object or array that has the next value; undefined at the top. */
  get outer(): JsonPlace | undefined {
    return this.frames.at(-1)?.place;
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
    return frame !== undefined && !frame.isArray && (frame.place === '' || frame.place === '*');
  }

  /** Follows a token that opens or closes an object or array, or is a name. */
  follow(token: Token): void {
    const frame = this.frames.at(-1);
    if (token.name === 'keyValue' && frame) {
      const base = frame.place === '*' ? '' : frame.place;
      frame.key = token.value;
      frame.hasIds = ID.test(token.value) || KEYED.has(base.slice(base.lastIndexOf('.') + 1));
      const segment = frame.hasIds ? '#' : token.value;
      frame.child = base === '' ? segment : `${base}.${segment}`;
    } else if (token.name === 'startArray') {
      const { place } = this;
      this.frames.push({ isArray: true, place, child: elementOf(place), key: '', hasIds: false });
    } else if (token.name === 'startObject') {
      this.frames.push({ isArray: false, place: this.place, child: '', key: '', hasIds: false });
    } else if (token.name === 'endArray' || token.name === 'endObject') this.frames.pop();
  }
}

/** Returns the place of the elements of an array. */
function elementOf(place: JsonPlace): JsonPlace {
  if (place === '') return '*';
  return place.endsWith('*') ? place : `${place}.*`;
}
