import type { Request, Response } from 'express';
import type { HeaderBlock } from './headers.ts';

const STATUS_LINES = { 200: 'HTTP/1.1 200 OK\r\n', 304: 'HTTP/1.1 304 Not Modified\r\n' } as const;

/** Node's own field for a formatted head, which its types do not name. */
interface WithHead {
  _header?: string | null;
}

/**
 * Writes a head; the body, if there is one, comes next.
 * @param own headers of this response alone, as a flat list.
 * @param blocks headers that are formatted already, with Content-Length unless it is a 304.
 */
export type WriteHead = (
  req: Request,
  res: Response,
  status: keyof typeof STATUS_LINES,
  own: readonly string[],
  blocks: readonly HeaderBlock[],
) => void;

/**
 * Returns a function that writes the heads of 200 and 304 responses as one text each. Node checks and joins a head header by header (hot
 * path, see ADR 11). Whatever Node would write differently goes through `writeHead`, and so does every head if Node does not take the text.
 */
export function rawHead(now: () => number, keepAliveMs: number): WriteHead {
  const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`;
  /** The end of a head on a connection that stays open, formatted for this second. */
  let ending = '';
  let second = Number.NaN;
  return (req, res, status, own, blocks) => {
    // HTTP/1.0, a connection that closes and a client that waits for "100 Continue" get other headers too: Node knows which.
    if (res.shouldKeepAlive && req.httpVersion === '1.1' && req.headers.expect === undefined) {
      const time = Math.floor(now() / 1000);
      if (time !== second) {
        second = time;
        ending = ['Date: ', new Date(time * 1000).toUTCString(), '\r\n', keepAlive].join('');
      }
      res.statusCode = status;
      let head: string = STATUS_LINES[status];
      for (let i = 0; i < own.length; i += 2) head += `${own[i]}: ${own[i + 1]}\r\n`;
      for (const { lines } of blocks) head += lines;
      (res as WithHead)._header = head + ending;
      // Node says here whether it took the text.
      if (res.headersSent) return;
    }
    res.writeHead(status, [...own, ...blocks.flatMap(({ list }) => list)]);
  };
}

/** Sends head and body in one write of one string; `end` with a body makes a vectored write of two (hot path, see ADR 11). */
export function sendWhole(res: Response, body: string): void {
  const { socket } = res;
  socket?.cork();
  res.write(body, 'latin1');
  socket?.uncork();
  res.end();
}
