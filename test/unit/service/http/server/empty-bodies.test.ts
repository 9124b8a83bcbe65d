import { afterEach, expect, it } from 'vitest';
import { type AppServer, appServer } from './app-server.ts';

let running: AppServer | undefined;
afterEach(() => running?.close());

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n';
const LAST = `${GET}Connection: close\r\n\r\n`;

it.each([
  ['no body', `${GET}\r\n`, true],
  ['a body of a stated length', `${GET}Content-Length: 2\r\n\r\nab`, false],
  ['a body of chunks', `${GET}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`, false],
])('a request with %s tells its handler whether there is anything to read', async (_what, bytes, hasEnded) => {
  const seen: boolean[] = [];
  running = await appServer((req, res) => {
    seen.push(req.readableEnded);
    res.end();
  });
  await running.exchange(bytes + LAST);
  expect(seen).toEqual([hasEnded, true]);
});

it('a request with a body has ended once the body is read', async () => {
  let ended: boolean | undefined;
  running = await appServer(async (req, res) => {
    for await (const chunk of req) void chunk;
    ended = req.readableEnded;
    res.end();
  });
  await running.exchange(`${GET}Connection: close\r\nContent-Length: 2\r\n\r\nab`);
  expect(ended).toBe(true);
});

it('a body in UTF-8 is read as the letters that were sent', async () => {
  running = await appServer(async (req, res) => {
    let text = '';
    for await (const chunk of req.setEncoding('utf8')) text += chunk;
    res.end(text === 'ü🦊' ? 'same' : text);
  });
  const body = Buffer.from('ü🦊').toString('latin1');
  expect(await running.exchange(`${GET}Connection: close\r\nContent-Length: 6\r\n\r\n${body}`)).toMatch(/same$/);
});

it('a request can be told to drop its body, and the next request of its connection is answered', async () => {
  running = await appServer((req, res) => {
    const isSame = req.resume() === req;
    res.end(`same: ${isSame} `);
  });
  const large = 'x'.repeat(300_000);
  const text = await running.exchange(`${GET}\r\n${GET}Content-Length: ${large.length}\r\n\r\n${large}${LAST}`);
  expect(text.match(/same: true /g)).toHaveLength(3);
});

it('a request without a body sends no events of a stream', async () => {
  const events: string[] = [];
  running = await appServer((req, res) => {
    for (const name of ['data', 'end', 'readable']) req.on(name, () => events.push(name));
    res.end();
  });
  await running.exchange(LAST);
  expect(events).toEqual([]);
});
