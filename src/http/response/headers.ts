import type { Request, Response } from 'express';

/** Headers formatted once and sent many times, in the two forms in which Node takes them. */
export interface HeaderBlock {
  /** Name, value, name, value, ... */
  readonly list: readonly string[];
  /** One "Name: value" line each, with its line break. */
  readonly lines: string;
}

/** Formats headers from a flat list: name, value, ... No value holds a line break. */
export function headerBlock(...list: readonly string[]): HeaderBlock {
  const parts: string[] = [];
  for (let i = 0; i < list.length; i += 2) parts.push(list[i] as string, ': ', list[i + 1] as string, '\r\n');
  // Joined, because V8 keeps a text made by adding as a tree and walks it at each write (docs/adr/0011).
  return { list, lines: parts.join('') };
}

/** Joins blocks into one. */
export function joinBlocks(...blocks: readonly HeaderBlock[]): HeaderBlock {
  return headerBlock(...blocks.flatMap(({ list }) => list));
}

const STATUS_LINES = { 200: 'HTTP/1.1 200 OK\r\n', 304: 'HTTP/1.1 304 Not Modified\r\n' } as const;

/** Node's own field for a formatted head, which its types do not name. */
interface WithHead {
  _header?: string | null;
}

/**
 * Writes the heads of 200 and 304 answers as one text each. Node checks and joins a head header by header (hot path, see ADR 11).
 * Whatever Node would write differently goes through `writeHead`, and so does every head if Node does not take the text.
 */
export class RawHead {
  /** The headers that Node adds on a connection that stays open, formatted for {@link second}. */
  private connectionHeaders = '';
  /** Seconds since the epoch. */
  private second = Number.NaN;

  constructor(
    /** Milliseconds since the epoch. */
    private readonly now: () => number,
    /** Milliseconds that a connection may stay idle, as the server is told. */
    private readonly keepAliveMs: number,
  ) {}

  /**
   * Writes a head; the body, if there is one, comes next.
   * @param own headers of this answer alone, as a flat list.
   * @param blocks headers that are formatted already, with Content-Length unless it is a 304.
   */
  write(req: Request, res: Response, status: 200 | 304, own: readonly string[], blocks: readonly HeaderBlock[]): void {
    // HTTP/1.0, a connection that closes and a client that waits for "100 Continue" get other headers too: Node knows which.
    if (res.shouldKeepAlive && req.httpVersion === '1.1' && req.headers.expect === undefined) {
      res.statusCode = status;
      let head: string = STATUS_LINES[status];
      for (let i = 0; i < own.length; i += 2) head += `${own[i]}: ${own[i + 1]}\r\n`;
      for (const { lines } of blocks) head += lines;
      (res as WithHead)._header = head + this.ending();
      // Node says here whether it took the text.
      if (res.headersSent) return;
    }
    res.writeHead(status, [...own, ...blocks.flatMap(({ list }) => list)]);
  }

  private ending(): string {
    const second = Math.floor(this.now() / 1000);
    if (second !== this.second) {
      this.second = second;
      const date = new Date(second * 1000).toUTCString();
      const timeout = `timeout=${Math.floor(this.keepAliveMs / 1000)}`;
      const { lines } = headerBlock('Date', date, 'Connection', 'keep-alive', 'Keep-Alive', timeout);
      this.connectionHeaders = `${lines}\r\n`;
    }
    return this.connectionHeaders;
  }
}
