import { Redis } from 'ioredis';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { StagedMembers } from '../../src/core/replace/staged-members.ts';
import { runCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { startService, type TestService } from '../support/service.ts';
import { realStore, type TestStore } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';

describe('the commands, as processes', needs('redis-server'), () => {
  let testStore: TestStore;
  let service: TestService;
  let guildCount = 0;

  beforeAll(async () => {
    testStore = await realStore.start();
    service = await startService(testStore);
  });
  afterAll(async () => {
    await service.close();
    await testStore.stop();
  });
  const newGuild = () => `guild-${++guildCount}`;
  const env = () => ({ REDIS_URL: testStore.url as string, NO_COLOR: '1' });
  const keys = (...args: string[]) => runCommand('keys', args, env());
  const guild = (...args: string[]) => runCommand('guild', args, env());
  const json = async (command: ReturnType<typeof keys>) => {
    const result = await command;
    expect(result).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(result.stdout);
  };
  const status = async (guildId: string, key: string) =>
    (await request(service.url).get(`/api/v1/servers/${guildId}/stats`).set('x-api-key', key)).status;

  it('keys create prints a working key once, with a warning to keep it', async () => {
    const id = newGuild();
    const { code, stdout, stderr } = await keys('create', '--guild', id, '--name', 'widget', '--expires', '90d');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [key = '', warning, description] = stdout.split('\n');
    expect(warning).toContain('not be shown again');
    expect(description).toMatch(/\(widget\) of guild guild-\d+, expires \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    expect(await status(id, key)).toBe(200);

    const list = await keys('list', '--guild', id);
    expect(list.stdout).toMatch(
      /^ID\tNAME\tCREATED\tEXPIRES\tLAST USED\tSTATE\tORIGINS\tCAP\n\w{10}\twidget\t.* UTC\t.* UTC\t-\tactive\tany\t-\n$/,
    );
    expect(list.stdout).not.toContain(key);
  });

  it('keys create --expires counts from now in the unit given', async () => {
    const { created_at, expires_at } = await json(keys('create', '--guild', newGuild(), '--expires', '2w', '--json'));
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(14 * 86_400_000);
  });

  it('keys create --origins limits the key to the pages of these origins, and rotate keeps the limit', async () => {
    const id = newGuild();
    const origins = ['https://a.example', 'https://b.example'];
    const created = await keys('create', '--guild', id, '--origins', `${origins.join(',')},${origins[0]}`);
    expect(created.stdout).toMatch(
      /, does not expire, for pages of https:\/\/a\.example https:\/\/b\.example only\.\n$/,
    );
    const [key = ''] = created.stdout.split('\n');
    const ask = (origin: string) =>
      request(service.url).get(`/api/v1/servers/${id}/stats`).set('x-api-key', key).set('origin', origin);
    expect((await ask('https://b.example')).status).toBe(200);
    expect((await ask('https://c.example')).status).toBe(403);
    expect(await status(id, key)).toBe(403);

    expect((await keys('list', '--guild', id)).stdout).toMatch(
      /\tactive\thttps:\/\/a\.example https:\/\/b\.example\t-\n$/,
    );
    const [{ id: keyId }] = (await json(keys('list', '--guild', id, '--json'))).keys;
    expect(await json(keys('rotate', '--guild', id, keyId, '--json'))).toMatchObject({ origins });
  });

  it('keys create --cap limits the requests of the key by the hour, and rotate keeps the limit', async () => {
    const id = newGuild();
    const created = await keys('create', '--guild', id, '--cap', '2');
    const [key = '', , description] = created.stdout.split('\n');
    expect(description).toMatch(/, at most 2 requests an hour\.$/);
    expect([await status(id, key), await status(id, key), await status(id, key)]).toEqual([200, 200, 429]);
    expect((await keys('list', '--guild', id)).stdout).toMatch(/\tactive\tany\t2\n$/);
    const [{ id: keyId }] = (await json(keys('list', '--guild', id, '--json'))).keys;
    expect(await json(keys('rotate', '--guild', id, keyId, '--json'))).toMatchObject({ cap: 2 });
  });

  it('keys list shows a key that a killed process left, and keys revoke takes it away', async () => {
    const id = newGuild();
    await testStore.client.hset(`gr:{${id}}:keys`, 'left', 'a'.repeat(64));
    expect((await keys('list', '--guild', id)).stdout).toMatch(/\nleft\t-\t-\t-\t-\tunfinished\t-\t-\n$/);
    const listed = { id: 'left', state: 'unfinished', expires_at: null };
    expect((await json(keys('list', '--guild', id, '--json'))).keys).toEqual([expect.objectContaining(listed)]);
    await json(keys('revoke', '--guild', id, 'left', '--json'));
    expect(await testStore.client.exists(`gr:{${id}}:keys`)).toBe(0);
  });

  it('keys list tells when each key was used last, once a service has written it', async () => {
    const id = newGuild();
    const { key } = await json(keys('create', '--guild', id, '--json'));
    const other = await startService(testStore);
    await request(other.url).get(`/api/v1/servers/${id}/stats`).set('x-api-key', key).expect(200);
    await other.close();
    const [listed] = (await json(keys('list', '--guild', id, '--json'))).keys;
    // The clock of the service stands still, and not in this hour.
    expect(listed).toMatchObject({
      last_used: '2026-01-15T12:00:00.000Z',
      requests_this_hour: 0,
      refused_this_hour: 0,
    });
    expect((await keys('list', '--guild', id)).stdout).toContain('\t2026-01-15 12:00 UTC\tactive');
  });

  it('keys revoke ends the key at once in a running service that has cached it', async () => {
    const id = newGuild();
    const created = await json(keys('create', '--guild', id, '--json'));
    expect(await status(id, created.key)).toBe(200);
    expect(await json(keys('revoke', '--guild', id, created.id, '--json'))).toEqual({ guild: id, revoked: created.id });
    await vi.waitFor(async () => expect(await status(id, created.key)).toBe(401), PATIENT);
    expect(await json(keys('list', '--guild', id, '--json'))).toEqual({ guild: id, keys: [] });
  });

  it('keys rotate creates a new key, and the old one works only during the overlap', async () => {
    const id = newGuild();
    const old = await json(keys('create', '--guild', id, '--name', 'site', '--json'));
    const begun = Date.now();
    const next = await json(keys('rotate', '--guild', id, old.id, '--overlap', '30m', '--json'));
    const ended = Date.now();
    expect(next).toMatchObject({ name: 'site', expires_at: null, replaces: { id: old.id, state: 'active' } });
    const rotatedAt = Date.parse(next.replaces.expires_at) - 30 * 60_000;
    expect(rotatedAt).toBeGreaterThanOrEqual(begun);
    expect(rotatedAt).toBeLessThanOrEqual(ended);

    const last = await json(keys('rotate', '--guild', id, next.id, '--overlap', '0m', '--json'));
    expect(last.replaces).toEqual({ id: next.id });
    const { stdout } = await keys('list', '--guild', id);
    expect(stdout.match(/\t(active|expired)\tany\t-$/gm)).toHaveLength(2);
  });

  it.each([
    [['create'], /required option '--guild <id>' not specified/],
    [['create', '--guild', 'a b'], /1 to 64 of A-Z a-z 0-9 _ - \./],
    [['create', '--guild', 'g', '--expires', '3 months'], /such as 30m, 24h, 90d or 2w/],
    [['create', '--guild', 'g', '--expires', '0d'], /give at least 1m/],
    [['create', '--guild', 'g', '--name', 'two\nlines'], /without line breaks/],
    [
      ['create', '--guild', 'g', '--origins', 'https://a.example/page'],
      /"https:\/\/a\.example\/page" is not an origin/,
    ],
    [['create', '--guild', 'g', '--origins', ''], /Name at least one origin, or leave --origins out/],
    [
      ['create', '--guild', 'g', '--cap', '0'],
      /"0" is no cap: give a whole number of requests an hour, from 1 to 2147483647/,
    ],
    [['create', '--guild', 'g', '--cap', '2147483648'], /"2147483648" is no cap/],
    [
      ['revoke', '--guild', 'g', 'nokey'],
      /Guild g has no API key nokey: find its id with "npm run -s keys -- list --guild g"\n$/,
    ],
    [['rotate', '--guild', 'g', 'nokey'], /Guild g has no API key nokey/],
  ])('keys %j is refused on stderr with the fix', async (args, message) => {
    const { code, stdout, stderr } = await keys(...args);
    expect({ code, stdout }).toEqual({ code: args.at(-1) === 'nokey' ? 3 : 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('guild set --plan takes effect at once in a running service and keeps the count', async () => {
    const id = newGuild();
    const { key } = await json(keys('create', '--guild', id, '--json'));
    const ask = () => request(service.url).get(`/api/v1/servers/${id}/stats`).set('x-api-key', key);
    expect((await ask()).headers['x-ratelimit-remaining']).toBe('99');
    await json(guild('set', '--guild', id, '--plan', 'pro', '--json'));
    // The service caches the plan for 5 s of its clock, which stands still: without the invalidation the old quota would hold for ever.
    let used = 1;
    await vi.waitFor(async () => {
      const { headers } = await ask();
      used++;
      expect(headers['x-ratelimit-remaining']).toBe(String(10_000 - used));
    }, PATIENT);
    expect(await json(guild('show', '--guild', id, '--json'))).toMatchObject({
      ...{ plan: 'pro', quota_used: used, keys: 1 },
    });
  });

  it('guild set changes curve and multiplier and recounts the levels, and guild show prints them', async () => {
    const id = newGuild();
    await service.store.writer.recordMany(id, [
      { userId: '1', set: 4675 },
      { userId: '2', set: 0 },
    ]);
    expect(await json(guild('show', '--guild', id, '--json'))).toMatchObject({
      average_level: 10,
      xp_curve: 'standard',
    });
    await json(guild('set', '--guild', id, '--xp-curve', 'amari', '--xp-multiplier', '1.5', '--json'));
    const { code, stdout } = await guild('show', '--guild', id);
    expect(code).toBe(0);
    expect(stdout).toContain(
      'XP curve       amari\nXP multiplier  1.5\nboards         none\npublic page    off\navatars        not shown\nmembers        2 ranked, 1 with XP\n',
    );
    expect((await service.store.counters.check(id)).exact).toBe(true);
  });

  it('guild set begins the boards by a time zone or by minutes from UTC, and guild show renews the time zone', async () => {
    const id = newGuild();
    const set = (...args: string[]) => guild('set', '--guild', id, ...args);
    const { config } = service.store.redisKeys.guild(id);
    const { stdout } = await set('--boards', 'week,month', '--time-zone', 'europe/berlin');
    expect(stdout).toContain('boards         week, month; by the clock of Europe/Berlin\n');
    const offsets = await service.store.client.hget(config, 'utc_offsets');
    await service.store.client.hset(config, 'utc_offsets', '60');
    const shown = await json(guild('show', '--guild', id, '--json'));
    expect(shown).toMatchObject({ time_zone: 'Europe/Berlin', utc_offset_minutes: null });
    expect(await service.store.client.hget(config, 'utc_offsets')).toBe(offsets);
    const minutes = await json(set('--utc-offset-minutes', '330', '--json'));
    expect(minutes).toMatchObject({ time_zone: null, utc_offset_minutes: 330 });
    const { stdout: last } = await guild('show', '--guild', id);
    expect(last).toContain('boards         week, month; at 330 minutes from UTC\n');
  });

  it('guild list shows each guild with plan, members, keys and public page', async () => {
    const configured = newGuild();
    const keyed = newGuild();
    await guild('set', '--guild', configured, '--plan', 'pro', '--public-page', 'on', '--page-title', 'The Den');
    await service.store.writer.record(configured, { userId: '1', set: 5 });
    await keys('create', '--guild', keyed);
    const { code, stdout } = await guild('list');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([`${configured}\tpro\t1\t0\tThe Den`, `${keyed}\tfree\t0\t1\toff`]),
    );
    const { guilds } = await json(guild('list', '--json'));
    expect(guilds).toContainEqual(expect.objectContaining({ guild: configured, plan: 'pro', page_title: 'The Den' }));
  });

  it('guild set switches the public page on and off, and guild show prints it', async () => {
    const id = newGuild();
    const set = (...args: string[]) => guild('set', '--guild', id, ...args);
    expect((await set('--public-page', 'on', '--page-title', 'The Den')).stdout).toContain(
      'on, with the title The Den\n',
    );
    expect((await set('--page-title', '')).stdout).toContain(`on, with the title ${id}\n`);
    expect(await json(set('--page-index', 'none', '--page-rewards', 'off', '--json'))).toMatchObject({
      ...{ page_index: 'none', page_rewards: false },
    });
    expect(await json(set('--page-index', 'leaderboard', '--page-rewards', 'on', '--json'))).toMatchObject({
      ...{ page_index: 'leaderboard', page_rewards: true },
    });
    expect(await json(set('--public-page', 'off', '--json'))).toMatchObject({ public_page: false, page_title: '' });
    expect((await guild('show', '--guild', id)).stdout).toContain('public page    off\n');
  });

  it('guild set chooses colours and picture of the public page, and takes them back', async () => {
    const id = newGuild();
    const set = (...args: string[]) => guild('set', '--guild', id, ...args);
    const picture = 'https://cdn.discordapp.com/icons/1/a.png?size=128';
    const { stdout } = await set(
      '--page-accent',
      '#FFcc00',
      '--page-background-dark',
      '#101010',
      '--page-picture',
      picture,
    );
    expect(stdout).toContain(
      `page accent          #FFcc00\npage background dark #101010\npage picture         ${picture}\n`,
    );
    const none = { page_accent: '', page_accent_dark: '', page_background: '' };
    expect(await json(set('--page-accent', '', '--json'))).toMatchObject({ ...none, page_picture: picture });
  });

  it.each([
    [['set', '--guild', 'g', '--plan', 'gold'], /Unknown plan "gold": choose one of free, starter, pro/],
    [['set', '--guild', 'g', '--xp-curve', 'steep'], /Allowed choices are standard, amari, lurkr, polaris, arcane/],
    [['set', '--guild', 'g', '--xp-multiplier', '-1'], /a number from 0 to 1000, such as 1\.5/],
    [
      ['set', '--guild', 'g'],
      /Nothing to set: give --plan, --xp-curve, --xp-multiplier, --boards, --time-zone, --utc-offset-minutes, --public-page, /,
    ],
    [
      ['set', '--guild', 'g', '--time-zone', 'Berlin'],
      /There is no time zone "Berlin": give an IANA name such as Europe\/Berlin, or UTC/,
    ],
    [
      ['set', '--guild', 'g', '--time-zone', 'UTC', '--utc-offset-minutes', '0'],
      /option '--time-zone <name>' cannot be used with option '--utc-offset-minutes <number>'/,
    ],
    [['set', '--guild', 'g', '--utc-offset-minutes', '900'], /from -720 to 840 \(UTC-12:00 to UTC\+14:00\)/],
    [['set', '--guild', 'g', '--public-page', 'yes'], /It must be on or off/],
    [
      ['set', '--guild', 'g', '--page-title', 'x'.repeat(101)],
      /The title of the public page has 100 characters at most/,
    ],
    [['set', '--guild', 'g', '--page-title', ' \u200b\u3164'], /that can be seen/],
    [['set', '--guild', 'g', '--page-title', 'Den\u202egnp'], /without line breaks and direction controls/],
    [
      ['set', '--guild', 'g', '--page-accent', 'red'],
      /The accent of the public page is a colour such as #4f46e5, or empty/,
    ],
    [
      ['set', '--guild', 'g', '--page-picture', 'http://x.example/a.png'],
      /The picture of the public page is an https address/,
    ],
    [['set', '--guild', 'g', '--page-picture', 'https://x.example;script-src/a.png'], /is an https address/],
    [['delete', '--guild', 'g'], /add --yes/],
  ])('guild %j is refused on stderr with exit code 2 and changes nothing', async (args, message) => {
    const { code, stdout, stderr } = await guild(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(await service.store.client.keys('gr:{g}:*')).toEqual([]);
  });

  it('guild delete --yes leaves nothing but the end of its sessions, ends the API keys at once, and can run again', async () => {
    const id = newGuild();
    const { writer, client } = service.store;
    const { key } = await json(keys('create', '--guild', id, '--json'));
    await json(guild('set', '--guild', id, '--plan', 'starter', '--json'));
    const members = Array.from({ length: 1203 }, (_, n) => ({
      userId: `u${n}`,
      set: n,
      username: `U${n}`,
    }));
    await writer.recordMany(id, members);
    await (await StagedMembers.lock(service.store, id)).stage(members.slice(0, 7));
    await client.del(service.store.redisKeys.staging(id).lock);
    expect(await status(id, key)).toBe(200);

    const first = await guild('delete', '--guild', id, '--yes');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toBe(
      'Removed 1,203 members, 7 staged by an unfinished import, 1 API key, configuration, counters, quota.\n',
    );
    expect(await client.keys(`*{${id}}*`)).toEqual([`gr:{${id}}:sessions`]);
    expect((await guild('delete', '--guild', id, '--yes')).stdout).toBe(`Nothing was stored for guild ${id}.\n`);
    await vi.waitFor(async () => expect(await status(id, key)).toBe(401), PATIENT);
  });

  it('stats check exits with 1 on drift, and stats rebuild repairs it', async () => {
    const id = newGuild();
    await service.store.writer.record(id, { userId: '1', set: 100 });
    await service.store.client.zadd(service.store.redisKeys.guild(id).xp, 300, '2');
    const check = await runCommand('stats', ['check', '--guild', id], env());
    expect(check.code).toBe(1);
    expect(check.stderr).toBe(`Repair it with: npm run -s stats -- rebuild --guild ${id}\n`);
    expect((await runCommand('stats', ['rebuild', '--guild', id], env())).code).toBe(0);
    expect((await json(runCommand('stats', ['check', '--guild', id, '--json'], env()))).exact).toBe(true);
  });

  it('stats check --json prints the digits of totals that a number of JavaScript would round', async () => {
    const id = newGuild();
    await service.store.writer.recordMany(id, [
      { userId: '1', set: Number.MAX_SAFE_INTEGER },
      { userId: '2', set: 2 },
    ]);
    const { stats } = service.store.redisKeys.guild(id);
    expect(await service.store.client.hget(stats, 'total_xp')).toBe('9007199254740993');
    await service.store.client.hset(stats, 'total_xp', '9007199254740992');
    const { code, stdout } = await runCommand('stats', ['check', '--guild', id, '--json'], env());
    expect(code).toBe(1);
    expect(stdout).toContain('"exact":false,"stored":{"members":2,"total_xp":9007199254740992,');
    expect(stdout).toContain('"actual":{"members":2,"total_xp":9007199254740993,');
    expect(JSON.parse(stdout)).toMatchObject({ guild: id, actual: { hidden: 0, boards: {} } });
  });

  it('every command prints its usage with --help and exit code 0', async () => {
    const help = [
      ['keys', ['--help'], 'create'],
      ['keys', ['rotate', '--help'], '(default: 24h)'],
      ['guild', ['--help'], 'delete'],
      ['guild', ['set', '--help'], '--xp-multiplier'],
    ] as const;
    for (const [name, args, text] of help) {
      const { code, stdout } = await runCommand(name, args, env());
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: npm run -s ${name} --`);
      expect(stdout).toContain(text);
    }
  });

  it('an error of an unreachable Redis is one line with the address and the fix', async () => {
    const { code, stderr } = await runCommand(
      'keys',
      ['list', '--guild', 'g'],
      { REDIS_URL: 'redis://127.0.0.1:1' },
      { connectTimeoutMs: 200 },
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: Cannot reach the Redis at 127\.0\.0\.1:1: .*Start Redis, or correct REDIS_URL\.\n$/,
    );
  });

  it('an error of a Redis that dies in the middle of a command is one line, and the command ends with it', async () => {
    const redis = await startEmbeddedRedis();
    const client = new Redis(redis.url);
    client.on('error', () => {});
    try {
      await client.client('PAUSE', 60_000, 'WRITE');
      const command = runCommand('keys', ['create', '--guild', 'g'], { REDIS_URL: redis.url });
      await vi.waitFor(async () => expect(await client.client('LIST')).toMatch(/cmd=hset/), PATIENT);
      redis.process.kill('SIGKILL');
      const { code, stdout, stderr } = await command;
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^error: Redis did not answer: .+\n$/);
    } finally {
      client.disconnect();
      await redis.stop();
    }
  });
});
