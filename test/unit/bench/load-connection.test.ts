import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readResponses } from '../../../scripts/bench/load-connection.ts';

const responses = [
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: "x"\r\n\r\nhello',
  'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n',
  'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 21\r\n\r\n\r\n\r\nContent-Length: 9',
];

describe('readResponses', () => {
  it('finds the end and status of each response for any split of the bytes', () => {
    const bytes = Buffer.from(responses.join('') + responses.join(''));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 }), (cuts) => {
        const seen: number[] = [];
        let from = 0;
        for (const end of [...cuts.sort((a, b) => a - b), bytes.length]) {
          from += readResponses(bytes.subarray(from, end), (status) => seen.push(status));
        }
        expect(seen).toEqual([200, 304, 404, 503, 200, 304, 404, 503]);
        expect(from).toBe(bytes.length);
      }),
    );
  });

  it('rejects a response without Content-Length', () => {
    const chunked = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    expect(() => readResponses(chunked, () => {})).toThrow('without Content-Length: HTTP/1.1 200 OK');
  });
});
