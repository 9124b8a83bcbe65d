import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { findRedisServer } from '../../scripts/dev/embedded-redis.ts';

describe('REDIS_SERVER', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-server-'));
  const program = join(folder, 'server');
  const text = join(folder, 'text');
  writeFileSync(program, '');
  chmodSync(program, 0o755);
  writeFileSync(text, '');
  chmodSync(text, 0o644);
  afterEach(() => vi.unstubAllEnvs());
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is the server that suites, demo and benchmark start, whatever is on PATH', () => {
    vi.stubEnv('REDIS_SERVER', program);
    expect(findRedisServer()).toBe(program);
    vi.stubEnv('REDIS_SERVER', relative('.', program));
    expect(findRedisServer()).toBe(program);
    vi.stubEnv('REDIS_SERVER', '');
    expect(findRedisServer()).not.toBe(program);
  });

  it.each([join(folder, 'missing'), folder, text])('refuses %s, and never takes another server instead', (file) => {
    vi.stubEnv('REDIS_SERVER', file);
    expect(findRedisServer).toThrow(
      `REDIS_SERVER=${file} is no program: set it to the path of a redis-server or valkey-server`,
    );
  });
});
