import type { Duplex } from 'node:stream';
import { Problem } from '../response/problem.ts';

/** Status and detail by the parser's error code. */
const BAD_REQUESTS: Record<string, [status: string, detail: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request line and headers are longer than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
};

interface ParseError extends NodeJS.ErrnoException {
  /** The bytes that Node was parsing. */
  readonly rawPacket?: Buffer;
}

/** Answers a request that Node cannot parse with a problem document, and closes the connection. */
export function answerBadRequest(error: ParseError, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, detail] = BAD_REQUESTS[error.code ?? ''] ?? ['400 Bad Request', 'The request is not valid HTTP/1.1.'];
  const problem = new Problem('invalid_request', detail);
  const body = JSON.stringify({
    ...JSON.parse(problem.body('none')),
    status: Number(status.slice(0, 3)),
    title: status.slice(4),
  });
  const isHead = error.rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Cache-Control: no-store\r\nConnection: close\r\n\r\n${isHead ? '' : body}`,
  );
}
