import { readFileSync } from 'node:fs';

/** Code points of Unicode. */
const CODE_POINTS = 0x110000;
/** The two formats of a table of characters that today's fonts have: for 16 bits, and for all of Unicode. */
const SEGMENTS = 4;
const GROUPS = 12;

/** Returns whether one of the fonts has a character, by its code point. O(1). */
export type HasCharacter = (codePoint: number) => boolean;

/**
 * Reads which characters fonts have. O(bytes of the fonts), 140 kB are kept.
 * @param files TrueType, OpenType, and collections of them.
 * @throws Error for a file that cannot be read.
 */
export function charactersOf(files: readonly string[]): HasCharacter {
  const bits = new Uint8Array(CODE_POINTS / 8);
  const add = (codePoint: number): void => {
    bits[codePoint >> 3] = (bits[codePoint >> 3] ?? 0) | (1 << (codePoint & 7));
  };
  for (const file of files) {
    const bytes = readFileSync(file);
    for (const font of fontsIn(bytes)) readCharacters(bytes, font, add);
  }
  return (codePoint) => ((bits[codePoint >> 3] ?? 0) & (1 << (codePoint & 7))) !== 0;
}

/** Returns where the fonts of a file begin: https://learn.microsoft.com/typography/opentype/spec/otff. */
function fontsIn(bytes: Buffer): number[] {
  if (bytes.toString('latin1', 0, 4) !== 'ttcf') return [0];
  return Array.from({ length: bytes.readUInt32BE(8) }, (_, at) => bytes.readUInt32BE(12 + 4 * at));
}

/** Reads the tables of characters of one font: https://learn.microsoft.com/typography/opentype/spec/cmap. */
function readCharacters(bytes: Buffer, font: number, add: (codePoint: number) => void): void {
  for (let at = 0; at < bytes.readUInt16BE(font + 4); at++) {
    const record = font + 12 + 16 * at;
    if (bytes.toString('latin1', record, record + 4) !== 'cmap') continue;
    const table = bytes.readUInt32BE(record + 8);
    for (let index = 0; index < bytes.readUInt16BE(table + 2); index++) {
      const start = table + bytes.readUInt32BE(table + 8 + 8 * index);
      const format = bytes.readUInt16BE(start);
      if (format === SEGMENTS) readSegments(bytes, start, add);
      if (format === GROUPS) readGroups(bytes, start, add);
    }
  }
}

/** Reads four lists of one number for each segment: the ends, the starts, the deltas of glyphs, and the places of lists of glyphs. */
function readSegments(bytes: Buffer, start: number, add: (codePoint: number) => void): void {
  const listBytes = bytes.readUInt16BE(start + 6);
  for (let at = 0; at < listBytes; at += 2) {
    const end = start + 14 + at;
    const begin = end + 2 + listBytes;
    const delta = bytes.readUInt16BE(begin + listBytes);
    const offsetAt = begin + 2 * listBytes;
    const offset = bytes.readUInt16BE(offsetAt);
    const first = bytes.readUInt16BE(begin);
    for (let code = first; code <= bytes.readUInt16BE(end); code++) {
      // The last segment ends with a code that stands for no character, and may lead out of the table.
      if (code === 0xffff) break;
      const listed = offset === 0 ? code : bytes.readUInt16BE(offsetAt + offset + 2 * (code - first));
      const glyph = listed === 0 ? 0 : (listed + delta) & 0xffff;
      if (glyph !== 0) add(code);
    }
  }
}

/** Reads groups of three numbers: the first character, the last character, and the first glyph. */
function readGroups(bytes: Buffer, start: number, add: (codePoint: number) => void): void {
  for (let group = 0; group < bytes.readUInt32BE(start + 12); group++) {
    const at = start + 16 + 12 * group;
    const last = Math.min(bytes.readUInt32BE(at + 4), CODE_POINTS - 1);
    for (let code = bytes.readUInt32BE(at); code <= last; code++) add(code);
  }
}
