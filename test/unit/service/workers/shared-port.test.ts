import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { SharedPort, type Taker } from '../../../../src/service/workers/shared-port.ts';
import { PATIENT } from '../../../support/wait.ts';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A worker that keeps what it gets. */
function worker(): Taker & { readonly taken: Socket[] } {
  const taken: Socket[] = [];
  return { taken, take: (connection) => void taken.push(connection) };
}

async function started() {
  const port = new SharedPort({ host: '127.0.0.1', port: 0 });
  const url = new URL(await port.open());
  const open = async () => {
    const socket = connect(Number(url.port), url.hostname).on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  return { port, open };
}

const counts = (...workers: { readonly taken: Socket[] }[]) => workers.map(({ taken }) => taken.length);

it('a worker gets one connection, and the next when it has taken that', async () => {
  const { port, open } = await started();
  const first = worker();
  const second = worker();
  port.addFree(first);
  port.addFree(second);
  for (let n = 0; n < 4; n++) await open();
  await vi.waitFor(() => expect(counts(first, second)).toEqual([1, 1]), PATIENT);
  port.taken(second);
  await vi.waitFor(() => expect(counts(first, second)).toEqual([1, 2]), PATIENT);
  port.taken(second);
  await port.close();
  expect(counts(first, second)).toEqual([1, 3]);
});

it('a worker that has left gets nothing, even after its last connection, and its successor gets the next', async () => {
  const { port, open } = await started();
  const leaving = worker();
  port.addFree(leaving);
  await open();
  await vi.waitFor(() => expect(counts(leaving)).toEqual([1]), PATIENT);
  port.leave(leaving);
  port.taken(leaving);
  await open();
  const other = worker();
  port.addFree(other);
  await vi.waitFor(() => expect(counts(leaving, other)).toEqual([1, 1]), PATIENT);
  port.addFree(leaving);
  await open();
  await vi.waitFor(() => expect(counts(leaving, other)).toEqual([2, 1]), PATIENT);
  await port.close();
});

it('a shared port is closed when all earlier connections are given away, and refuses later connections', async () => {
  const { port, open } = await started();
  for (let n = 0; n < 3; n++) await open();
  let closed = false;
  const closing = port.close().then(() => {
    closed = true;
  });
  const late = worker();
  port.addFree(late);
  for (let n = 0; n < 3; n++) {
    if (n > 0) port.taken(late);
    await vi.waitFor(() => expect(counts(late)).toEqual([n + 1]), PATIENT);
    if (n < 2) expect(closed).toBe(false);
  }
  await closing;
  await expect(open()).rejects.toThrow('ECONNREFUSED');
});

it('a connection that a worker had not taken at its end is ended, and no other connection', async () => {
  const { port, open } = await started();
  const killed = worker();
  const other = worker();
  port.addFree(killed);
  const lost = await open();
  await vi.waitFor(() => expect(counts(killed)).toEqual([1]), PATIENT);
  port.addFree(other);
  const kept = await open();
  await vi.waitFor(() => expect(counts(other)).toEqual([1]), PATIENT);
  port.leave(killed);
  await once(lost.resume(), 'close');
  expect(kept.closed).toBe(false);
  await port.close();
});
