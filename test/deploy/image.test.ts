import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedRedis, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT } from '../support/process.ts';
import { repository } from '../support/run-command.ts';
import { composeSuite } from './compose-suite.ts';
import { buildImage, type Container, ENDED_MS, type Image, runInImage } from './image.ts';

const GUILD = '123456789012345678';
/** Until the program of a container serves. */
const STARTED = { timeout: 120_000, interval: 100 };

const NEEDED = needs('buildah', 'debootstrap', 'root', 'npm registry', 'redis-server', 'iproute2');

// A container starts in seconds on a busy machine, and a build takes minutes.
describe('the image', { ...NEEDED, timeout: 600_000 }, () => {
  let image: Image;
  let container: Container;
  let redis: EmbeddedRedis;
  let variables: Record<string, string>;

  const run = (...args: readonly string[]) => runInImage(container, args, { variables });
  const json = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run(...args, '--json');
    expect({ code, stderr }, args.join(' ')).toMatchObject({ code: 0 });
    return JSON.parse(stdout);
  };
  /** Returns the status of an address, 0 where nothing listens. */
  const status = async (url: string) => (await fetch(url).catch(() => undefined))?.status ?? 0;

  beforeAll(async () => {
    [image, redis] = await Promise.all([buildImage(), startEmbeddedRedis()]);
    container = await image.createContainer();
    variables = { REDIS_URL: redis.url, HOST: '127.0.0.1', ADMIN_HOST: '127.0.0.1', ...LONG_REDIS_TIMEOUT };
    const { all, base } = image.bytes;
    const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
    process.stdout.write(`the image has ${mb(all)}, ${mb(all - base)} of them above its base\n`);
  }, 600_000);
  afterAll(async () => {
    await redis?.stop();
    image?.remove();
  });

  it('the image holds the built program and what draws its pictures, and no secret that lay beside the sources', async () => {
    const script = 'cd /app && find . -maxdepth 1 | sort && grep -rl SECRET= . || true';
    const child = container.startProgram(['sh', '-c', script]);
    await child.waitForEnd(ENDED_MS);
    const names = ['.', './LICENSE', './dist', './node_modules', './package.json'];
    expect(child.output().trim().split('\n')).toEqual(names);
    expect((image.bytes.all - image.bytes.base) / 1e6).toBeLessThan(20);
  });

  it('the image runs as a user other than root, given by number', async () => {
    const child = container.startProgram(['id', '-u']);
    await child.waitForEnd(ENDED_MS);
    expect([image.config.User, child.stdout().trim()]).toEqual(['1000:1000', '1000']);
    expect(image.config.Env).toEqual(expect.arrayContaining(['HOST=::', 'ADMIN_HOST=::', 'NODE_ENV=production']));
  });

  it('the image serves a seeded leaderboard, is healthy, and ends on SIGTERM with exit code 0', async () => {
    const port = await freePort();
    const adminPort = await freePort();
    const own = { ...variables, PORT: String(port), ADMIN_PORT: String(adminPort) };
    await json('seed', '--guild', GUILD, '--generate', '250');
    const { key } = await json('keys', 'create', '--guild', GUILD);
    const service = container.start(image.config.Cmd, { variables: own });
    try {
      await vi.waitFor(async () => expect(await status(`http://127.0.0.1:${adminPort}/readyz`)).toBe(200), STARTED);
      const headers = { 'x-api-key': key };
      const page = await fetch(`http://127.0.0.1:${port}/api/v1/servers/${GUILD}/leaderboard?page=25`, { headers });
      expect([page.status, ((await page.json()) as { total: number }).total]).toEqual([200, 250]);
      expect(await status(`http://127.0.0.1:${port}/widget.js`)).toBe(200);
      const [, ...health] = image.config.Healthcheck.Test;
      const check = container.startProgram(health, { variables: own });
      expect((await check.waitForEnd(ENDED_MS)).code, check.output()).toBe(0);
      service.kill();
      expect((await service.waitForEnd(ENDED_MS)).code, service.output()).toBe(0);
    } finally {
      await service.stop();
    }
  });

  it('the image draws the card of a member as PNG, in letters of many scripts', async () => {
    const port = String(await freePort());
    const adminPort = String(await freePort());
    const own = { ...variables, PUBLIC_PAGES: '1', PORT: port, ADMIN_PORT: adminPort };
    await json('seed', '--guild', 'drawn', '--generate', '3');
    await json('guild', 'set', '--guild', 'drawn', '--public-page', 'on');
    const service = container.start(image.config.Cmd, { variables: own });
    try {
      await vi.waitFor(async () => expect(await status(`http://127.0.0.1:${adminPort}/readyz`)).toBe(200), STARTED);
      const page = `http://127.0.0.1:${port}/g/drawn`;
      const { data } = (await (await fetch(`${page}/data.json`)).json()) as { data: { user_id: string }[] };
      const pictures = ['en', 'ar', 'ja'].map((lang) => `${page}/m/${data[0]?.user_id}/card.png?lang=${lang}`);
      const drawn = await Promise.all(
        pictures.map(async (url) => {
          const answer = await fetch(url);
          expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
          return Buffer.from(await answer.arrayBuffer());
        }),
      );
      // The header of a PNG has its size at these places.
      for (const png of drawn) expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([934, 282]);
    } finally {
      await service.stop();
    }
  });

  it('the image starts the dashboard, which answers', async () => {
    const port = String(await freePort());
    const healthPort = String(await freePort());
    const own = { ...variables, DASHBOARD_PORT: port, DASHBOARD_HEALTH_PORT: healthPort };
    const dashboard = container.start(['dashboard'], { variables: own });
    try {
      await vi.waitFor(async () => expect(await status(`http://127.0.0.1:${healthPort}/readyz`)).toBe(200), STARTED);
      // Nobody has signed in.
      expect(await status(`http://127.0.0.1:${port}/`)).toBe(401);
    } finally {
      await dashboard.stop();
    }
  });

  it('the image has every command, each with its help', async () => {
    const { stdout } = await run('--help');
    const names = [...stdout.matchAll(/^ {2}([a-z]+)[ |]/gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(9);
    for (const name of names) expect(await run(name, '--help'), name).toMatchObject({ code: 0, stderr: '' });
  });

  it('the image runs the commands on the data of a guild', async () => {
    await json('seed', '--guild', 'calls', '--generate', '20');
    expect(await json('guild', 'set', '--guild', 'calls', '--plan', 'pro')).toMatchObject({ plan: 'pro' });
    expect(await json('keys', 'list', '--guild', 'calls')).toMatchObject({ keys: [] });
    await json('stats', 'check', '--guild', 'calls');
    const { code, stdout } = await run('export', '--guild', 'calls', '--format', 'csv');
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 21]);
    await json('season', 'reset', '--guild', 'calls', '--archive', 'calls.1', '--yes');
    expect(await run('widget', '--url', 'https://ranks.example.com')).toMatchObject({ code: 0 });
    expect((await run('doctor')).stdout).toContain('EVAL');
  });

  it('no image is built from a package that differs from the lock file', async () => {
    const context = mkdtempSync(join(tmpdir(), 'guildrank-lock-'));
    for (const name of ['Dockerfile', '.dockerignore', 'package.json', 'LICENSE', 'src', 'docs']) {
      cpSync(join(repository, name), join(context, name), { recursive: true });
    }
    const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8'));
    lock.packages['node_modules/ioredis'].integrity = `sha512-${'A'.repeat(86)}==`;
    writeFileSync(join(context, 'package-lock.json'), JSON.stringify(lock));
    const { code, stdout, stderr } = await image.build(context);
    rmSync(context, { recursive: true });
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain('EINTEGRITY');
  });

  composeSuite(() => image);
});
