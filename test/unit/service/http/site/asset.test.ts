import { expect, it } from 'vitest';
import { asset, assetFile, typeOf } from '../../../../../src/service/http/site/asset.ts';

it('a text becomes its UTF-8 bytes, with an ETag by their content', () => {
  const one = asset('ü', 'text/plain');
  expect(one).toMatchObject({ body: Buffer.from([0xc3, 0xbc]), type: 'text/plain' });
  expect(one.etag).toMatch(/^"[\w-]{27}"$/);
  expect(asset(Buffer.from('ü'), 'text/plain').etag).toBe(one.etag);
  expect(asset('u', 'text/plain').etag).not.toBe(one.etag);
});

it('a file that the build left out is missed at the start', () => {
  expect(() => assetFile(new URL('none.css', import.meta.url))).toThrow('none.css');
});

it('a file has the media type of its ending, and any other file is plain text', () => {
  expect(['docs.css', 'page.min.html', 'widget.js', 'LICENSE', 'notes.txt'].map(typeOf)).toEqual([
    'text/css; charset=utf-8',
    'text/html; charset=utf-8',
    'text/javascript; charset=utf-8',
    'text/plain',
    'text/plain',
  ]);
});

it('two assets with the same content are compressed once', () => {
  const one = asset('shared', 'text/plain');
  const other = asset('shared', 'text/css');
  expect(other.compressed).toBe(one.compressed);
  expect(asset('else', 'text/plain').compressed).not.toBe(one.compressed);
});
