import { connect } from 'node:net';

/** An answer as it was received. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/**
 * Sends bytes over a new connection and reads until the other side closes.
 * @param thenEnd ends the sending side at once: Node then drops the requests that it has not answered yet.
 * @returns the answers in order.
 * @throws when nothing happens for half a minute.
 */
export function rawExchange(port: number, bytes: Buffer, thenEnd = true): Promise<RawAnswer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setTimeout(30_000, () => {
      socket.destroy();
      reject(new Error(`Neither an answer nor an end to ${JSON.stringify(bytes.toString('latin1').slice(0, 500))}`));
    });
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    // A reset counts as a close: the service need not read bytes that are not HTTP.
    socket.on('error', () => {});
    socket.on('close', () => resolve(parse(text)));
    if (thenEnd) socket.end(bytes);
    else socket.write(bytes);
  });
}

function parse(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) break;
    const head = text.slice(at, end);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? Number.NaN);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    answers.push({ status, head, body: text.slice(end + 4, end + 4 + length) });
    // Node's own refusal of a request without a Host is chunked and empty.
    const trailer = /^transfer-encoding: chunked/im.test(head) ? '0\r\n\r\n'.length : 0;
    at = end + 4 + length + trailer;
  }
  return answers;
}
