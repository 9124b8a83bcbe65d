import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedRedis, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { recordFigure } from '../support/figures.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, type ServiceProcess, startServiceProcess } from '../support/process.ts';

const MB = 1024 * 1024;
/** More lines than the pipe and the buffer of the log take. `npm run test:long` has more. */
const REQUESTS = Number(process.env.UNREAD_REQUESTS ?? 40_000);
const AT_ONCE = 200;

describe('a standard output', needs('redis-server'), () => {
  let redis: EmbeddedRedis;
  let service: ServiceProcess;

  beforeEach(async () => {
    redis = await startEmbeddedRedis();
    service = await startServiceProcess({
      ...LONG_REDIS_TIMEOUT,
      REDIS_URL: redis.url,
      ADMIN_PORT: String(await freePort()),
    });
  });
  afterEach(async () => {
    await service.stop();
    await redis.stop();
  });

  /** Sends requests that are logged, and waits for their answers. */
  async function ask(requests: number): Promise<void> {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const bulk = 'GET /none HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(AT_ONCE);
    let tail = '';
    let answered = 0;
    await new Promise<void>((resolve, reject) => {
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        const text = tail + chunk;
        answered += text.split('HTTP/1.1 404').length - 1;
        tail = text.slice(text.lastIndexOf('\n') + 1).slice(-11);
        if (answered >= requests) resolve();
        else if (answered % AT_ONCE === 0) socket.write(bulk);
      });
      socket.on('error', reject);
      socket.write(bulk);
    });
    socket.destroy();
  }
  const dropped = async () => {
    const text = await (await fetch(`${service.adminUrl}/metrics`)).text();
    return Number(/^guildrank_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
  };

  it('a standard output that nobody reads costs bounded memory, and the dropped lines are told when it is read again', async () => {
    await ask(2000);
    const before = service.rss();
    service.child.stdout?.pause();
    await ask(REQUESTS);
    const growth = service.rss() - before;
    const lost = await dropped();
    expect(lost).toBeGreaterThan(REQUESTS / 4);
    expect(growth).toBeLessThan(60 * MB);
    service.child.stdout?.resume();
    const line = await service.line(({ msg }) => msg === 'log lines were dropped: standard output was not read');
    expect(line.dropped).toBe(await dropped());
    recordFigure('standard output that is not read', { requests: REQUESTS, growthMb: Math.round(growth / MB), lost });
  });

  it('a standard output that nobody reads does not keep the service from stopping', async () => {
    service.child.stdout?.pause();
    await ask(2000);
    const ended = new Promise((resolve) => service.child.once('exit', (code) => resolve(code)));
    service.kill('SIGTERM');
    expect(await ended).toBe(0);
    service.child.stdout?.resume();
  });

  it('a standard output whose reader has gone does not end the service', async () => {
    service.child.stdout?.destroy();
    await ask(2000);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    const ended = new Promise((resolve) => service.child.once('exit', (code) => resolve(code)));
    service.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});
