import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import {
  RenderedBody,
  renderJson,
  renderStats,
  sizeInMemory,
} from '../../../../../src/service/http/response/rendered-body.ts';

it('a body holds one byte of its UTF-8 text in each character, and its headers tell how many', () => {
  const { body, etag, headers } = renderJson({ data: [], total: 0, page: 1, name: 'ü🦊' } as never);
  expect(Buffer.from(body, 'latin1').toString()).toBe('{"data":[],"total":0,"page":1,"name":"ü🦊"}');
  expect(etag).toMatch(/^"[\w-]{27}"$/);
  const length = Buffer.byteLength('{"data":[],"total":0,"page":1,"name":"ü🦊"}');
  expect(headers.list).toEqual([
    ...['ETag', etag, 'Content-Type', 'application/json; charset=utf-8', 'Content-Length', `${length}`],
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
  expect(small.headers.list).toEqual([
    ...['ETag', '"tag-gzip"', 'Content-Type', 'application/json; charset=utf-8'],
    ...['Content-Length', String(small.body.length), 'Content-Encoding', 'gzip'],
  ]);
  expect(whole.encoded('gzip')).toBe(small);
});

it('a body that would not be half as long is sent as it is', () => {
  const whole = new RenderedBody(randomBytes(4000).toString('latin1'), '"tag"');
  expect(whole.encoded('gzip')).toBe(whole);
});

it('the memory of a large body has room for its compressed form', () => {
  const whole = new RenderedBody('x'.repeat(2000), '"tag"');
  expect(whole.isLarge).toBe(true);
  expect(sizeInMemory(whole)).toBeGreaterThanOrEqual(2000 + 1000);
  const small = new RenderedBody('x'.repeat(1999), '"tag"');
  expect(small.isLarge).toBe(false);
  expect(sizeInMemory(small)).toBe(1999 + 1000);
});
