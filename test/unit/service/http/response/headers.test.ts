import { expect, it } from 'vitest';
import { headerBlock, joinBlocks } from '../../../../../src/service/http/response/headers.ts';

const LIST = ['X-Request-Id', 'r-1', 'RateLimit', '"hourly";r=4;t=1', 'X-Url', 'a: b://c'];

it('a block of headers holds them as a list and as lines', () => {
  const lines = 'X-Request-Id: r-1\r\nRateLimit: "hourly";r=4;t=1\r\nX-Url: a: b://c\r\n';
  expect(headerBlock(...LIST)).toEqual({ list: LIST, lines });
  expect(headerBlock()).toEqual({ list: [], lines: '' });
  expect(joinBlocks(headerBlock(...LIST), headerBlock(), headerBlock('A', 'b'))).toEqual(
    headerBlock(...LIST, 'A', 'b'),
  );
});
