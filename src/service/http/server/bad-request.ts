import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { methodNotAllowed, Problem } from '../response/problem.ts';

/** The response to a request that does not reach the application. */
const BAD_REQUEST = { status: 400, title: 'Bad Request', detail: 'The request is not valid HTTP/1.1.' };

/** The other responses, by the error code of the parser. */
const BY_CODE: Readonly<Record<string, typeof BAD_REQUEST>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    title: 'Request Header Fields Too Large',
    detail: 'The request line and headers are longer than 16 KiB.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, title: 'Request Timeout', detail: 'The request took too long to arrive.' },
};

/** An error of Node about a request that it cannot parse. */
export interface ParseError extends NodeJS.ErrnoException {
  /** The bytes that Node was parsing. */
  readonly rawPacket?: Buffer;
}

/** Answers a request that Node cannot parse with a problem document, and closes the connection. @returns the status of the response. */
export function answerBadRequest(error: ParseError, socket: Duplex): number {
  const refusal = BY_CODE[error.code ?? ''] ?? BAD_REQUEST;
  const isHead = error.rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
  endWith(socket, `${refusal.status} ${refusal.title}`, [], bodyOf(refusal), isHead);
  return refusal.status;
}

/** Refuses CONNECT, and closes the connection. @returns the status of the response. */
export function answerConnect(socket: Duplex): number {
  const problem = methodNotAllowed();
  endWith(socket, `${problem.status} Method Not Allowed`, problem.extra.headers ?? [], problem.body('none'));
  return problem.status;
}

/** Answers a request for a malformed address with a problem document, and closes the connection. @returns the status of the response. */
export function answerBadTarget(res: ServerResponse): number {
  const body = bodyOf(BAD_REQUEST);
  res.writeHead(BAD_REQUEST.status, headersOf(body)).end(body);
  return BAD_REQUEST.status;
}

function bodyOf({ status, title, detail }: typeof BAD_REQUEST): string {
  const problem = new Problem('invalid_request', detail);
  return JSON.stringify({ ...JSON.parse(problem.body('none')), status, title });
}

function headersOf(body: string): string[] {
  return [
    'Content-Type',
    'application/problem+json',
    'Content-Length',
    String(Buffer.byteLength(body)),
    'Cache-Control',
    'no-store',
    'Connection',
    'close',
  ];
}

function endWith(socket: Duplex, status: string, own: readonly string[], body: string, isHead = false): void {
  const headers = [...own, ...headersOf(body)];
  let lines = '';
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  socket.end(`HTTP/1.1 ${status}\r\n${lines}\r\n${isHead ? '' : body}`);
}
