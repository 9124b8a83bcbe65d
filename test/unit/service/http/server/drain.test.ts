import { Agent, createServer, get } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { drain } from '../../../../../src/service/http/server/drain.ts';
import { type LimitedServer, ownPort } from '../../../../../src/service/http/server/port.ts';

/** Returns a server of as many connections as `counts` says, look by look, and what was done to it. */
function serverWith(counts: number[], onIdleClosed = () => {}) {
  const calls: string[] = [];
  const server = {
    headersTimeout: 10_000,
    openConnections() {
      const count = counts.length > 1 ? (counts.shift() as number) : (counts[0] as number);
      calls.push(`open ${count}`);
      return count;
    },
    closeIdleConnections() {
      calls.push('close idle');
      onIdleClosed();
    },
    closeAllConnections: () => void calls.push('close all'),
  };
  const port = { close: async () => void calls.push('close port') };
  return { server: server as unknown as LimitedServer, calls, port };
}

describe('the drain of a server', () => {
  it('a drain closes the port first, and idle connections only after requests could still come', async () => {
    // The time stands still: a process that is held up looks less often.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => clock.mockRestore());
    const { server, calls, port } = serverWith([2, 1, 0]);
    await drain(server, port, 60_000, () => calls.push('told'));
    expect(calls).toEqual(['close port', 'told', 'open 2', 'open 1', 'open 0', 'close idle', 'open 0']);
    expect(server.headersTimeout).toBe(1);
  });

  it('a drain waits for no request when no connection is open', async () => {
    const { server, calls, port } = serverWith([0]);
    await drain(server, port, 60_000);
    expect(calls).toEqual(['close port', 'open 0', 'close idle', 'open 0']);
  });

  it('a drain cuts no idle client, and ends when the last connection is closed', async () => {
    const counts = [1];
    const { server, calls, port } = serverWith(counts, () => counts.splice(0, 1, 0));
    await drain(server, port, 60_000);
    expect(calls.slice(-2)).toEqual(['close idle', 'open 0']);
    expect(calls).not.toContain('close all');
    // It has looked more than once before it closed the idle one.
    expect(calls.filter((call) => call === 'open 1').length).toBeGreaterThan(1);
  });

  it('a drain cuts clients that are still busy when the time is up', async () => {
    const { server, calls, port } = serverWith([1]);
    await drain(server, port, 1);
    expect(calls.at(-1)).toBe('close all');
    expect(calls.filter((call) => call === 'close all')).toHaveLength(1);
    expect(calls).toContain('close idle');
  });

  it('a drain ends with a port that does not close', async () => {
    const { server, calls } = serverWith([1]);
    await drain(server, { close: () => new Promise(() => {}) }, 1, () => calls.push('told'));
    expect([calls[0], calls.at(-1)]).toEqual(['told', 'close all']);
  });
});

describe('an own port', () => {
  const start = async () => {
    const server = createServer((req, res) => res.end(req.url)) as unknown as LimitedServer;
    onTestFinished(() => server.closeAllConnections());
    const port = ownPort('127.0.0.1', 0, 'PORT');
    const address = await port.open(server);
    return { server, port, address };
  };
  const ask = (url: string, agent: Agent | false = false) =>
    new Promise<{ readonly statusCode: number | undefined; readonly socket: Socket }>((resolve, reject) => {
      get(url, { agent }, (res) => {
        const { statusCode, socket } = res.resume();
        res.on('end', () => resolve({ statusCode, socket }));
      }).on('error', reject);
    });

  it('a port takes connections at the address that it names, and refuses them once it is closed', async () => {
    const { server, port, address } = await start();
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await ask(address)).statusCode).toBe(200);
    await port.close(server);
    expect(server.listening).toBe(false);
    await expect(ask(address)).rejects.toThrow('ECONNREFUSED');
  });

  it('a port closes alone: a connection that waits for its next request stays', async () => {
    const { server, port, address } = await start();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const { socket } = await ask(address, agent);
    await port.close(server);
    // The next request comes on the connection, because the port takes no other one.
    expect(await ask(address, agent)).toEqual({ statusCode: 200, socket });
  });

  it('a port takes clients that wait in the kernel before it closes', async () => {
    const { server, port, address } = await start();
    const answers = Array.from({ length: 20 }, () => ask(address));
    // All of them are on their way when the port begins to close.
    await new Promise((resolve) => setImmediate(resolve));
    await port.close(server);
    expect((await Promise.all(answers)).map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(200));
  });

  it('a port that was never opened closes at once', async () => {
    const server = createServer() as unknown as LimitedServer;
    await ownPort('127.0.0.1', 0, 'PORT').close(server);
    expect(server.listening).toBe(false);
  });
});
