const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = /\r\ncontent-length: *(\d+)/i;

/**
 * Finds the ends of the HTTP/1.1 responses on one connection. It reads only the status and Content-Length, because the
 * load generator shares its core with Redis and must be cheap.
 */
export class ResponseParser {
  /** Bytes of the present body still to come; -1 while in a head. */
  private bodyLeft = -1;
  private status = 0;
  /** Copy of an incomplete head. */
  private partialHead: Buffer | undefined;
  /** The header's name as this server writes it: found once by pattern, then by plain search. */
  private lengthName: Buffer | undefined;

  /** @param onResponse called with the status of each response when its last byte has come. */
  constructor(private readonly onResponse: (status: number) => void) {}

  /**
   * Takes the next `length` bytes of the connection. Bytes that are needed later are copied.
   * @throws if a response has no Content-Length.
   */
  push(chunk: Buffer, length = chunk.length): void {
    let data = chunk;
    let end = length;
    if (this.partialHead) {
      data = Buffer.concat([this.partialHead, chunk.subarray(0, length)]);
      end = data.length;
      this.partialHead = undefined;
    }
    let at = 0;
    while (at < end) {
      if (this.bodyLeft < 0) {
        const head = data.indexOf(HEAD_END, at);
        if (head < 0 || head + 4 > end) {
          this.partialHead = Buffer.from(data.subarray(at, end));
          return;
        }
        this.status = digit(data, at + 9) * 100 + digit(data, at + 10) * 10 + digit(data, at + 11);
        this.bodyLeft = this.status === 304 ? 0 : this.bodyLength(data, at, head);
        at = head + 4;
      }
      const taken = Math.min(this.bodyLeft, end - at);
      this.bodyLeft -= taken;
      at += taken;
      if (this.bodyLeft === 0) {
        this.bodyLeft = -1;
        this.onResponse(this.status);
      }
    }
  }

  private bodyLength(data: Buffer, from: number, to: number): number {
    if (this.lengthName) {
      const at = data.indexOf(this.lengthName, from);
      if (at >= 0 && at < to) return parseDigits(data, at + this.lengthName.length);
    }
    const head = data.toString('latin1', from, to);
    const match = LENGTH.exec(head);
    if (!match) throw new Error(`A response without Content-Length: ${head.split('\r\n', 1)[0]}`);
    this.lengthName = Buffer.from(match[0].slice(0, -(match[1] as string).length));
    return Number(match[1]);
  }
}

function digit(data: Buffer, at: number): number {
  return (data[at] as number) - 48;
}

function parseDigits(data: Buffer, from: number): number {
  let n = 0;
  for (let at = from; ; at++) {
    const value = digit(data, at);
    if (!(value >= 0 && value <= 9)) return n;
    n = n * 10 + value;
  }
}
