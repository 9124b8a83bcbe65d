import { expect, it } from 'vitest';
import { parseOrigins, splitOrigins } from '../../../../src/core/access/origins.ts';
import { InvalidInputError } from '../../../../src/core/errors.ts';

it('parses origins separated by commas and spaces, each once, in their order', () => {
  expect(parseOrigins('')).toEqual([]);
  expect(parseOrigins(' https://b.example,, http://a.example:3000\n https://b.example ')).toEqual([
    'https://b.example',
    'http://a.example:3000',
  ]);
});

it('takes hosts of every kind that a browser names', () => {
  const origins = [
    'http://localhost:3000',
    'https://xn--bcher-kva.example',
    'http://192.0.2.1',
    'http://[2001:db8::1]:8080',
  ];
  expect(parseOrigins(origins.join(' '))).toEqual(origins);
});

it.each([`https://a';id;'b`, 'https://a$b', 'https://a(b)', 'https://a&b', 'https://a!b', 'https://a_b`c'])(
  'refuses %s, which a shell would not take as text',
  (wrong) => {
    expect(() => parseOrigins(wrong)).toThrow('is not an origin: give scheme, host and port only');
  },
);

it.each(['a.example', 'https://a.example/', 'https://a.example/x', 'https://A.example', '*', 'null', 'ws://a.example'])(
  'refuses %s with an example of an origin',
  (wrong) => {
    expect(() => parseOrigins(`https://ok.example ${wrong}`)).toThrow(InvalidInputError);
    expect(() => parseOrigins(`https://ok.example ${wrong}`)).toThrow(
      `"${wrong}" is not an origin: give scheme, host and port only, such as https://example.com`,
    );
  },
);

it.each(['https://*.example', 'https://*', 'http://a.*:80'])(
  'refuses the wildcard in %s, which would never match',
  (wrong) => {
    expect(() => parseOrigins(`https://ok.example ${wrong}`)).toThrow(
      `"${wrong}" has a wildcard, which is not supported: list each origin, such as https://www.example.com`,
    );
  },
);

it('refuses an origin that is not of a web page', () => {
  expect(() => parseOrigins('ftp://a.example')).toThrow(InvalidInputError);
});

it('splits the stored form', () => {
  expect(splitOrigins('https://a.example https://b.example')).toEqual(['https://a.example', 'https://b.example']);
  expect(splitOrigins('')).toEqual([]);
});

it('takes 20 origins with 2,000 bytes, and refuses more with the advice to make a second key', () => {
  const origins = (count: number) => Array.from({ length: count }, (_, i) => `https://${i}.example`);
  expect(parseOrigins([...origins(20), 'https://0.example'].join(' '))).toHaveLength(20);
  expect(() => parseOrigins(origins(21).join(' '))).toThrow(
    /20 origins and 2000 bytes of them at most, not 21 with \d+ bytes: make a second key for the others/,
  );
  expect(parseOrigins(`https://${'a'.repeat(1992)}`)).toHaveLength(1);
  expect(() => parseOrigins(`https://${'a'.repeat(1993)}`)).toThrow('not 1 with 2001 bytes');
});
