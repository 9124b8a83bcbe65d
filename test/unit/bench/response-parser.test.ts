import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseParser } from '../../../scripts/bench/response-parser.ts';

const responses = [
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: "x"\r\n\r\nhello',
  'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n',
  'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 21\r\n\r\n\r\n\r\nContent-Length: 9',
];

describe('ResponseParser', () => {
  it('finds the end and status of each response for any split of the bytes', () => {
    const bytes = Buffer.from(responses.join('') + responses.join(''));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 }), (cuts) => {
        const seen: number[] = [];
        const parser = new ResponseParser((status) => seen.push(status));
        const reused = Buffer.alloc(bytes.length);
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        for (let i = 1; i < edges.length; i++) {
          // The buffer is reused for each chunk, as a socket does, and keeps earlier bytes after the new ones.
          const length = bytes.copy(reused, 0, edges[i - 1] as number, edges[i] as number);
          parser.push(reused, length);
        }
        expect(seen).toEqual([200, 304, 404, 503, 200, 304, 404, 503]);
      }),
    );
  });

  it('rejects a response without Content-Length', () => {
    const parser = new ResponseParser(() => {});
    expect(() => parser.push(Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'))).toThrow(
      'without Content-Length: HTTP/1.1 200 OK',
    );
  });
});
