import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChild } from '../../scripts/dev/child-process.ts';
import { freePort } from '../../scripts/dev/embedded-redis.ts';
import { cleanCopy } from '../support/clean-copy.ts';
import { buildLike, type Image, type Instruction, parseDockerfile } from '../support/dockerfile.ts';
import { needs } from '../support/needs.ts';
import { repository, runProgram, until } from '../support/run-command.ts';
import { realStore } from '../support/stores.ts';
import { INSTALLING_MS } from '../support/wait.ts';

const instructions = parseDockerfile(join(repository, 'Dockerfile'));
const named = (name: string) => instructions.filter((each) => each.name === name);

describe('the Dockerfile', () => {
  it('copies exactly the files that .dockerignore allows', () => {
    const ignore = readFileSync(join(repository, '.dockerignore'), 'utf8').split('\n');
    expect(ignore.find((line) => line !== '' && !line.startsWith('#'))).toBe('*');
    const allowed = ignore.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    const fromContext = ({ text }: Instruction) => (text.startsWith('--from') ? [] : text.split(' ').slice(0, -1));
    expect(new Set(named('COPY').flatMap(fromContext))).toEqual(new Set(allowed));
  });

  it('runs as a user other than root, given by number', () => {
    expect(named('USER').map(({ text }) => text)).toEqual(['1000:1000']);
  });
});

describe('the image, built step by step in clean folders', needs('npm registry', 'redis-server'), () => {
  let image: Image;
  let context: string;
  let folder: string;

  beforeAll(async () => {
    context = cleanCopy({ installed: false });
    folder = mkdtempSync(join(tmpdir(), 'guildrank-image-'));
    image = await buildLike(instructions, context, folder);
  }, INSTALLING_MS);
  afterAll(() => {
    rmSync(context, { recursive: true });
    rmSync(folder, { recursive: true });
  });
  const inside = (path: string) => join(image.root, image.workdir, path);

  it('has production dependencies and compiled code, and nothing else', () => {
    for (const path of ['dist/main.js', 'dist/lua/record.lua', 'node_modules/express']) {
      expect(existsSync(inside(path)), path).toBe(true);
    }
    for (const path of ['src', 'scripts', 'test', 'node_modules/vitest', 'node_modules/typescript']) {
      expect(existsSync(inside(path)), path).toBe(false);
    }
  });

  it('starts, is healthy while Redis is there, and stops on SIGTERM with 0', { timeout: 180_000 }, async () => {
    const store = await realStore.start();
    const env = { ...image.env, PORT: String(await freePort()), ADMIN_PORT: String(await freePort()) };
    const [file, ...args] = [...image.entrypoint, ...image.command] as [string, ...string[]];
    const service = startChild(file, args, {
      cwd: inside('.'),
      env: { ...process.env, ...env, HOST: '127.0.0.1', ADMIN_HOST: '127.0.0.1', REDIS_URL: store.url },
    });
    try {
      const [probe, ...probeArgs] = image.healthcheck as [string, ...string[]];
      const health = async () => (await runProgram(probe, probeArgs, { env })).code;
      await until('the health check to pass', async () => (await health()) === 0);
      await store.stop();
      await until('the health check to fail without Redis', async () => (await health()) === 1);
      service.kill('SIGTERM');
      expect((await service.waitForEnd()).code).toBe(0);
    } finally {
      await service.stop();
    }
  });
});
