import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { hashKey } from '../../src/core/access/key-format.ts';
import { openCore } from '../../src/core/core.ts';
import { startCluster } from '../support/cluster.ts';
import { type ContextOptions, runCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { redisForTest } from '../support/stores.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { PATIENT } from '../support/wait.ts';
import { permissionsOf } from './acl.ts';
import { contentOf } from './script-calls.ts';

/** Long enough for a server that answers, and for one that never lets a client in. */
const SOON = { connectTimeoutMs: 5000 };

/** The round trips are real, and a busy machine must not make a finding of them. */
const ANY_ROUND_TRIP = { REDIS_TIMEOUT_MS: '60000' };

/** Runs the command. @returns its exit code and its findings. */
async function doctor(env: Record<string, string>, options: ContextOptions = {}, ...args: string[]) {
  const { code, stdout, stderr } = await runCommand('doctor', ['--json', ...args], env, options);
  const findings = (JSON.parse(stdout) as { findings: Finding[] }).findings;
  const of = (check: string) => findings.filter((finding) => finding.check === check);
  const states = Object.fromEntries(findings.map(({ check, state }) => [check, state]));
  return { code, stderr, findings, of, states };
}

/** Starts a server that does this with each connection, in the place of Redis. @returns its address. */
async function startStranger(meet: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    meet(socket);
  }).listen(0, '127.0.0.1');
  await vi.waitFor(() => expect(server.listening).toBe(true), PATIENT);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `redis://127.0.0.1:${(server.address() as { port: number }).port}`;
}

describe('guildrank doctor', needs('redis-server'), () => {
  const goodRedis = async () => {
    const redis = await redisForTest('--appendonly', 'yes', '--maxmemory', '200mb');
    const store = openCore(redis.client, 'gr');
    for (const guild of ['a', 'b']) {
      for (let n = 1; n <= 30; n++) await store.writer.record(guild, { userId: `${n}`, set: n * 100 });
    }
    await store.apiKeys.create('a', 'test', null);
    return { ...redis, store };
  };

  it('doctor examines a read-only replica as it is, and names the two problems that follow from it', async () => {
    const { url, client } = await goodRedis();
    await client.call('REPLICAOF', '127.0.0.1', '1');
    await client.config('SET', 'replica-serve-stale-data', 'yes');
    const { code, findings, of } = await doctor({ ...ANY_ROUND_TRIP, REDIS_URL: url });
    const problems = findings.filter(({ state }) => state === 'problem').map(({ check }) => check);
    expect([code, problems]).toEqual([1, ['kind', 'EVAL']]);
    expect(of('EVAL')[0]).toMatchObject({
      detail: expect.stringContaining('READONLY'),
      fix: 'Correct this, because every request gets 503 until then',
    });
  });

  it('doctor checks everything on a Redis that is 200 ms away', async () => {
    const { port, store } = await goodRedis();
    const members = Array.from({ length: 5000 }, (_, n) => ({ userId: `${n}`, set: n }));
    await store.writer.recordMany('large', members);
    const proxy = await startTcpProxy(port);
    onTestFinished(() => proxy.stop());
    proxy.slowBy(200);
    const env = { ...ANY_ROUND_TRIP, REDIS_URL: `redis://127.0.0.1:${proxy.port}` };
    const { code, states, findings } = await doctor(env, { connectTimeoutMs: 10_000 });
    expect([code, findings.filter(({ state }) => state === 'problem')]).toEqual([0, []]);
    expect(states).toMatchObject({ rights: 'note', keys: 'ok', counters: 'ok', bounds: 'ok' });
  });

  it('doctor names an API key whose stored origins are above their bound, and says what to do', async () => {
    const { url, client, store } = await goodRedis();
    const { key, record } = await store.apiKeys.create('b', 'page', null);
    await client.hset(`gr:key:${hashKey(key)}`, 'origins', `https://${'a'.repeat(95_000)}`);
    const { code, of } = await doctor({ ...ANY_ROUND_TRIP, REDIS_URL: url });
    expect(code).toBe(1);
    expect(of('keys')).toEqual([
      {
        check: 'keys',
        state: 'problem',
        detail: `API keys that do not work, because a field is above its bound: ${record.id} of guild b (origins)`,
        fix: 'Run "npm run -s keys -- revoke --guild GUILD KEY_ID" for each of these API keys, and create other API keys',
      },
    ]);
  });

  it('doctor finds nothing wrong with a good Redis, ends with exit code 0, and changes nothing there', async () => {
    const { url, client } = await goodRedis();
    await client.call('ACL', 'SETUSER', 'service', 'on', '>pass', ...permissionsOf('guildrank'));
    await client.call('ACL', 'SETUSER', 'operator', 'on', '>pass', ...permissionsOf('operator'));
    const before = await contentOf([client]);
    const watcher = await client.monitor();
    onTestFinished(() => watcher.disconnect());
    const seen: string[][] = [];
    watcher.on('monitor', (_time: string, args: string[]) => seen.push(args));

    const asAdmin = await doctor({ ...ANY_ROUND_TRIP, REDIS_URL: url });
    expect(asAdmin).toMatchObject({ code: 0, stderr: '' });
    expect(asAdmin.findings.filter(({ check, state }) => state !== 'ok' && check !== 'cost')).toEqual([
      expect.objectContaining({ check: 'rights', state: 'note', detail: expect.stringContaining('flushall') }),
    ]);
    expect(Object.keys(asAdmin.states)).toEqual(
      expect.arrayContaining(['reachable', 'round trip', 'version', 'kind', 'persistence', 'eviction', 'memory']),
    );
    expect(Object.keys(asAdmin.states)).toEqual(
      expect.arrayContaining([
        'clock',
        'EVAL',
        'TIME',
        'host',
        'role',
        'rights',
        'keys',
        'data version',
        'counters',
        'cost',
      ]),
    );
    expect(asAdmin.of('keys')[0]?.detail).toContain('all 6 keys, 2 guilds');
    // A busy machine gives no figure.
    expect(asAdmin.of('cost')[0]?.detail).toMatch(/1,000 requests a second take \d+\.\d % to \d+\.\d %|not measured/);
    expect(asAdmin.of('counters')[0]?.detail).toContain('exact in 2 of 2 guilds');

    const serviceUrl = url.replace('//', '//service:pass@');
    const asService = await doctor({ ...ANY_ROUND_TRIP, REDIS_URL: serviceUrl }, {}, '--guild', 'a');
    expect(asService).toMatchObject({
      code: 0,
      states: { EVAL: 'ok', rights: 'ok', keys: 'unknown', clock: 'ok' },
    });
    expect(asService.of('keys')[0]?.fix).toContain('operator');
    const withoutGuild = await doctor({ ...ANY_ROUND_TRIP, REDIS_URL: serviceUrl });
    const unseen = ['keys', 'data version', 'counters', 'bounds', 'stored times', 'time zones', 'cost'];
    expect(withoutGuild.states).toMatchObject(Object.fromEntries(unseen.map((check) => [check, 'unknown'])));
    const asOperator = await doctor({ ...ANY_ROUND_TRIP, REDIS_URL: url.replace('//', '//operator:pass@') });
    expect(asOperator).toMatchObject({ code: 0, states: { keys: 'ok', counters: 'ok' } });

    const sent = [...seen];
    expect(await contentOf([client])).toEqual(before);
    const big = sent.filter((args) => args.length > 210 || /^(keys|flush\w+|monitor|sort)$/i.test(args[0] as string));
    expect(big).toEqual([]);
    const scans = sent.filter(([name]) => name === 'scan');
    expect(scans.length).toBeGreaterThan(0);
    for (const [, , ...options] of scans) expect(options).toEqual(['MATCH', 'gr:*', 'COUNT', '100']);
  });

  it('doctor names stored texts that are longer than their bounds, and times of a clock that was ahead', async () => {
    const { url, client, store } = await goodRedis();
    const clean = await doctor({ ...ANY_ROUND_TRIP, REDIS_URL: url });
    expect(clean.states).toMatchObject({ bounds: 'ok', 'stored times': 'ok' });
    const ahead = Date.now() + 400 * 86_400_000;
    const { key, record } = await store.apiKeys.create('b', 'early', null);
    await client.hset(`gr:key:${hashKey(key)}`, 'created_at', new Date(ahead).toISOString());
    await client.hset('gr:{a}:config', 'xp_curve_custom', '0'.repeat(90_000));
    await client.hset('gr:{a}:about', 'name', 'x'.repeat(500));
    await client.hset('gr:{a}:members', '30', `- 0 - ${'x'.repeat(2000)}`);
    await client.hset('gr:{b}:members', '30', `- 1 ${ahead}+0 Ann`);
    await client.hset('gr:{b}:stats', 'rev', String(ahead * 1000));
    const { code, of } = await doctor({ ...ANY_ROUND_TRIP, REDIS_URL: url });
    expect(code).toBe(1);
    expect(of('bounds')[0]?.detail).toBe(
      'xp_curve_custom of a has 90000 bytes, and may have 80, name of the description of a has 500 bytes, and may have 400, the profile of 30 in a has 2006 bytes, and may have 569',
    );
    expect(of('stored times')).toMatchObject([{ state: 'note' }]);
    expect(of('stored times')[0]?.detail).toBe(
      `in the future: the API key ${record.id} of b was made ${new Date(ahead).toISOString()}, the revision of b, the last claim of 30 of b`,
    );
  });

  it('doctor names time zones whose changes of the clocks are old, or which Node does not know', async () => {
    const { url, client, store } = await goodRedis();
    await store.guildConfig.update('a', { timeZone: 'Europe/Berlin' });
    const clean = await doctor({ ...ANY_ROUND_TRIP, REDIS_URL: url });
    expect(clean.states).toMatchObject({ 'time zones': 'ok' });
    await client.hset('gr:{a}:config', 'utc_offsets', '60');
    await client.hset('gr:{b}:config', 'time_zone', 'Mars/Olympus');
    const { code, of } = await doctor({ ...ANY_ROUND_TRIP, REDIS_URL: url });
    expect(code).toBe(0);
    expect(of('time zones')).toMatchObject([{ state: 'note' }]);
    const detail = of('time zones')[0]?.detail;
    expect(detail).toContain('weeks and months can begin at a wrong hour: ');
    expect(detail).toContain('the changes of Europe/Berlin in a are old');
    expect(detail).toContain('this version of Node does not know the time zone Mars/Olympus of b');
  });

  it('doctor measures no read where there are no members', async () => {
    const { url, client } = await goodRedis();
    await client.flushall();
    const { of } = await doctor({ REDIS_URL: url });
    expect(of('cost')).toEqual([expect.objectContaining({ state: 'unknown', detail: 'there is no member to read' })]);
  });

  it('doctor says when a database has only keys of other prefixes', async () => {
    const { url, client } = await goodRedis();
    const { code, of } = await doctor({ ...ANY_ROUND_TRIP, REDIS_URL: url, KEY_PREFIX: 'other' });
    expect(code).toBe(0);
    expect(of('keys')).toEqual([
      {
        check: 'keys',
        state: 'note',
        detail: 'no key begins with "other:", although the database has 6 keys',
        fix: 'If the bot writes with another prefix, set KEY_PREFIX to that prefix',
      },
    ]);
    await client.flushall();
    expect((await doctor({ REDIS_URL: url, KEY_PREFIX: 'other' })).of('keys')[0]?.state).toBe('ok');
  });

  it('doctor prints a table with a fix for each problem of a bad Redis, and ends with exit code 1', async () => {
    const { url, client, store } = await goodRedis();
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await client.config('SET', 'appendonly', 'no');
    await client.hset('gr:{a}:stats', 'total_xp', '5');
    await client.lpush('gr:{c}:xp', 'x');
    await client.zadd('gr:777:xp', 1, 'x');
    await client.zadd('gr:{d}:xp', -3, 'x', 1.5, 'y', 5, 'z');
    const stored = { x: 'Quiet Raven', y: 'ten 0 - Ann', z: '- 3 1764547200000+60  Ann of 7' };
    await client.hset('gr:{d}:members', stored);
    await client.hset('gr:{e}:stats', 'model', '99');
    const { code, stderr, of } = await doctor({ REDIS_URL: url });
    expect(code).toBe(1);
    expect(stderr).toBe(`Correct the problems, then run it again: npm run -s doctor\n`);
    const said = (check: string) => of(check).map(({ detail }) => detail);
    expect(said('persistence')).toEqual(['none: a restart loses all members and API keys']);
    expect(said('eviction')[0]).toMatch(/^maxmemory-policy allkeys-lru lets Redis delete members/);
    expect(said('keys')).toEqual(['wrong type: gr:{c}:xp (list, not zset)', 'not in the data model: gr:777:xp']);
    expect(said('data version')).toEqual(['newer than 1 in e (version 99)']);
    const members = said('members')[0];
    expect(members).toContain('x of d has -3 XP');
    expect(members).toContain('y of d has 1.5 XP');
    expect(members).toContain('and 1 more');
    await client.zadd('gr:{d}:xp', 3, 'x', 1, 'y');
    const profiles = (await doctor({ REDIS_URL: url })).of('members').map(({ detail }) => detail);
    expect(profiles).toEqual(['x of d has the profile "Quiet Raven", y of d has the profile "ten 0 - Ann"']);
    await client.del('gr:{d}:members');
    await client.hset('gr:{d}:hidden:reasons', 'x', 'self');
    const reasons = (await doctor({ REDIS_URL: url })).of('members').map(({ detail }) => detail);
    expect(reasons).toEqual(['gr:{d}:hidden:reasons names members that are not hidden']);
    expect(said('counters')[0]).toMatch(/^they differ from the members in .*\ba\b/);
    expect(said('counters')[0]).not.toMatch(/\bb\b/);
    for (const finding of ['persistence', 'eviction', 'keys', 'data version', 'counters'].flatMap(of)) {
      expect(finding).toMatchObject({ state: 'problem', fix: expect.stringMatching(/.{10}/) });
    }
    await store.counters.rebuild('a');
    const { stdout } = await runCommand('doctor', [], { REDIS_URL: url });
    expect(stdout).toMatch(/^eviction\tproblem\t.*\n\t\t-> Run CONFIG SET maxmemory-policy noeviction/m);
    expect(stdout).toMatch(/\n\d+ problems?, \d+ notes?, \d+ not checked, \d+ right\n$/);
  });

  it('doctor names the rights that the user lacks, with ACL DRYRUN and without it', async () => {
    const { url, client } = await goodRedis();
    await client.call(
      'ACL',
      'SETUSER',
      'less',
      'on',
      '>pass',
      ...permissionsOf('guildrank'),
      '-zrevrange',
      '-subscribe',
    );
    const lacks = 'The user less may not: zrevrange gr:{*}:xp, zrevrange gr:{*}~week:xp, subscribe gr:changed';
    const tried = await doctor({ REDIS_URL: url.replace('//', '//less:pass@') });
    expect(tried).toMatchObject({ code: 1, states: { EVAL: 'problem' } });
    expect(tried.of('rights')[0]?.detail).toBe(lacks);
    await client.call('ACL', 'SETUSER', 'less', '+acl|dryrun');
    const asked = await doctor({ REDIS_URL: url.replace('//', '//less:pass@') });
    expect(asked.of('rights')[0]?.detail).toBe(lacks);
  });

  it('doctor calls nothing right in guilds at which the user may not look', async () => {
    const { url, client } = await goodRedis();
    await client.hset('gr:{a}:config', 'rules', ' '.repeat(20_000));
    await client.call('ACL', 'SETUSER', 'service', 'on', '>pass', ...permissionsOf('guildrank'));
    const { states, of } = await doctor({ ...ANY_ROUND_TRIP, REDIS_URL: url.replace('//', '//service:pass@') });
    expect(states).toMatchObject({
      rights: 'ok',
      keys: 'unknown',
      counters: 'unknown',
      bounds: 'unknown',
      cost: 'unknown',
    });
    expect(of('bounds')).toEqual([
      {
        check: 'bounds',
        state: 'unknown',
        detail: 'no guild was looked at, because the keys were not checked',
        fix: 'Run doctor again as the user operator of deploy/redis/users.acl, or name a guild with --guild',
      },
    ]);
  });

  it('doctor looks at every master of a Cluster, and names a server of another kind', async () => {
    const cluster = await startCluster();
    onTestFinished(cluster.stop);
    const env = { REDIS_MODE: 'cluster', REDIS_NODES: cluster.addresses };
    const { of, states } = await doctor(env);
    expect(of('version')).toHaveLength(3);
    expect(states).toMatchObject({ EVAL: 'ok', rights: 'note', keys: 'ok' });
    const alone = await doctor({ REDIS_URL: `redis://${cluster.addresses.split(',')[0]}` });
    expect(alone.code).toBe(1);
    expect(alone.of('kind')[0]?.fix).toBe('Set REDIS_MODE=cluster');
  });

  it.each([
    ['that says nothing', () => {}, 'Cannot reach'],
    ['that speaks HTTP', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'another program answers'],
  ])('doctor ends with exit code 1 and a clear message at a server %s', async (_name, meet, words) => {
    const { code, of } = await doctor({ REDIS_URL: await startStranger(meet as (socket: Socket) => void) }, SOON);
    expect({ code, reachable: of('reachable')[0] }).toMatchObject({
      code: 1,
      reachable: { state: 'problem', detail: expect.stringContaining(words) },
    });
  });

  it('doctor names a wrong password and an address where nothing listens', async () => {
    const { url, port, client } = await redisForTest('--requirepass', 'right');
    client.disconnect();
    const wrong = await doctor({ REDIS_URL: `redis://:wrong@127.0.0.1:${port}` }, SOON);
    expect(wrong).toMatchObject({ code: 1, states: { reachable: 'problem' } });
    expect(wrong.of('reachable')[0]).toMatchObject({
      detail: expect.stringContaining('WRONGPASS'),
      fix: 'Correct the user and the password in REDIS_URL',
    });
    expect(JSON.stringify(wrong.findings)).not.toContain('wrong@');
    const away = await doctor({ REDIS_URL: url.replace(String(port), '1') }, SOON);
    expect(away.of('reachable')[0]?.detail).toMatch(/^Cannot reach the Redis at 127\.0\.0\.1:1: .*ECONNREFUSED/);
  });

  it('doctor ends with exit code 2 for a wrong usage and for wrong settings', async () => {
    const usage = await runCommand('doctor', ['--rate', 'much']);
    expect(usage).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('whole number') });
    const settings = await runCommand('doctor', [], { REDIS_MODE: 'twin' });
    expect(settings).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('REDIS_MODE') });
    expect((await runCommand('doctor', ['--help'])).code).toBe(0);
  });
});
