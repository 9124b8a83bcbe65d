import type { Request, Response } from 'express';

const STATUS_LINES = { 200: 'HTTP/1.1 200 OK\r\n', 304: 'HTTP/1.1 304 Not Modified\r\n' } as const;

/**
 * Headers as lines of text, from a flat list: name, value, ... Joined, because V8 keeps a text made by adding as the tree of its parts,
 * and walks over it each time the text is written.
 */
export function headerLines(...list: readonly string[]): string {
  return list.map((part, i) => (i % 2 === 0 ? `${part}: ` : `${part}\r\n`)).join('');
}

/** Lines of headers as the flat list that `writeHead` takes. */
export function headerList(lines: string): string[] {
  return lines
    .split('\r\n')
    .slice(0, -1)
    .flatMap((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
}

/**
 * Writes the heads of answers. Node checks and joins a head header by header: for the answers that are the most by far, the head is put
 * together here, as one text, for 10 % of a request (docs/adr/0011).
 */
export class RawHead {
  /** What Node would add to each answer on a connection that stays open. */
  private ending = '';
  /** The second that it was made for, since the epoch. */
  private second = Number.NaN;

  constructor(
    /** Milliseconds since the epoch. */
    private readonly now: () => number,
    /** How long a connection may stay idle, as the server is told. */
    private readonly keepAliveMs: number,
  ) {}

  /**
   * Writes the head of a whole answer or of a 304; its body, if it has one, comes next.
   * @param lines as {@link headerLines} makes them, with Content-Length unless it is a 304. No value holds a line break.
   */
  write(req: Request, res: Response, status: 200 | 304, lines: string): void {
    // HTTP/1.0, a connection that closes and a client that waits for "100 Continue" get other headers too: Node knows which.
    if (res.shouldKeepAlive && req.httpVersion === '1.1' && req.headers.expect === undefined) {
      res.statusCode = status;
      // Where Node keeps a head until the first bytes of the body, or the end, take it along.
      (res as unknown as { _header: string })._header = STATUS_LINES[status] + lines + this.end();
      // Should a later Node keep it elsewhere, this says so, and the head is written the long way.
      if (res.headersSent) return;
    }
    res.writeHead(status, headerList(lines));
  }

  private end(): string {
    const second = Math.floor(this.now() / 1000);
    if (second !== this.second) {
      this.second = second;
      const keepAlive = ['Connection', 'keep-alive', 'Keep-Alive', `timeout=${Math.floor(this.keepAliveMs / 1000)}`];
      this.ending = [headerLines('Date', new Date(second * 1000).toUTCString(), ...keepAlive), '\r\n'].join('');
    }
    return this.ending;
  }
}
