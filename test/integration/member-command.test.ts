import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Core, openCore } from '../../src/core/core.ts';
import { Scripts } from '../../src/core/store/scripts.ts';
import { runCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { realStore, type TestStore } from '../support/stores.ts';

describe('npm run member and season', needs('redis-server'), () => {
  let testStore: TestStore;
  let store: Core;
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-member-'));
  beforeAll(async () => {
    testStore = await realStore.start();
    store = openCore(testStore.client, 'gr');
  });
  afterAll(async () => {
    await testStore.stop();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    await testStore.empty();
    await store.writer.recordMany('g', [
      { userId: 'a', set: 300, username: 'Ann', dailyStreak: 4, lastDailyClaim: new Date(0) },
      { userId: 'b', set: 4675 },
    ]);
  });
  const run = (name: string, ...args: string[]) => runCommand(name, args, { REDIS_URL: testStore.url as string });
  const member = (verb: string, ...args: string[]) => run('member', verb, '--guild', 'g', ...args);
  const json = async (command: ReturnType<typeof run>) => {
    const { code, stdout, stderr } = await command;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  const isExact = async () => (await store.counters.check('g')).exact;

  it('member show prints a member, ranked or hidden', async () => {
    expect((await member('show', 'a')).stdout).toBe(
      'user         a\nname         Ann\nrank         2\nXP           300\nlevel        2\n' +
        'daily streak 4, last claim 1970-01-01T00:00:00.000Z\n',
    );
    await store.writer.hide('g', ['a']);
    expect(await json(member('show', 'a', '--json'))).toEqual({
      ...{ user_id: 'a', username: 'Ann', level: 2, explicit_level: false, xp: 300, rank: null, hidden: true },
      ...{ hidden_reasons: ['moderator'], daily_streak: 4, last_daily_claim: '1970-01-01T00:00:00.000Z' },
    });
  });

  it('member set, add and rename change XP and profile, and print the result', async () => {
    const set = ['--xp', '500', '--level', '9', '--username', 'Cy', '--daily-streak', '3'];
    expect(
      await json(member('set', 'c', ...set, '--last-daily-claim', '2026-01-31T18:30:00Z', '--json')),
    ).toMatchObject({
      ...{ username: 'Cy', level: 9, explicit_level: true, xp: 500, rank: 2 },
      ...{ daily_streak: 3, last_daily_claim: '2026-01-31T18:30:00.000Z' },
    });
    expect(await json(member('set', 'c', '--level', 'none', '--json'))).toMatchObject({
      level: 3,
      explicit_level: false,
    });
    expect((await member('set', 'c', '--level', '9')).stdout).toContain(
      'XP does not change an explicit level. To set a level that rises with XP, use --xp-of-level instead\n',
    );
    expect(await json(member('set', 'c', '--xp-of-level', '9', '--json'))).toMatchObject({
      ...{ xp: 3720, level: 9, explicit_level: false },
    });
    expect((await member('add', 'c', '955')).stdout).toBe('c: 3720 -> 4675 XP, level 9 -> 10\n');
    await member('set', 'c', '--xp', '500');
    expect((await member('add', 'c', '-400')).stdout).toBe('c: 500 -> 100 XP, level 3 -> 1\n');
    expect((await member('add', 'new', '100', '--json')).stdout).toContain('"xp_before":0,"level_before":0,"xp":100');
    expect(await json(member('rename', 'c', 'Cyd', '--json'))).toMatchObject({ username: 'Cyd', xp: 100 });
    expect(await json(member('rename', 'c', '', '--json'))).toMatchObject({ username: null });
    expect(await isExact()).toBe(true);
  });

  it('member set --xp-of-level sets the XP and the profile in one script, by the curve of that moment', async ({
    onTestFinished,
  }) => {
    await member('set', 'c', '--xp', '5', '--level', '7');
    const scripts = vi.spyOn(Scripts.prototype, 'run');
    onTestFinished(() => scripts.mockRestore());
    const profile = ['--username', 'Cy', '--daily-streak', '3', '--last-daily-claim', '2026-01-31T18:30:00Z'];
    expect(await json(member('set', 'c', '--xp-of-level', '9', ...profile, '--json'))).toMatchObject({
      ...{ username: 'Cy', level: 9, explicit_level: false, xp: 3720, daily_streak: 3 },
      last_daily_claim: '2026-01-31T18:30:00.000Z',
    });
    expect(scripts.mock.calls.map(([{ name }]) => name)).toEqual(['record', 'members', 'batch']);
    expect(await json(member('set', 'new', '--xp-of-level', '0', '--json'))).toMatchObject({ xp: 0, level: 0 });
  });

  it('member set --xp-of-level names the reason for a level that the curve rounds away', async () => {
    await testStore.client.hset('gr:{g}:config', 'xp_curve', 'custom', 'xp_curve_custom', '0,0,1,0,1,100');
    const before = await testStore.client.hgetall('gr:{g}:stats');
    expect(await member('set', 'a', '--xp-of-level', '60')).toMatchObject({
      ...{ code: 3, stdout: '' },
      stderr: 'error: By the curve of guild g no XP gives level 60: it rounds XP beyond this level\n',
    });
    expect(await testStore.client.hgetall('gr:{g}:stats')).toEqual(before);
  });

  it('member set takes a claim without a zone as UTC, as imports do, whatever the zone of the machine', async ({
    onTestFinished,
  }) => {
    vi.stubEnv('TZ', 'America/New_York');
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const [text, stored] of [
      ['2026-01-31T18:30:00', '2026-01-31T18:30:00.000Z'],
      ['2026-01-31 18:30', '2026-01-31T18:30:00.000Z'],
      ['2026-01-31T18:30:00-05:00', '2026-01-31T23:30:00.000Z'],
    ] as const) {
      const shown = await json(member('set', 'a', '--last-daily-claim', text, '--json'));
      expect([text, shown.last_daily_claim]).toEqual([text, stored]);
    }
  });

  it('member hide, unhide and remove take several users, and name the users who are no members with exit code 3', async () => {
    expect(await member('hide', 'a', 'nobody', 'a')).toMatchObject({
      ...{ code: 3, stdout: '1 of 2 hidden\n', stderr: 'These are not members of guild g: nobody\n' },
    });
    expect(await member('hide', 'a')).toMatchObject({ code: 0, stdout: '0 of 1 hidden\n' });
    expect((await member('hide', 'a', '--reason', 'self')).stdout).toBe('0 of 1 hidden\n');
    expect((await member('show', 'a')).stdout).toContain('rank         hidden: self, moderator\n');
    expect((await member('unhide', 'a', 'b')).stdout).toBe('0 of 2 put back\na is still hidden: self\n');
    expect(await json(member('unhide', 'a', 'b', '--json'))).toEqual({
      ...{ guild: 'g', changed: 0, hidden: [{ user_id: 'a', reasons: ['self'] }], unknown: [] },
    });
    expect((await member('unhide', 'a', 'b', '--reason', 'self')).stdout).toBe('1 of 2 put back\n');
    expect(await member('remove', 'a')).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') });
    expect(await member('remove', 'a', 'b', '--yes')).toMatchObject({ code: 0, stdout: '2 of 2 removed\n' });
    expect(await testStore.client.keys('gr:{g}:*')).toEqual(['gr:{g}:stats']);
    expect(await isExact()).toBe(true);
  });

  it('member sync hides members that the list lacks and lifts "left", tells both numbers, and stops at an incomplete list', async () => {
    const list = join(folder, 'ids.txt');
    const sync = (...args: string[]) => member('sync', '--file', list, ...args);
    const places = async () => [
      await testStore.client.zrange('gr:{g}:xp', 0, -1),
      await testStore.client.hgetall('gr:{g}:hidden:reasons'),
    ];
    await store.writer.recordMany(
      'g',
      ['c', 'd', 'e'].map((userId, n) => ({ userId, set: 5000 + n })),
    );
    await store.writer.hide('g', ['c'], { reason: 'left' });
    const before = await places();
    writeFileSync(list, 'a\r\n\n d \ne\nc\nnew');
    expect(await json(sync('--dry-run', '--json'))).toEqual({
      ...{ guild: 'g', dry_run: true, ranked: 4, left: 1, returned: 1 },
    });
    expect(await sync()).toMatchObject({
      ...{
        code: 3,
        stdout: '',
        stderr: expect.stringContaining('lacks 1 of 4 ranked members, which is 25 %, and at most 20 % may be'),
      },
    });
    writeFileSync(list, '\n');
    expect(await sync()).toMatchObject({ code: 1, stderr: expect.stringContaining('is empty') });
    writeFileSync(list, 'a\nx y\n');
    expect(await sync()).toMatchObject({ code: 1, stderr: expect.stringContaining('line 2: "x y" is not a user id') });
    expect(await member('sync', '--file', folder)).toMatchObject({ code: 1, stderr: expect.stringMatching(/EISDIR/) });
    expect(await sync('--max-share', '2')).toMatchObject({ code: 2, stderr: expect.stringContaining('from 0 to 1') });
    expect(await places()).toEqual(before);
    writeFileSync(list, 'a\nd\ne\nc\n');
    expect((await sync('--max-share', '0.5')).stdout).toBe(
      'Hid 1 of 4 ranked members, because the list lacks them.\nLifted "left" from 1 hidden member on the list.\n',
    );
    expect(await places()).toEqual([['a', 'c', 'd', 'e'], { b: 'left' }]);
    expect(await isExact()).toBe(true);
  });

  it('member export prints all that is stored of a user, and remove leaves nothing to print', async () => {
    await store.writer.award('g', { userId: 'a', amount: 5, cooldownMs: 60_000 });
    await store.writer.hide('g', ['a'], { reason: 'self' });
    const stored = await json(member('export', 'a'));
    expect(stored).toMatchObject({
      ...{
        guild: 'g',
        user_id: 'a',
        xp: null,
        hidden_xp: '305',
        hidden_reasons: 'self',
        avatar: null,
        season_xp: null,
        staged: null,
      },
      profile: {
        ...{ stored: '- 4 0 Ann', username: 'Ann', level: null, daily_streak: 4 },
        last_daily_claim: '1970-01-01T00:00:00.000Z',
      },
    });
    expect(stored.cooldown_ms).toBeGreaterThan(0);
    // No key of the guild that names the user is left out.
    const own = (await testStore.client.keys('gr:{g}:*:a')).map((key) => key.split(':')[2]).sort();
    expect(own).toEqual(['cooldown']);
    await member('remove', 'a', '--yes');
    expect(await member('export', 'a')).toMatchObject({
      ...{ code: 3, stdout: '', stderr: 'error: Nothing is stored about user a in guild g\n' },
    });
  });

  it.each([
    [['show', 'nobody'], /Guild g has no member nobody/],
    [['rename', 'nobody', 'x'], /Guild g has no member nobody/],
    [['set', 'a'], /Nothing to set: give --xp, /],
    [['set', 'a', '--xp', '9007199254740992'], /a whole number from 0 to 9007199254740991/],
    [['set', 'a', '--last-daily-claim', 'monday'], /a time such as 2026-01-31T18:30:00Z/],
    [['set', 'a', '--last-daily-claim', '2026-02-30'], /a time such as 2026-01-31T18:30:00Z/],
    [['set', 'a', '--level', '-1'], /a whole number/],
    [['set', 'a', '--xp-of-level', '5', '--xp', '5'], /leave --xp and --level out/],
    [['set', 'a', '--xp-of-level', '9000000'], /no XP gives level 9000000: \d+ is the highest/],
    [['add', 'a', '-301'], /The addition would take the XP out of the range/],
    [['add', 'a', '1.5'], /a whole number/],
    [['rename', 'a', 'x'.repeat(513)], /at most 512 bytes/],
    [['hide', 'a b'], /1 to 64 of A-Z a-z 0-9 _ - \./],
  ])('member %j is refused with the reason, and changes nothing', async (args, message) => {
    const before = await testStore.client.hgetall('gr:{g}:stats');
    const [verb = '', ...rest] = args;
    const { code, stdout, stderr } = await member(verb, ...rest);
    // The data decide over the first three.
    const expected = rest[0] === 'nobody' || args[3] === '9000000' || args[2] === '-301' ? 3 : 2;
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toMatch(message);
    expect(await testStore.client.hgetall('gr:{g}:stats')).toEqual(before);
  });

  it('season reset archives the members, starts them at 0, and can run again', async () => {
    const reset = (...options: string[]) => run('season', 'reset', '--guild', 'g', '--archive', 'g.s1', ...options);
    expect(await reset()).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') });
    expect((await reset('--yes')).stdout).toBe('The season of guild g is over: 2 members copied to g.s1, 2 reset.\n');
    expect(await testStore.client.zrange('gr:{g.s1}:xp', 0, -1, 'WITHSCORES')).toEqual(['a', '300', 'b', '4675']);
    expect((await reset('--yes')).stdout).toContain('is already over: there was nothing to do.');
    expect(
      await json(run('season', 'reset', '--guild', 'g', '--archive', 'g.s2', '--drop-members', '--yes', '--json')),
    ).toEqual({ guild: 'g', archive: 'g.s2', archived: 2, reset: 2 });
    expect(await testStore.client.zcard('gr:{g}:xp')).toBe(0);
    expect(await run('season', 'reset', '--guild', 'g', '--archive', 'g.s1', '--yes')).toMatchObject({
      ...{ code: 3, stderr: expect.stringContaining('name another archive') },
    });
  });
});
