import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import {
  RenderedBody,
  renderJson,
  renderStats,
  sizeInMemory,
  toBody,
} from '../../../../../src/service/http/response/rendered-body.ts';

/** Returns names and values of headers, which take turns in a list. The last pair of a list of odd length has no value. */
const pairsOf = (list: readonly string[]) =>
  list.flatMap((_, index) => (index % 2 === 0 ? [list.slice(index, index + 2)] : []));

it('a body holds one byte of its UTF-8 text in each character, and its headers tell how many', () => {
  const { body, etag, headers } = renderJson({ data: [], total: 0, page: 1, name: 'ü🦊' } as never);
  expect(Buffer.from(body, 'latin1').toString()).toBe('{"data":[],"total":0,"page":1,"name":"ü🦊"}');
  expect(etag).toMatch(/^"[\w-]{27}"$/);
  const length = Buffer.byteLength('{"data":[],"total":0,"page":1,"name":"ü🦊"}');
  expect(pairsOf(headers.list)).toEqual([
    ['ETag', etag],
    ['Content-Type', 'application/json; charset=utf-8'],
    ['Content-Length', `${length}`],
  ]);
});

it('equal content has an equal ETag, and other content has another', () => {
  const tag = (page: number) => renderJson({ data: [], total: 0, page }).etag;
  expect(tag(1)).toBe(tag(1));
  expect(tag(1)).not.toBe(tag(2));
});

it('statistics keep every digit of a total beyond 2^53', () => {
  const stats = { total_members: 3, average_level: 5, xp_curve: 'standard', xp_multiplier: 1.5 } as const;
  expect(renderStats({ ...stats, total_xp: 18014398509481985n }).body).toBe(
    '{"total_members":3,"total_xp":18014398509481985,"average_level":5,"xp_curve":"standard","xp_multiplier":1.5}',
  );
});

it('a large body is compressed once, with an ETag and a length of its own', () => {
  const whole = new RenderedBody('{"name":"ü"}'.repeat(200), '"tag"');
  const small = whole.encoded('gzip');
  expect(gunzipSync(Buffer.from(small.body, 'latin1')).toString('latin1')).toBe(whole.body);
  expect(pairsOf(small.headers.list)).toEqual([
    ['ETag', '"tag-gzip"'],
    ['Content-Type', 'application/json; charset=utf-8'],
    ['Content-Length', String(small.body.length)],
    ['Content-Encoding', 'gzip'],
  ]);
  expect(whole.encoded('gzip')).toBe(small);
});

it('a large body has one form for each coding, with the type and the further headers of the whole body', () => {
  const whole = toBody('<p>ü</p>'.repeat(300), 'text/html', ['Link', '</a.css>']);
  const decompress = { br: brotliDecompressSync, gzip: gunzipSync };
  for (const coding of ['br', 'gzip'] as const) {
    const { body, etag, headers } = whole.encoded(coding);
    expect(decompress[coding](Buffer.from(body, 'latin1')).toString()).toBe('<p>ü</p>'.repeat(300));
    expect(etag).toBe(`${whole.etag.slice(0, -1)}-${coding}"`);
    expect(pairsOf(headers.list)).toEqual([
      ['ETag', etag],
      ['Content-Type', 'text/html'],
      ['Content-Length', String(body.length)],
      ['Link', '</a.css>'],
      ['Content-Encoding', coding],
    ]);
  }
  expect(pairsOf(whole.headers.list)).toEqual([
    ['ETag', whole.etag],
    ['Content-Type', 'text/html'],
    ['Content-Length', String(300 * 9)],
    ['Link', '</a.css>'],
  ]);
});

it('a text has another ETag when one of its further headers changes, because a 304 does not carry them', () => {
  const tags = [undefined, ['Link', '</a.css>'], ['Link', '</b.css>']].map((more) => toBody('a', 'b', more).etag);
  expect(new Set(tags).size).toBe(tags.length);
});

it('a body is compressed when that saves half of it, and is sent as it is otherwise', () => {
  // Compressed, random bytes keep their length, and the same letters take almost none.
  const random = randomBytes(3000).toString('latin1');
  const compressed = (letters: number) => {
    const whole = new RenderedBody(random + 'x'.repeat(letters), '"tag"');
    return whole.encoded('gzip') !== whole;
  };
  expect([compressed(2500), compressed(3500)]).toEqual([false, true]);
});

it('the memory of a large body has room for its compressed form in both codings', () => {
  const whole = new RenderedBody('x'.repeat(2001), '"tag"');
  const compressed = 1001 + 1000;
  expect(sizeInMemory(whole)).toBe(2001 + 1000 + 2 * compressed);
});

it('a body is large from 2000 bytes on', () => {
  expect([1999, 2000].map((length) => new RenderedBody('x'.repeat(length), '"tag"').isLarge)).toEqual([false, true]);
});

it('the memory of a small body counts its text and what it keeps beside the text', () => {
  const small = new RenderedBody('x'.repeat(1999), '"tag"');
  expect(sizeInMemory(small)).toBe(1999 + 1000);
  expect(sizeInMemory(new RenderedBody('x', '"tag"', 'text/plain', [], 500))).toBe(1 + 500 + 1000);
});

it('a member that the cache knows as missing takes memory too', () => {
  expect(sizeInMemory(null)).toBe(1000);
});
