import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { recordFigure } from '../support/figures.ts';
import { guildSuite } from '../support/guild.ts';
import { startLoad } from '../support/load.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, type ServiceProcess, startServiceProcess } from '../support/process.ts';
import { rawExchange } from '../support/raw-http.ts';
import { PATIENT } from '../support/wait.ts';

/** IDLE_CONNECTIONS=5000 is the full number; it takes as many file descriptors in each process. */
const IDLE = Number(process.env.IDLE_CONNECTIONS ?? 1000);
const SLOW = 200;
const MB = 1024 * 1024;

describe('slow clients', needs('redis-server'), () => {
  const suite = guildSuite();
  let service: ServiceProcess;
  let port: number;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    service = await startServiceProcess({ ...LONG_REDIS_TIMEOUT, REDIS_URL: suite.redis.url, ...suite.guild.env });
    port = Number(new URL(service.url).port);
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await service?.stop();
  });

  async function open(): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  }

  /** Runs the work beside a steady load that must be served as before. @returns the growth of the service's memory in bytes. */
  async function beside(work: () => Promise<unknown>): Promise<number> {
    const load = startLoad(service.url, {
      rate: 200,
      headers: suite.guild.headers,
      paths: suite.guild.paths,
      connections: 20,
    });
    await vi.waitFor(() => expect(load.answers.length).toBeGreaterThan(200), PATIENT);
    const before = service.rss();
    await work();
    const growth = service.rss() - before;
    const answers = await load.stop();
    expect(answers.filter(({ status, error }) => error !== undefined || ![200, 503].includes(status))).toEqual([]);
    // A busy machine can keep Redis from answering in time; a client that stops the others would show in many more.
    expect(answers.filter(({ status }) => status === 503).length).toBeLessThan(answers.length * 0.1);
    return growth;
  }

  it(`others are served, and memory stays bounded, while ${IDLE} connections stay open and say nothing`, async () => {
    const growth = await beside(async () => {
      for (let i = 0; i < IDLE; i += 100) await Promise.all(Array.from({ length: 100 }, open));
    });
    expect(growth).toBeLessThan(50 * MB + IDLE * 20 * 1024);
    recordFigure('idle connections', { times: IDLE, growthMb: Math.round(growth / MB), others_failed: 0 });
  });

  it(`others are served, and memory stays bounded, while ${SLOW} clients send their headers a byte at a time, and each gets 408 within 30 seconds`, async () => {
    const growth = await beside(async () => {
      const slow = await Promise.all(Array.from({ length: SLOW }, open));
      const texts = slow.map(() => '');
      const connected = new Set(slow);
      for (const [i, socket] of slow.entries()) {
        socket.setEncoding('latin1').on('data', (chunk: string) => {
          texts[i] += chunk;
        });
        socket.write('GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: ');
        const drip = setInterval(() => socket.write('a'), 500);
        socket.once('close', () => {
          clearInterval(drip);
          connected.delete(socket);
        });
      }
      await vi.waitFor(() => expect(connected.size, 'slow clients still connected').toBe(0), PATIENT);
      for (const text of texts) expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    });
    expect(growth).toBeLessThan(50 * MB);
    recordFigure('slowloris', { times: SLOW, growthMb: Math.round(growth / MB), others_failed: 0 });
  });

  it('others are served, and memory stays bounded, while a client sends requests without end and never reads an answer', async () => {
    const line = `GET ${suite.guild.paths[0]} HTTP/1.1\r\nHost: x\r\nx-api-key: ${suite.guild.key}\r\n\r\n`;
    const bulk = Buffer.from(line.repeat(1000));
    let sent = 0;
    const growth = await beside(async () => {
      const socket = await open();
      socket.pause();
      // The service cuts a client whose requests wait, or does not read from it: then a write is not taken for a second and a half.
      for (let stuck = false; !stuck && sent < 500; sent++) {
        stuck = !(await new Promise<boolean>((resolve) => {
          const timer = setTimeout(() => resolve(false), 1500);
          socket.write(bulk, (error) => {
            clearTimeout(timer);
            resolve(!error);
          });
        }));
      }
    });
    expect(sent).toBeLessThan(500);
    expect(growth).toBeLessThan(100 * MB);
    recordFigure('client that never reads', { requests_pushed: sent * 1000, growthMb: Math.round(growth / MB) });
  });

  it('a client that pipelines requests gets all answers in order', async () => {
    const paths = Array.from({ length: 300 }, (_, i) => suite.guild.paths[i % suite.guild.paths.length] as string);
    const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${suite.guild.key}\r\n`);
    const text = `${requests.join('\r\n')}Connection: close\r\n\r\n`;
    const answers = await rawExchange(port, Buffer.from(text), false);
    expect(answers).toHaveLength(paths.length);
    answers.forEach(({ status, body }, i) => {
      const answer = { path: paths[i] as string, status, headers: {}, body, sentAt: 0, took: 0 };
      expect(suite.guild.wrong(answer)).toBeUndefined();
    });
  });
});
