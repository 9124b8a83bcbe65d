import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findingsOf } from '../../../../src/cli/doctor/check-servers.ts';
import { neededCommands } from '../../../../src/cli/doctor/rights.ts';
import { kindOfKey } from '../../../../src/cli/doctor/sample-keys.ts';
import { parseConfig } from '../../../../src/config/service.ts';
import { infoFields } from '../../../../src/core/store/inspection.ts';
import { RedisKeys } from '../../../../src/core/store/redis-keys.ts';
import { permissionsOf } from '../../../fault/acl.ts';

const GOOD = {
  redis_version: '7.4.0',
  redis_mode: 'standalone',
  role: 'master',
  aof_enabled: '1',
  maxmemory_policy: 'noeviction',
  maxmemory: '1000000',
  used_memory: '1000',
};

describe('what INFO says of a server', () => {
  const states = (changes: Record<string, string>, save: string | undefined = '', ahead = 0) => {
    const info = new Map(Object.entries({ ...GOOD, ...changes }));
    const findings = findingsOf({ info, save, clock: { ahead, uncertain: 1 }, mode: 'standalone' });
    return Object.fromEntries(findings.map(({ check, state }) => [check, state]));
  };
  const good = { version: 'ok', kind: 'ok', persistence: 'ok', eviction: 'ok', memory: 'ok', clock: 'ok' };

  it.each([
    [{}, {}],
    [{ redis_version: '5.0.9' }, { version: 'problem' }],
    [{ redis_version: '5.0.9', valkey_version: '8.0.1' }, {}],
    [{ redis_mode: 'cluster' }, { kind: 'problem' }],
    [{ redis_mode: 'sentinel' }, { kind: 'problem' }],
    // As Valkey calls it.
    [{ redis_mode: '', server_mode: 'cluster' }, { kind: 'problem' }],
    [{ role: 'slave' }, { kind: 'problem' }],
    [{ aof_last_write_status: 'err' }, { persistence: 'problem' }],
    [{ aof_enabled: '0' }, { persistence: 'problem' }],
    [{ maxmemory_policy: 'volatile-ttl' }, { eviction: 'problem' }],
    [{ maxmemory_policy: '' }, { eviction: 'unknown' }],
    [{ used_memory: '950000' }, { memory: 'problem' }],
    [{ maxmemory: '0', total_system_memory: '9000000' }, { memory: 'note' }],
    [{ maxmemory: '0' }, { memory: 'unknown' }],
  ])('doctor takes the INFO %j for %j', (changes, findings) => {
    expect(states(changes as Record<string, string>)).toEqual({ ...good, ...findings });
  });

  it('persistence by snapshots alone is a note, and so is persistence about which the user may not ask', () => {
    expect(states({ aof_enabled: '0' }, '900 1').persistence).toBe('note');
    const info = new Map(Object.entries({ ...GOOD, aof_enabled: '0' }));
    const [, , persistence] = findingsOf({ info, save: undefined, clock: undefined, mode: 'standalone' });
    expect(persistence?.state).toBe('note');
  });

  it('a clock that differs by more than its uncertainty and five seconds is a problem', () => {
    expect(states({}, '', -4900).clock).toBe('ok');
    expect(states({}, '', 6000).clock).toBe('problem');
  });

  it('the fields of INFO are read with either line end', () => {
    expect([...infoFields('# Server\r\nredis_version:7.0.0\r\nx:\nrole:master')]).toEqual([
      ['redis_version', '7.0.0'],
      ['x', ''],
      ['role', 'master'],
    ]);
  });
});

it('doctor asks for every command that users.acl allows the service', () => {
  const asked = new Set(
    neededCommands({
      redisKeys: new RedisKeys('gr'),
      config: parseConfig({ REDIS_MODE: 'cluster', REDIS_NODES: 'a:1' }),
    }).map(([name, subcommand]) => (name === 'cluster' ? `${name}|${subcommand}` : name)),
  );
  const allowed = permissionsOf('guildrank').flatMap((words) => words.match(/(?<=\+)[a-z|]+/g) ?? []);
  // SELECT and QUIT change the connection, a subscription is tried apart, and CLUSTER SHARDS is for other clients.
  const apart = ['select', 'quit', 'subscribe', 'unsubscribe', 'cluster|shards'];
  expect([...asked].sort()).toEqual([...new Set(allowed)].filter((name) => !apart.includes(name)).sort());
});

describe('the kind of a key', () => {
  const redisKeys = new RedisKeys('my:gr');
  const text = readFileSync(new URL('../../../../docs/redis-keys.md', import.meta.url), 'utf8');
  const types: Record<string, string> = { 'sorted set': 'zset', 'sorted sets': 'zset', hash: 'hash', string: 'string' };
  const rows = [...text.matchAll(/^\| (`gr:.*?) \| ([a-z ]+) \|/gm)].flatMap(([, names = '', type = '']) =>
    [...names.matchAll(/`(.*?)`/g)].map(([, name = '']) => [name, types[type]] as const),
  );

  it.each(rows.filter(([, type]) => type !== undefined))(
    'the Redis key %s of docs/redis-keys.md is a %s',
    (name, type) => {
      const key = name
        .replace(/^gr:/, 'my:gr:')
        .replace('{G}', '{123}')
        .replace(/:U$/, ':456')
        .replace(/:ID$/, ':V1StGXR8Z5')
        .replace('SHA256', 'ab'.repeat(32));
      expect(kindOfKey(redisKeys, key)).toEqual({ guild: key.includes('{') ? '123' : '', type });
    },
  );

  it('a Redis key without braces, with another prefix or with another name is of no known kind', () => {
    for (const key of ['my:gr:123:xp', 'gr:{1}:xp', 'my:gr:{1}:xps', 'my:gr:{1 2}:xp', 'my:gr:{1}:xp:absent', 'x']) {
      expect(kindOfKey(redisKeys, key), key).toBeUndefined();
    }
  });
});
