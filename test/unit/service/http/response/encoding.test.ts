import { expect, it } from 'vitest';
import { chooseEncoding } from '../../../../../src/service/http/response/encoding.ts';

it.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate, zstd', undefined],
  ['gzip', 'gzip'],
  ['GZip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1.0, br;q=0.9', 'gzip'],
  ['gzip; q=0.4 ,br ; q=0.5', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0,gzip;q=0.000', undefined],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['gzip, *;q=0', 'gzip'],
  ['identity;q=1, gzip;q=0.5', undefined],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['identity;q=0, gzip', 'gzip'],
  ['gzip;level=1;q=0', undefined],
  ['gzip;q=much', undefined],
])('the Accept-Encoding "%s" gets the coding %s', (accepted, encoding) => {
  expect(chooseEncoding(accepted, ['br', 'gzip'])).toBe(encoding);
});
