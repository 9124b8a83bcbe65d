import { expect, it } from 'vitest';
import { parseOrigins, splitOrigins } from '../../../../src/core/access/origins.ts';
import { InvalidInputError } from '../../../../src/core/errors.ts';

it('origins are separated by commas and spaces, and kept once each, in their order', () => {
  expect(parseOrigins('')).toEqual([]);
  expect(parseOrigins(' https://b.example,, http://a.example:3000\n https://b.example ')).toEqual([
    'https://b.example',
    'http://a.example:3000',
  ]);
});

it('hosts of every kind that a browser names are taken', () => {
  const origins = [
    'http://localhost:3000',
    'https://xn--bcher-kva.example',
    'http://192.0.2.1',
    'http://[2001:db8::1]:8080',
  ];
  expect(parseOrigins(origins.join(' '))).toEqual(origins);
});

it.each([`https://a';id;'b`, 'https://a$b', 'https://a(b)', 'https://a&b', 'https://a!b', 'https://a_b`c'])(
  'the origin %s is refused, because a shell would not take it as text',
  (wrong) => {
    expect(() => parseOrigins(wrong)).toThrow('is not an origin: give scheme, host and port only');
  },
);

it.each(['a.example', 'https://a.example/', 'https://a.example/x', 'https://A.example', '*', 'null', 'ws://a.example'])(
  'the origin %s is refused with an example',
  (wrong) => {
    expect(() => parseOrigins(`https://ok.example ${wrong}`)).toThrow(InvalidInputError);
    expect(() => parseOrigins(`https://ok.example ${wrong}`)).toThrow(
      `"${wrong}" is not an origin: give scheme, host and port only, such as https://example.com`,
    );
  },
);

it.each(['https://*.example', 'https://*', 'http://a.*:80'])(
  'the wildcard in %s is refused, because it would never match',
  (wrong) => {
    expect(() => parseOrigins(`https://ok.example ${wrong}`)).toThrow(
      `"${wrong}" has a wildcard, which is not supported: list each origin, such as https://www.example.com`,
    );
  },
);

it('an origin that is not of a web page is refused', () => {
  expect(() => parseOrigins('ftp://a.example')).toThrow(InvalidInputError);
});

it('the stored form is split into its origins', () => {
  expect(splitOrigins('https://a.example https://b.example')).toEqual(['https://a.example', 'https://b.example']);
  expect(splitOrigins('')).toEqual([]);
});

it('20 origins with 2,000 bytes are taken, and more are refused with the advice to make a second key', () => {
  const origins = (count: number) => Array.from({ length: count }, (_, i) => `https://${i}.example`);
  expect(parseOrigins([...origins(20), 'https://0.example'].join(' '))).toHaveLength(20);
  expect(() => parseOrigins(origins(21).join(' '))).toThrow(
    /at most 20 origins, with 2000 bytes together, not 21 with \d+ bytes: make a second key for the other origins/,
  );
  expect(parseOrigins(`https://${'a'.repeat(1992)}`)).toHaveLength(1);
  expect(() => parseOrigins(`https://${'a'.repeat(1993)}`)).toThrow('not 1 with 2001 bytes');
});
