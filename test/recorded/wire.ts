import { connect, type Socket } from 'node:net';

/** How long an answer may take, in milliseconds: a request that never arrives whole is ended by the service after ten seconds. */
const PATIENCE_MS = 40_000;

/** Everything that came over one connection, and where each answer in it ends. */
export interface Received {
  readonly bytes: Buffer;
  /** The requests that were sent, one an answer; an interim answer (1xx) has none of its own. */
  readonly heads: readonly Head[];
}

/** The head of one answer within the bytes of a connection. */
export interface Head {
  readonly start: number;
  /** Where its body begins. */
  readonly body: number;
  readonly end: number;
}

/**
 * Sends requests over one connection and reads until everything has come: after the last answer, the sending side is ended
 * and what else comes, if anything, is read too.
 * @param requests bytes of each request.
 * @param pipelined sends them together; otherwise each waits for the answer before it.
 * @throws when an answer does not come.
 */
export async function exchange(port: number, requests: readonly Buffer[], pipelined: boolean): Promise<Received> {
  const connection = new Connection(connect(port, '127.0.0.1'));
  try {
    const heads: Head[] = [];
    if (pipelined) connection.socket.write(Buffer.concat(requests));
    for (const request of requests) {
      if (connection.isEnded) break;
      if (!pipelined) connection.socket.write(request);
      const isHead = request.subarray(0, 5).toString('latin1') === 'HEAD ';
      heads.push(...(await connection.answer(heads.at(-1)?.end ?? 0, isHead)));
    }
    const last = heads.at(-1);
    // An answer that says so is followed by the end of the connection, without anything done for it.
    const closes = last && /^connection: close/im.test(connection.text(last.start, last.body));
    if (!closes) connection.socket.end();
    await connection.until(() => connection.isEnded);
    return { bytes: connection.bytes, heads };
  } finally {
    connection.socket.destroy();
  }
}

class Connection {
  bytes: Buffer = Buffer.alloc(0);
  isEnded = false;
  private wake = () => {};

  constructor(readonly socket: Socket) {
    socket.on('data', (chunk) => {
      this.bytes = Buffer.concat([this.bytes, chunk]);
      this.wake();
    });
    // A reset is an end like any other: the service need not read what is no HTTP.
    socket.on('error', () => {});
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        this.isEnded = true;
        this.wake();
      });
    }
  }

  text(from: number, to: number): string {
    return this.bytes.toString('latin1', from, to);
  }

  /** Waits for a condition on what has come. */
  async until(fits: () => boolean): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    while (!fits()) {
      await new Promise<void>((resolve, reject) => {
        this.wake = resolve;
        signal.onabort = () => reject(new Error(`Waited in vain after ${JSON.stringify(this.text(0, 2000))}`));
      });
    }
  }

  /** Waits for the next answer, interim answers before it included. None when the connection ended before. */
  async answer(start: number, isHead: boolean): Promise<Head[]> {
    let end = -1;
    await this.until(() => {
      end = this.bytes.indexOf('\r\n\r\n', start);
      return end >= 0 || this.isEnded;
    });
    if (end < 0) return [];
    const body = end + 4;
    const text = this.text(start, body);
    const status = Number(text.slice(9, 12));
    if (status < 200) return [{ start, body, end: body }, ...(await this.answer(body, isHead))];
    const length = /^content-length: (\d+)/im.exec(text)?.[1];
    const isEmpty = isHead || status === 204 || status === 304;
    if (!isEmpty && length === undefined) throw new Error(`No Content-Length in ${text}`);
    const head = { start, body, end: isEmpty ? body : body + Number(length) };
    await this.until(() => this.bytes.length >= head.end || this.isEnded);
    return [head];
  }
}
