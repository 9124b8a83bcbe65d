import { connect } from 'node:net';

/** How often each status came. */
export type StatusCounts = Readonly<Record<number, number>>;

const STATUS_LINE = /HTTP\/1\.1 (\d{3}) /g;
const STATUS_LINE_LENGTH = 'HTTP/1.1 200 '.length;

/**
 * Sends many requests over a few connections, each with a batch of requests under way. Cheap for the sender, so that the service has the
 * machine.
 * @param requestOf returns the text of the request with this number.
 * @throws when a connection ends before its answers came.
 */
export async function sendPipelined(
  url: string,
  requests: number,
  requestOf: (n: number) => string,
  { connections = 4, batch = 16 }: { readonly connections?: number; readonly batch?: number } = {},
): Promise<StatusCounts> {
  const counts: Record<number, number> = {};
  let sent = 0;
  const nextBatch = (): string[] => {
    const size = Math.min(batch, requests - sent);
    const texts = Array.from({ length: size }, (_, i) => requestOf(sent + i));
    sent += size;
    return texts;
  };
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('latin1');
      let due = 0;
      let rest = '';
      const send = (): void => {
        const texts = nextBatch();
        due = texts.length;
        if (due === 0) socket.end();
        else socket.write(texts.join(''), 'latin1');
      };
      socket.on('connect', send).on('data', (chunk: string) => {
        const text = rest + chunk;
        let end = 0;
        for (const { 1: status, index } of text.matchAll(STATUS_LINE)) {
          counts[Number(status)] = (counts[Number(status)] ?? 0) + 1;
          end = index + STATUS_LINE_LENGTH;
          due--;
        }
        // A status line can be cut in two.
        rest = text.slice(Math.max(end, text.length - STATUS_LINE_LENGTH + 1));
        if (due === 0) send();
      });
      socket.on('error', reject).on('close', () => {
        if (due === 0) resolve();
        else reject(new Error(`The connection ended with ${due} answers due`));
      });
    });
  await Promise.all(Array.from({ length: connections }, work));
  return counts;
}
