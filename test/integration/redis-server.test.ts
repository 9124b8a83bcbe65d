import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { findRedisServer, freePort } from '../../scripts/dev/embedded-redis.ts';

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

  it('REDIS_SERVER is the server that suites, demo and benchmark start, whatever is on PATH', () => {
    vi.stubEnv('REDIS_SERVER', program);
    expect(findRedisServer()).toBe(program);
    vi.stubEnv('REDIS_SERVER', relative('.', program));
    expect(findRedisServer()).toBe(program);
    vi.stubEnv('REDIS_SERVER', '');
    expect(findRedisServer()).not.toBe(program);
  });

  it.each([join(folder, 'missing'), folder, text])(
    'REDIS_SERVER refuses %s, and never takes another server instead',
    (file) => {
      vi.stubEnv('REDIS_SERVER', file);
      expect(findRedisServer).toThrow(
        `REDIS_SERVER=${file} is no program: set it to the path of a redis-server or valkey-server`,
      );
    },
  );
});

/** The ports that Linux gives to outgoing connections. */
const OUTGOING = '/proc/sys/net/ipv4/ip_local_port_range';

describe('a free port', () => {
  it('a free port is given once', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, freePort));
    expect(new Set(ports).size).toBe(50);
  });

  it('no outgoing connection can take a free port before a server starts', async () => {
    const firstOutgoing = Number.parseInt(readFileSync(OUTGOING, 'utf8'), 10);
    for (let i = 0; i < 50; i++) expect(await freePort()).toBeLessThan(firstOutgoing);
  });
});
