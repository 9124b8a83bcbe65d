import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { parseDashboardConfig } from '../../src/config/dashboard.ts';
import { parseConfig } from '../../src/config/service.ts';
import { createInvite } from '../../src/core/access/invites.ts';
import { openCore } from '../../src/core/core.ts';
import { startDashboard } from '../../src/dashboard/server.ts';
import { createWriter } from '../../src/kit/writer.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createService, type RunningService } from '../../src/service/service.ts';
import { ACL_FILE } from '../fault/acl.ts';
import { makeCertificates } from '../support/certificates.ts';
import { Visitor } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT } from '../support/process.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { SILENT } from '../support/service.ts';
import { PATIENT } from '../support/wait.ts';
import { readComposeFile } from './compose-file.ts';

const read = (path: string) => readFileSync(join(repository, path), 'utf8');

/** Returns the documents of a YAML file. A syntax error, a duplicate key or a warning fails the test. */
// biome-ignore lint/suspicious/noExplicitAny: deployment files have no type of their own here
function yaml(path: string): any[] {
  return parseAllDocuments(read(path), { merge: true }).map((document) => {
    if ('errors' in document) expect([...document.errors, ...document.warnings]).toEqual([]);
    return document.toJS();
  });
}

describe('docker-compose.yml', () => {
  const [{ services }] = yaml('docker-compose.yml');

  it('each service of docker-compose.yml depends only on services of its own profile, and every profile is named', () => {
    for (const [name, service] of Object.entries<{ profiles?: string[]; depends_on?: object }>(services)) {
      for (const needed of Object.keys(service.depends_on ?? {})) {
        const profiles = services[needed]?.profiles;
        if (profiles) expect(profiles, `${name} needs ${needed}`).toEqual(service.profiles);
      }
    }
    const profiles = new Set(Object.values<{ profiles?: string[] }>(services).flatMap((each) => each.profiles ?? []));
    expect([...profiles].sort()).toEqual(['bot', 'cluster', 'commands', 'dashboard', 'sentinel']);
  });

  /** Set in the file, or the same in every container. */
  const OWN = /^(REDIS_(URL|MODE|NODES|SENTINEL_\w+|TLS_\w+)|HOST|ADMIN_HOST|(DASHBOARD|DISCORD)_\w+)$/;
  const ofCompose = read('.env.example').split('# --- Docker Compose alone ---')[1] ?? '';
  /** On the outside of the container. */
  const PORTS = ['PORT', 'ADMIN_PORT'];

  it('docker-compose.yml passes on every other setting of .env.example as .env gives it', () => {
    const names = [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);
    const { environment, ports } = services.guildrank;
    const own = (each: string) => OWN.test(each) || PORTS.includes(each) || ofCompose.includes(`\n${each}=`);
    for (const name of names.filter((each) => !own(each))) {
      expect(environment[name], name).toBe(`\${${name}:-}`);
    }
    for (const name of PORTS) expect(ports.join(' ')).toContain(`\${${name}:-`);
  });

  it('docker-compose.yml takes no variable that .env.example does not name with the same default', () => {
    const pairs = new Map(
      [...read('.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    for (const [, name = '', value] of read('docker-compose.yml').matchAll(/\$\{(\w+):-([^}]*)/g)) {
      expect(pairs.has(name), name).toBe(true);
      if (ofCompose.includes(`\n${name}=`) && !value?.startsWith('${')) expect(value, name).toBe(pairs.get(name));
    }
  });

  it('docker-compose.yml runs a Valkey on which the tests run as well', () => {
    const [{ services: all }] = yaml('docker-compose.yml');
    const images = new Set(Object.values<{ image: string }>(all).map(({ image }) => image));
    expect([...images].sort()).toEqual(['guildrank', 'valkey/valkey:8.1']);
    expect(read('.ci/run')).toContain('servers.sh valkey-8');
  });

  it.each(Object.entries(readComposeFile()).filter(([, { image }]) => image === 'guildrank'))(
    'docker-compose.yml gives %s an environment that the service accepts, and no rights that it does not need',
    (_name, service) => {
      expect(() => parseConfig(service.environment ?? {})).not.toThrow();
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    },
  );

  it.each(['guildrank', 'guildrank-bot', 'guildrank-sentinel', 'guildrank-cluster'])(
    'docker-compose.yml opens the API of %s to every machine, and its health and metrics to this machine alone',
    (name) => {
      const { port, adminPort } = parseConfig({});
      expect(readComposeFile()[name]?.ports).toEqual([`${port}:8080`, `127.0.0.1:${adminPort}:9464`]);
    },
  );

  it('the Cluster of docker-compose.yml lets its other shards serve while one shard has no master', () => {
    const { command } = services['cluster-node'];
    expect(command[command.indexOf('--cluster-require-full-coverage') + 1]).toBe('no');
  });

  it.each(['guildrank-bot', 'commands-bot'])(
    'docker-compose.yml gives %s the files for TLS that .env names, each under its path in the container',
    async (name) => {
      const { ca, client, remove } = await makeCertificates('redis.internal');
      onTestFinished(remove);
      const env = {
        BOT_REDIS_URL: 'rediss://bot-host:6379',
        REDIS_TLS_CA: ca,
        REDIS_TLS_CERT: client.cert,
        REDIS_TLS_KEY: client.key,
        REDIS_TLS_SERVERNAME: 'redis.internal',
      };
      const { environment = {}, volumes = [] } = readComposeFile(env)[name] ?? {};
      const mounts = volumes.filter((each) => typeof each !== 'string');
      expect(mounts.every((mount) => mount.type === 'bind' && mount.read_only)).toBe(true);
      const sourceOf = (setting: string) => mounts.find(({ target }) => target === environment[setting])?.source;
      const inContainer = Object.fromEntries(
        ['REDIS_TLS_CA', 'REDIS_TLS_CERT', 'REDIS_TLS_KEY'].map((setting) => [setting, sourceOf(setting)]),
      );
      expect(parseConfig({ ...environment, ...inContainer }).redis.tls).toEqual(
        parseConfig({ ...env, REDIS_URL: env.BOT_REDIS_URL }).redis.tls,
      );
    },
  );

  it('docker-compose.yml mounts a file that exists where .env names none for TLS, and leaves the variable empty', () => {
    const { environment, volumes = [] } = readComposeFile()['guildrank-bot'] ?? {};
    expect(environment).toMatchObject({ REDIS_TLS_CA: '', REDIS_TLS_CERT: '', REDIS_TLS_KEY: '' });
    for (const volume of volumes)
      expect(typeof volume !== 'string' && existsSync(join(repository, volume.source))).toBe(true);
  });

  it('service and dashboard have ports of their own by default, so that one machine can have both', () => {
    const { port, adminPort, dashboardPort } = parseDashboardConfig({});
    expect(new Set([port, adminPort, dashboardPort]).size).toBe(3);
  });

  it('docker-compose.yml gives the dashboard an environment that it accepts, on a port of this machine alone', () => {
    const { environment, ports } = readComposeFile().dashboard ?? {};
    const config = parseDashboardConfig(environment ?? {});
    expect(config).toMatchObject({ dashboardHost: '::', dashboardUrl: 'http://127.0.0.1:8090' });
    expect(ports).toEqual([`127.0.0.1:8090:${config.dashboardPort}`]);
  });
});

describe('.env.example', () => {
  const pairs = [...read('.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);

  it('.env.example names every setting of the service, each with its default', () => {
    const source = ['service', 'dashboard', 'discord'].map((name) => read(`src/config/${name}.ts`)).join('');
    const known = [...source.matchAll(/^ {2,4}([A-Z_]{4,}): /gm)].map(([, name]) => name);
    const ofService = read('.env.example').split('# --- Docker Compose alone ---')[0] ?? '';
    const named = pairs.map(([name = '']) => name).filter((name) => ofService.includes(`\n${name}=`));
    expect(named.sort()).toEqual([...new Set(known)].sort());
    expect(parseDashboardConfig(Object.fromEntries(pairs))).toEqual(parseDashboardConfig({}));
  });
});

describe('the probes of Redis in docker-compose.yml and deploy/kubernetes', needs('redis-server', 'redis-cli'), () => {
  const [{ services }] = yaml('docker-compose.yml');
  const pod = yaml('deploy/kubernetes/overlays/sidecar/stateful-set.yaml')[0].spec.template.spec;
  const { startupProbe, livenessProbe } = pod.initContainers[0];
  const start: string[] = startupProbe.exec.command;

  /** Runs a probe on another port than its own. @returns whether it passes. */
  const passes = async (command: readonly string[], port: number) => {
    const [shell = '', flag = '', text = ''] = command;
    const there = text
      .replace(/127\.0\.0\.1/, `127.0.0.1:${port}`)
      .replace(/valkey-cli|redis-cli/, `redis-cli -p ${port}`);
    return (await runProgram(shell, [flag, there])).code === 0;
  };

  it('the probes pass on a Redis that serves, and fail on a Redis that refuses', async () => {
    expect(['sh', '-c', services.redis.healthcheck.test[1].replace('valkey-cli', 'redis-cli')]).toEqual(start);
    const withUsers = ['--aclfile', join(repository, ACL_FILE)];
    const open = await startEmbeddedRedis(withUsers);
    const locked = await startEmbeddedRedis(['--requirepass', 'x']);
    expect(await passes(start, open.port)).toBe(true);
    expect(await passes(livenessProbe.exec.command, open.port)).toBe(true);
    expect(await passes(start, locked.port)).toBe(false);
    // It lives all the same, and a Redis that is gone does not.
    expect(await passes(livenessProbe.exec.command, locked.port)).toBe(true);
    await open.stop();
    await locked.stop();
    expect(await passes(start, open.port)).toBe(false);
    expect(await passes(livenessProbe.exec.command, open.port)).toBe(false);
  });
});

describe.each(['guildrank.service', 'guildrank-dashboard.service'])('deploy/systemd/%s', (name) => {
  it(`deploy/systemd/${name} says how to keep the passwords in its file of settings from others`, () => {
    const [, file] = /^EnvironmentFile=-(.+)$/m.exec(read(`deploy/systemd/${name}`)) ?? [];
    expect(file).toMatch(/^\/etc\//);
    expect(read(`deploy/systemd/${name}`)).toMatch(new RegExp(`^# .*run chmod 600 ${file}`, 'm'));
  });

  it(
    `systemd-analyze accepts deploy/systemd/${name}, and rates it as well protected`,
    needs('systemd-analyze'),
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'guildrank-unit-'));
      const unit = join(folder, name);
      writeFileSync(unit, read(`deploy/systemd/${name}`).replace('/usr/bin/node', process.execPath));
      const verified = await runProgram('systemd-analyze', ['verify', unit]);
      const rated = await runProgram('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit]);
      rmSync(folder, { recursive: true });
      expect(verified).toEqual({ code: 0, stdout: '', stderr: '' });
      expect(rated.code, rated.stdout).toBe(0);
    },
  );
});

describe('the ACL file on a real Redis', needs('redis-server'), () => {
  let redis: EmbeddedRedis;
  let service: RunningService;
  const clients: Redis[] = [];
  const url = (user: string, password: string) => `redis://${user}:${password}@127.0.0.1:${redis.port}`;
  const open = (user: string, role = user) => {
    const client = new Redis(url(user, `change-me-${role}`));
    clients.push(client);
    return client;
  };

  const refuses = async (user: string, role: string, [name, ...args]: readonly [string, ...(string | number)[]]) => {
    await expect(open(user, role).call(name, ...args)).rejects.toThrow(/^NOPERM|can't (run|access)/);
  };

  beforeAll(async () => {
    redis = await startEmbeddedRedis(['--aclfile', join(repository, ACL_FILE)]);
    const env = {
      ...{ REDIS_URL: url('guildrank', 'change-me-service'), HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0' },
      PUBLIC_PAGES: '1',
      ...LONG_REDIS_TIMEOUT,
    };
    // The time stands still: what the service has cached ends by announcements alone.
    const parts = { logger: SILENT, monotonic: () => 0 };
    service = await (await createService(parseConfig(env), parts)).start();
  });
  afterAll(async () => {
    await service?.close();
    for (const client of clients) client.disconnect();
    await redis?.stop();
  });

  it('users.acl lets bot, operator and service do their work together', async () => {
    const operator = openCore(open('operator'), 'gr');
    await operator.guildConfig.update('g', { xpCurve: 'amari' });
    const { key, record } = await operator.apiKeys.create('g', 'acl', null);
    const bot = createWriter(open('bot'));
    await bot.recordMany('g', [
      { userId: '1', set: 500, username: 'One', level: 3 },
      { userId: '2', add: 20 },
    ]);
    await bot.record('g', { userId: '1', add: 1, level: null });
    await bot.remove('g', ['2']);

    const ask = (path: string) => request(service.url).get(`/api/v1/servers/g/${path}`).set('x-api-key', key);
    expect((await ask('leaderboard')).body.data).toMatchObject([{ user_id: '1', username: 'One', xp: 501 }]);
    expect((await ask('members/1')).status).toBe(200);
    expect((await ask('stats')).headers['x-ratelimit-remaining']).toBe('97');
    const capped = await operator.apiKeys.create('g', 'acl', null, [], 1);
    const askCapped = () => request(service.url).get('/api/v1/servers/g/stats').set('x-api-key', capped.key);
    expect([(await askCapped()).status, (await askCapped()).status]).toEqual([200, 429]);
    await operator.apiKeys.revoke('g', record.id);
    await vi.waitFor(async () => expect((await ask('stats')).status).toBe(401), PATIENT);
  });

  it('users.acl lets the service show all documents of a public page', async () => {
    const operator = openCore(open('operator'), 'gr');
    await operator.guildConfig.update('shown', { publicPage: true, boards: ['week'], avatars: true });
    await operator.guildConfig.setRules('shown', JSON.stringify({ rewards: [{ level: 1, role: '801' }] }));
    const bot = createWriter(open('bot'));
    await bot.record('shown', { userId: '1', add: 500 });
    await bot.describeGuild('shown', { name: 'Shown', roles: [{ id: '801', name: 'Regular', color: 1, position: 1 }] });
    const paths = [
      '',
      '/m/1',
      '/badge.svg',
      '/data.json?rewards=1',
      '/data.json?board=week&rewards=1',
      '/m/1/data.json',
    ];
    for (const path of paths) expect((await request(service.url).get(`/g/shown${path}`)).status, path).toBe(200);
    const { text } = await request(service.url).get('/g/shown/rewards').expect(200);
    expect(text).toContain('1 member<');
  });

  it('users.acl lets the dashboard do its work, with a link of the bot', async () => {
    const config = parseDashboardConfig({
      ...{ REDIS_URL: url('dashboard', 'change-me-dashboard'), DASHBOARD_PORT: '0', ...LONG_REDIS_TIMEOUT },
    });
    const dashboard = await startDashboard(config, createLogger('silent', { write: () => {} }));
    try {
      const link = await createWriter(open('bot')).createDashboardLink('g', { url: dashboard.url, userId: 'u' });
      const owner = new Visitor(dashboard);
      await owner.signIn(link);
      const statuses = [];
      for (const page of ['', '/keys', '/settings/access', '/activity'])
        statuses.push((await owner.get(`/guilds/g${page}`)).status);
      const submit = async (path: string, fields: Record<string, string>) =>
        statuses.push((await owner.submit('/guilds/g', `/guilds/g${path}`, fields)).status);
      const made = await owner.submit('/guilds/g', '/guilds/g/keys', { name: 'acl', lifetime: '7 days', origins: '' });
      statuses.push(made.status, (await owner.get(made.headers.get('location') ?? '')).status);
      await submit('/settings/curve/preview', { curve: 'lurkr', custom: '' });
      await submit('/settings/curve', { curve: 'lurkr', custom: '' });
      await submit('/settings/multiplier', { multiplier: '2' });
      const operator = new Visitor(dashboard);
      const store = openCore(open('operator'), 'gr');
      await operator.signIn(await createInvite(store, dashboard.url, { guildId: null, userId: '' }));
      statuses.push((await operator.get('/operator')).status);
      statuses.push((await operator.submit('/operator', '/guilds/g/settings/plan', { plan: 'pro' })).status);
      expect(statuses).toEqual([200, 200, 200, 200, 303, 200, 200, 303, 303, 200, 303]);
    } finally {
      await dashboard.close();
    }
  });

  const openWithoutCheck = (options: RedisOptions): Redis => {
    const client = new Redis({ port: redis.port, enableReadyCheck: false, maxRetriesPerRequest: 0, ...options });
    client.on('error', () => {});
    clients.push(client);
    return client;
  };

  it('users.acl lets the user health do nothing but PING, and a client without a user nothing', async () => {
    const health = openWithoutCheck({ username: 'health', password: 'any' });
    expect(await health.ping()).toBe('PONG');
    await expect(health.get('x')).rejects.toThrow(/^NOPERM/);
    await expect(health.info()).rejects.toThrow(/^NOPERM/);
    await expect(openWithoutCheck({}).ping()).rejects.toThrow(/^NOAUTH/);
  });

  it('users.acl keeps no Redis in protected mode, which would refuse every other machine', async () => {
    const address = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const own = address.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
    const other = await startEmbeddedRedis(['--aclfile', join(repository, ACL_FILE), '--bind', '0.0.0.0']);
    const client = openWithoutCheck({ host: own, port: other.port, username: 'health', password: 'any' });
    expect(await client.ping()).toBe('PONG');
    await other.stop();
  });

  it('users.acl lets the admin run every command of the runbook', needs('redis-cli'), async () => {
    const commands = [...read('docs/operations.md').matchAll(/redis-cli -u "\$ADMIN_URL" [^`\n]+/g)].map(
      ([text]) => text,
    );
    const named = ['SLOWLOG', 'SCRIPT KILL', 'CONFIG GET', 'CONFIG SET', 'INFO', '--latency', '--rdb'];
    for (const name of named) expect(commands.join('\n')).toContain(name);
    const folder = mkdtempSync(join(tmpdir(), 'guildrank-runbook-'));
    const script = [`cd ${folder}`, ...commands].join('\n');
    const env = { ADMIN_URL: url('admin', 'change-me-admin') };
    const { code, stdout, stderr } = await runProgram('sh', ['-c', script], { env });
    expect([code, existsSync(join(folder, 'guildrank.rdb'))]).toEqual([0, true]);
    expect(stdout + stderr).not.toMatch(/NOPERM|NOAUTH|WRONGPASS/);
    rmSync(folder, { recursive: true });
  });

  it('users.acl lets the admin end a script that holds Redis', async () => {
    const other = await startEmbeddedRedis(['--aclfile', join(repository, ACL_FILE), '--busy-reply-threshold', '1']);
    const at = { port: other.port, username: 'admin', password: 'change-me-admin' };
    const ended = expect(openWithoutCheck(at).eval('while true do end', 0)).rejects.toThrow(/killed/i);
    const admin = openWithoutCheck(at);
    await vi.waitFor(async () => expect(await admin.script('KILL')).toBe('OK'), PATIENT);
    await ended;
    await other.stop();
  });

  it('users.acl has the users and passwords that docker-compose.yml uses', () => {
    const services = readComposeFile();
    expect(services.redis?.command?.join(' ')).toContain('--aclfile /etc/redis/users.acl');
    const acl = read('deploy/redis/users.acl');
    for (const name of ['guildrank', 'commands', 'dashboard']) {
      const { username, password } = new URL(services[name]?.environment?.REDIS_URL ?? '');
      expect(acl, name).toContain(`user ${username} on >${password} `);
    }
  });

  it.each([
    ['guildrank', 'service', ['zadd', 'gr:{g}:xp', 1, '1']],
    ['guildrank', 'service', ['del', 'gr:{g}:xp']],
    ['guildrank', 'service', ['publish', 'gr:changed', 'g']],
    ['guildrank', 'service', ['get', 'other']],
    ['guildrank', 'service', ['flushall']],
    ['bot', 'bot', ['hgetall', 'gr:key:0']],
    ['bot', 'bot', ['hget', 'gr:{g}:keys', 'id']],
    ['operator', 'operator', ['flushall']],
    ['guildrank', 'service', ['get', 'gr:session:0']],
    ['guildrank', 'service', ['xrange', 'gr:{g}:audit', '-', '+']],
    ['bot', 'bot', ['set', 'gr:operator-invite:0', 'operator ']],
    ['bot', 'bot', ['get', 'gr:session:0']],
    ['dashboard', 'dashboard', ['get', 'other']],
    ['dashboard', 'dashboard', ['flushall']],
    ['dashboard', 'dashboard', ['keys', '*']],
    ['guildrank', 'service', ['hset', 'gr:{g}:config', 'plan', 'pro']],
    ['guildrank', 'service', ['eval', "return redis.call('HSET', KEYS[1], 'plan', 'pro')", 1, 'gr:{g}:config']],
    ['guildrank', 'service', ['hset', 'gr:key:0', 'guild_id', 'g']],
    ['guildrank', 'service', ['hset', 'gr:{g}:keys', 'id', 'sha']],
    ['bot', 'bot', ['hset', 'gr:{g}:config', 'plan', 'pro']],
    ['bot', 'bot', ['eval', "return redis.call('HSET', KEYS[1], 'plan', 'pro')", 1, 'gr:{g}:config']],
    ['bot', 'bot', ['del', 'gr:quota:{g}']],
  ] as const)('users.acl refuses the user %s (%s) the command %j', refuses);
});
