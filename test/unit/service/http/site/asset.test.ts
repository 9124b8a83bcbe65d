import { expect, it } from 'vitest';
import { asset, assetFile } from '../../../../../src/service/http/site/asset.ts';

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
