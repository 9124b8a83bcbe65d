import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { levelForXp } from '../../src/core/ranking/curves.ts';
import { generateMembers } from '../../src/imports/generate.ts';
import { byRank } from '../../src/imports/top-members.ts';
import { createReader, type GuildReader } from '../../src/kit/reader.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';

const FIRST_ID = '204255221017214977';
const SECOND_ID = '159998587045832321';
const members = (count: number, name = '1') => [...generateMembers(count, name)];
const csv = (rows: readonly { userId: string; xp: number }[]) =>
  `user_id,xp\n${rows.map(({ userId, xp }) => `${userId},${xp}\n`).join('')}`;

describe('npm run seed', needs('redis-server'), () => {
  let server: EmbeddedRedis;
  let redis: Redis;
  let store: Core;
  let reader: GuildReader;
  let folder: string;

  beforeAll(async () => {
    server = await startEmbeddedRedis();
    redis = new Redis(server.url);
    store = openCore(redis, 'gr');
    reader = createReader(redis);
    folder = mkdtempSync(join(tmpdir(), 'guildrank-seed-'));
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await redis.flushall();
  });

  const variables = () => ({ REDIS_URL: server.url, REDIS_MODE: '', KEY_PREFIX: '', PLAN_QUOTAS: '' });
  const start = (args: readonly string[], env: Record<string, string> = {}) =>
    startCommand('seed', args, { env: { ...variables(), ...env } });
  const seed = (...args: string[]) => runCommand('seed', args, variables());
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const xpKey = 'gr:{g}:xp';
  const ranking = () => redis.zrevrange(xpKey, 0, -1, 'WITHSCORES');
  /** Returns all stored data without the revision, which rises with every write. */
  const everything = async () => {
    const dump: Record<string, unknown> = {};
    for (const key of (await redis.keys('*')).sort()) {
      dump[key] =
        (await redis.type(key)) === 'zset' ? await redis.zrange(key, 0, -1, 'WITHSCORES') : await redis.hgetall(key);
    }
    delete (dump['gr:{g}:stats'] as Record<string, string> | undefined)?.rev;
    return dump;
  };
  const leftovers = () => redis.keys('gr:{g}:next:*');
  const exact = async () => (await store.counters.check('g')).exact;
  const until = (condition: () => Promise<boolean>) => vi.waitUntil(condition, { interval: 2, timeout: 60_000 });

  it('seed imports a file completely and in order, and a second run changes nothing', async () => {
    const rows = members(3000);
    const path = file('all.csv', csv(rows));
    const first = await seed('--guild', 'g', '--file', path, '--plan', 'pro', '--json');
    expect(first.code).toBe(0);
    expect(first.stderr).toBe(`${path}: csv (detected)\n`);
    expect(JSON.parse(first.stdout)).toMatchObject({
      guild: 'g',
      imported: 3000,
      created: 3000,
      skipped: 0,
      complete: true,
    });
    expect(await ranking()).toEqual([...rows].sort(byRank).flatMap(({ userId, xp }) => [userId, String(xp)]));
    expect(await exact()).toBe(true);
    const before = await everything();
    const second = await seed('--guild', 'g', '--file', path, '--plan', 'pro');
    expect(second.stdout).toMatch(/^guild g: imported 3,000 members in .* 0 new, 3,000 already there\n$/);
    expect(await everything()).toEqual(before);
  });

  it('seed stores profiles, ties, XP 0 and 2^53-1, and the later of two rows of a member', async () => {
    const path = file(
      'some.csv',
      'user_id,username,xp,level,daily_streak,last_daily_claim\n1,"a, b",9007199254740991,,3,2026-01-31T18:30:00Z\n' +
        '2,two,0,,,\n3,three,4675,10,,\n4,four,4675,12,,\n2,zwei,7,,,\n',
    );
    expect((await seed('--guild', 'g', '--file', path, '--levels', 'file')).code).toBe(0);
    expect(await ranking()).toEqual(['1', '9007199254740991', '4', '4675', '3', '4675', '2', '7']);
    expect(await redis.hgetall('gr:{g}:members')).toEqual({
      1: `- 3 ${Date.UTC(2026, 0, 31, 18, 30)} a, b`,
      2: '- 0 - zwei',
      3: '- 0 - three',
      4: '12 0 - four',
    });
    expect(await exact()).toBe(true);
  });

  it('seed skips bad rows, reports them, and exits with 3', async () => {
    const path = file('bad.csv', 'user_id,xp\n1,5\n2,9007199254740993\nx y,1\n3,6\n');
    const { code, stdout, stderr } = await seed('--guild', 'g', '--file', path);
    expect(code).toBe(3);
    expect(stderr).toContain(`${path} line 3: xp "9007199254740993" is not a whole number`);
    expect(stderr).toContain(`${path} line 4: user_id "x y" is not 1 to 64 of`);
    expect(stdout).toContain('2 bad rows skipped');
    expect(await ranking()).toEqual(['3', '6', '1', '5']);
  });

  it('seed groups bad rows by their reason, with their places, after what was imported', async () => {
    const path = file('worse.csv', `user_id,xp\n${'1,x\n'.repeat(5000)}2,-7\n3,\n4,5\n`);
    const { code, stdout, stderr } = await seed('--guild', 'g', '--file', path);
    expect(code).toBe(3);
    expect(stdout).toMatch(/imported 1 member in [^:]+: 1 new, 0 already there, 5,002 bad rows skipped/);
    const reason = 'is not a whole number from 0 to 9007199254740991';
    expect(stderr.split('\n').slice(1, 4)).toEqual([
      `${path} line 2: xp "x" ${reason} (and 5,000 rows like it: 3, 4, 5, 6, 7, …)`,
      `${path} line 5003: xp is missing`,
      'all other rows are imported: correct the bad rows, and run the same command again',
    ]);
  });

  it('seed does not speak of other rows when all are bad', async () => {
    const { code, stdout, stderr } = await seed(
      '--guild',
      'g',
      '--file',
      file('all-bad.csv', 'user_id,xp\n1,x\n2,x\n'),
    );
    expect(stdout).toBe('guild g: nothing was imported: 2 bad rows skipped\n');
    expect([code, stderr]).toEqual([3, expect.stringMatching(/\nthere are no other rows: correct the bad rows, and/)]);
  });

  it('a file with a doubt replaces nothing with --replace, and imports without it', async () => {
    await store.writer.record('g', { userId: 'old', set: 9 });
    const path = file('doubt.csv', 'user_id,xp\n204255221017214980,5\n');
    const replaced = await seed('--guild', 'g', '--file', path, '--replace');
    expect([replaced.code, replaced.stderr]).toEqual([1, expect.stringContaining('look rounded')]);
    expect(await ranking()).toEqual(['old', '9']);
    expect(await seed('--guild', 'g', '--file', path)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('look rounded'),
    });
  });

  it('--refused writes the bad rows into a CSV file, with their members, places and reasons', async () => {
    const path = file('some-bad.csv', 'user_id,username,xp\n1,"Ann, A",5;5\na b,Bob,7\n3,,5\n4,Cy,7,9\n');
    const list = join(folder, 'refused.csv');
    const { code, stderr } = await seed('--guild', 'g', '--file', path, '--refused', list);
    expect([code, stderr]).toEqual([3, expect.stringContaining(`${list} has all bad rows`)]);
    expect(readFileSync(list, 'utf8')).toBe(
      'file,unit,place,user_id,username,reason,row\n' +
        `${path},line,2,1,"Ann, A","xp ""5;5"" is not a whole number from 0 to 9007199254740991",\n` +
        `${path},line,3,a b,Bob,"user_id ""a b"" is not 1 to 64 of A-Z a-z 0-9 _ - .",\n` +
        `${path},line,5,4,Cy,it has 4 values where the first line names 3 columns,"4,Cy,7,9"\n`,
    );
    const nowhere = await seed('--guild', 'g', '--file', path, '--refused', join(folder, 'no', 'refused.csv'));
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('Cannot write')]);
  });

  describe('pages that number themselves', () => {
    const page = (number: number, ...ids: string[]) =>
      file(
        `page-${number}.json`,
        JSON.stringify({ page: number, players: ids.map((id) => ({ id, xp: 5, level: 0, detailed_xp: [5, 100, 5] })) }),
      );

    it('seed says which pages are missing, and then replaces nothing', async () => {
      await store.writer.record('g', { userId: 'old', set: 9 });
      const pages = ['--file', page(3, 'd'), page(0, 'a'), page(1, 'b')];
      const replaced = await seed('--guild', 'g', ...pages, '--replace');
      expect([replaced.code, replaced.stderr]).toEqual([
        1,
        expect.stringContaining(
          'a page is missing between the others: 2: nothing was replaced. Complete the files, or import without',
        ),
      ]);
      expect(await ranking()).toEqual(['old', '9']);
      const imported = await seed('--guild', 'g', ...pages);
      expect([imported.code, imported.stderr]).toEqual([
        0,
        expect.stringContaining('a page is missing between the others: 2\n'),
      ]);
    });

    it('seed says which pages come again, and replaces nothing after a full last page until an empty page follows', async () => {
      const ids = Array.from({ length: 1000 }, (_, n) => `m${n}`);
      const twice = file('again.json', readFileSync(page(0, 'a'), 'utf8'));
      const pages = ['--file', page(1, ...ids), twice, page(0, 'a')];
      const full = 'the last page, page 1, is full with 1,000 members: add the next page, even if it has no members';
      const { code, stderr } = await seed('--guild', 'g', ...pages);
      expect(code).toBe(0);
      expect(stderr).toContain('page 0 comes more than once\n');
      expect(stderr).toContain(`${full}\n`);
      const refused = await seed('--guild', 'g', ...pages, '--replace');
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`${full}: nothing was replaced`)]);
      expect((await seed('--guild', 'g', ...pages, page(2), '--replace')).code).toBe(0);
    });
  });

  it('--rules stores the rules that came with the members, and a run without it says that there are rules', async () => {
    const path = file(
      'mee6-rules.json',
      JSON.stringify({
        players: [{ id: 'a', xp: 5, level: 0, detailed_xp: [5, 100, 5] }],
        role_rewards: [{ rank: 5, role: { id: '200000000000000003', name: 'Five' } }],
        xp_per_message: [15, 25],
        xp_rate: 1.5,
      }),
    );
    const without = await seed('--guild', 'g', '--file', path);
    expect([without.code, without.stderr]).toEqual([0, expect.stringContaining('add --rules to store them')]);
    expect(await redis.hget('gr:{g}:config', 'rules')).toBeNull();
    const { code, stderr } = await seed('--guild', 'g', '--file', path, '--rules');
    expect([code, stderr]).toEqual([0, expect.stringContaining('its rules are stored')]);
    expect(JSON.parse((await redis.hget('gr:{g}:config', 'rules')) ?? '')).toEqual({
      message: { xp: { min: 15, max: 25 }, cooldown_ms: 60_000 },
      rewards: [{ level: 5, role: '200000000000000003' }],
    });
    expect(await redis.hget('gr:{g}:config', 'xp_multiplier')).toBe('1.5');
    const none = await seed('--guild', 'g', '--file', file('plain.csv', 'user_id,xp\n1,5\n'), '--rules');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('there are none')]);
  });

  it('--map and --source-guild read the files of any bot', async () => {
    const rows = [
      { user: '1', guild: '7', points: 5, nick: 'ann' },
      { user: '2', guild: '8', points: 6, nick: 'bob' },
    ];
    const path = file('own-bot.json', JSON.stringify(rows));
    expect((await seed('--guild', 'g', '--file', path)).stderr).toContain('--map ');
    const map = 'id=user,xp=points,name=nick,guild=guild';
    expect((await seed('--guild', 'g', '--file', path, '--map', map)).stderr).toContain(
      'choose the guild with --source-guild',
    );
    expect((await seed('--guild', 'g', '--file', path, '--map', map, '--source-guild', '8')).code).toBe(0);
    expect(await ranking()).toEqual(['2', '6']);
  });

  it('--strict stops at the first bad row with exit code 1, and reports the imported members', async () => {
    const path = file('strict.csv', `${csv(members(600))}100000000000000007,x\n100000000000000008,1\n`);
    const { code, stdout, stderr } = await seed('--guild', 'g', '--file', path, '--strict');
    expect(code).toBe(1);
    expect(stderr).toContain('line 602: xp "x" is not a whole number');
    expect(stderr).toMatch(/correct the file and run it again\)\n$/);
    expect(stdout).toContain('guild g: stopped early, imported 600 members');
    expect(await redis.zcard(xpKey)).toBe(600);
    expect(await exact()).toBe(true);
  });

  it('seed reads the standard input, in any format', async () => {
    const command = start(['--guild', 'g', '--file', '-']);
    command.stdin.end('{"user_id":"1","xp":5}\n{"user_id":"2","xp":6}\n');
    const { code, stderr } = await command.ended;
    expect([code, stderr]).toEqual([0, 'stdin: ndjson (detected)\n']);
    expect(await ranking()).toEqual(['2', '6', '1', '5']);
  });

  it('seed reads several pages in one call, and gives a new guild the curve of their format', async () => {
    const page = (id: string, xp: number, level: number) =>
      JSON.stringify({ data: [{ id, username: id, exp: xp, level }] });
    const { code, stderr } = await seed(
      '--guild',
      'g',
      '--file',
      file('p1', page('1', 1655, 10)),
      file('p2', page('2', 54, 1)),
    );
    expect(code).toBe(0);
    expect(stderr).toContain('curve: amari (from the format)');
    expect(await redis.hget('gr:{g}:config', 'xp_curve')).toBe('amari');
    expect(await redis.hgetall('gr:{g}:stats')).toMatchObject({ members: '2', level_sum: '11' });
    expect(await redis.hget('gr:{g}:members', '1')).toBe('- 0 - 1');
    expect(await exact()).toBe(true);
  });

  it('seed counts a member that is named again once, in a dry run as in the import', async () => {
    const path = file('again', 'user_id,xp,hidden\na,5,\na,9,\na,7,\nh,3,true\nh,4,\ni,8,\ni,8,true\n');
    const { stdout } = await seed('--guild', 'g', '--file', path, '--dry-run');
    expect(stdout).toContain('3 members in the input, 2 hidden, total XP 7, 4 rows repeated a member\n');
    expect(stdout).toMatch(/\n +1 +a +0 +7 +a\n$/);
    expect((await seed('--guild', 'g', '--file', path)).stdout).toMatch(
      /^guild g: imported 3 members in .*: 1 new, 0 already there, 2 hidden, 4 rows repeated a member\n$/,
    );
    expect(await redis.hgetall('gr:{g}:stats')).toMatchObject({ members: '1', total_xp: '7', hidden: '2' });
    const { stdout: again } = await seed('--guild', 'g', '--file', path, '--json');
    expect(JSON.parse(again)).toMatchObject({ imported: 3, created: 0, repeated: 4, hidden: 2 });
  });

  it('seed says in which lines a member is named again', async () => {
    const path = file('twice.csv', 'user_id,xp\na,5\nb,6\na,9\nb,7\na,1\n');
    const line =
      `${path} line 4: it names the member "a" again, and the last row of a member is imported` +
      ' (and 2 rows like it: 5, 6)\n';
    for (const options of [[], ['--replace'], ['--dry-run']])
      expect((await seed('--guild', 'g', '--file', path, ...options)).stderr).toContain(line);
  });

  it('seed says first what is imported, then what was left out and why, and then how the file was read', async () => {
    const path = file('order.csv', `user_id,xp,note\n${FIRST_ID},5,x\n${SECOND_ID},x,y\n${FIRST_ID},9,z\n`);
    const command = start(['--guild', 'g', '--file', path]);
    let output = '';
    for (const stream of [command.stdout, command.stderr])
      stream.on('written', (text: string) => {
        output += text;
      });
    await command.ended;
    expect(output.trimEnd().split('\n')).toEqual([
      `${path}: csv (detected)`,
      expect.stringMatching(/^guild g: imported 1 member/),
      expect.stringContaining('line 3: xp "x" is not a whole number'),
      expect.stringContaining(`line 4: it names the member "${FIRST_ID}" again`),
      `${path}: not used: note`,
      'all other rows are imported: correct the bad rows, and run the same command again',
    ]);
  });

  it('seed says that a file has no members, and imports nothing', async () => {
    const path = file('none.json', '{"levels":[]}');
    const { code, stdout, stderr } = await seed('--guild', 'g', '--file', path);
    expect([code, stdout]).toEqual([0, 'guild g: nothing was imported\n']);
    expect(stderr).toContain(`${path}: no members (detected)\n`);
    expect((await seed('--guild', 'g', '--file', path, '--dry-run')).stdout).toContain(
      'dry run for guild g, nothing was written: no members in the input, total XP 0\n',
    );
  });

  it('seed names the format of many files once, and warns of nothing', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => void warnings.push(warning);
    process.on('warning', warned);
    const paths = Array.from({ length: 12 }, (_, n) => file(`many${n}`, `user_id,xp\n${n},5\n`));
    expect((await seed('--guild', 'g', '--file', ...paths)).stderr).toMatch(/^\S+many0: csv \(detected\)\n$/);
    process.off('warning', warned);
    expect(warnings).toEqual([]);
    expect((await seed('--guild', 'g', '--file', paths[0] as string)).stdout).toContain('imported 1 member in');
  });

  describe('levels that the curve does not give', () => {
    /** A page of Lurkr, whose levels follow the curve of MEE6. */
    const page = () =>
      file(
        'lurkr',
        JSON.stringify({
          levels: [4200, 8000, 30_000].map((xp, n) => ({ userId: `m${n}`, xp, level: levelForXp('standard', xp) })),
        }),
      );
    const lurkr = levelForXp('lurkr', 30_000);
    const standard = levelForXp('standard', 30_000);

    it.each([['no other option'], ['--replace', '--replace'], ['--dry-run', '--dry-run']])(
      'seed with %s changes nothing before a person has chosen, and names the curve that fits',
      async (_with, ...options) => {
        const { code, stderr } = await seed('--guild', 'g', '--plan', 'pro', '--file', page(), ...options);
        expect(code).toBe(3);
        expect(stderr).toContain(
          '3 of 3 levels in the file do not fit the curve lurkr, and 3 fit the curve standard: add --curve standard, or --levels curve',
        );
        expect(await redis.keys('*')).toEqual([]);
      },
    );

    it.each([
      [['--curve', 'standard'], standard, standard],
      [['--levels', 'curve'], lurkr, lurkr],
      [['--levels', 'curve', '--replace'], lurkr, lurkr],
      [['--levels', 'file'], standard, lurkr],
    ] as const)('seed stores the levels as %j says', async (options, level, later) => {
      expect(await seed('--guild', 'g', '--file', page(), ...options)).toMatchObject({ code: 0 });
      expect((await reader.member('g', 'm2'))?.level).toBe(level);
      await store.writer.setProfiles('g', [{ userId: 'm2', level: null }]);
      expect((await reader.member('g', 'm2'))?.level).toBe(later);
      expect(await exact()).toBe(true);
    });

    it('seed changes nothing when only the last level of a large file differs from the curve', async () => {
      await store.writer.record('g', { userId: 'old', set: 5 });
      const before = await redis.hgetall('gr:{g}:stats');
      const rows = Array.from({ length: 600 }, (_, n) => `u${n},${n},${n === 599 ? 99 : levelForXp('amari', n)}`);
      const path = file('last', `user_id,xp,level\n${rows.join('\n')}\n`);
      expect((await seed('--guild', 'g', '--file', path, '--curve', 'amari', '--plan', 'pro')).code).toBe(3);
      expect(await redis.hgetall('gr:{g}:stats')).toEqual(before);
      expect(await redis.exists('gr:{g}:config')).toBe(0);
    });

    it('seed changes nothing when a level of the standard input differs from the curve', async () => {
      const rows = Array.from({ length: 600 }, (_, n) => `u${n},${n},${n === 550 ? 99 : levelForXp('standard', n)}`);
      const command = start(['--guild', 'g', '--file', '-']);
      command.stdin.end(`user_id,xp,level\n${rows.join('\n')}\n`);
      expect(await command.ended).toMatchObject({
        code: 3,
        stdout: expect.stringContaining('guild g: nothing was imported'),
      });
      expect(await redis.keys('*')).toEqual([]);
    });
  });

  it.each([['--replace', '--replace'], ['no other option']])(
    'seed with %s imports a member whose avatar cannot be read, and counts the avatar',
    async (_with, ...options) => {
      const path = file('avatars.csv', 'user_id,xp,avatar\n1,5,x\n2,6,y\n');
      const { code, stdout, stderr } = await seed('--guild', 'g', '--file', path, '--strict', ...options);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/ 2 members .*, 2 avatars left out\n$/)]);
      expect(stderr).toMatch(
        /line 2: avatar "x" is not .*, so the member is imported without an avatar \(and 1 row like it: 3\)\n/,
      );
      expect(await ranking()).toEqual(['2', '6', '1', '5']);
      expect(JSON.parse((await seed('--guild', 'g', '--file', path, '--json')).stdout)).toMatchObject({
        avatars_left_out: 2,
        skipped: 0,
      });
      const preview = await seed('--guild', 'g', '--file', path, '--dry-run');
      expect([preview.code, preview.stdout]).toEqual([0, expect.stringContaining('total XP 11, 2 avatars left out\n')]);
    },
  );

  it.each([['--replace', '--replace'], ['no other option']])(
    'seed with %s hides the members of a Polaris export whom moderators have hidden',
    async (_with, ...options) => {
      const path = new URL('../fixtures/imports/polaris.json', import.meta.url).pathname;
      const hidden = '100000000000000003';
      // It is ranked before, and another one, which the file lacks, is hidden: both ways keep that.
      await store.writer.recordMany('g', [
        { userId: hidden, set: 5 },
        { userId: 'other', set: 9 },
      ]);
      await store.writer.hide('g', ['other']);
      const { code, stdout } = await seed('--guild', 'g', '--file', path, ...options);
      const summary = options[0]
        ? /replaced by 3 members .* 0 removed, 1 hidden\n$/
        : /2 new, 0 already there, 1 hidden\n$/;
      expect([code, stdout]).toEqual([0, expect.stringMatching(summary)]);
      expect(await ranking()).toEqual(['100000000000000001', '7000', '100000000000000002', '200']);
      expect(await redis.zrange('gr:{g}:hidden', 0, -1, 'WITHSCORES')).toEqual(['other', '9', hidden, '9000']);
      expect(await exact()).toBe(true);
      expect(JSON.parse((await seed('--guild', 'g', '--file', path, '--json')).stdout)).toMatchObject({ hidden: 1 });
      const { stdout: preview, stderr: said } = await seed('--guild', 'g', '--file', path, '--dry-run');
      expect(said).toContain(
        '1 hidden: Polaris shows them again at their next message, and here they stay hidden until',
      );
      expect(preview).toContain('3 members in the input, 1 hidden, total XP 7,200\n');
      expect(preview).not.toContain(hidden);
    },
  );

  it('seed takes over the curve and the highest level of a Polaris server', async () => {
    const settings = { curve: { 1: 0, 2: 2.5, 3: 0 }, rounding: 1, maxLevel: 20 };
    const path = file(
      'own.json',
      JSON.stringify({ settings, users: { 1: { xp: 90 }, 2: { xp: 89 }, 3: { xp: 5000 } } }),
    );
    const { code, stderr } = await seed('--guild', 'g', '--file', path);
    expect([code, stderr]).toEqual([0, expect.stringContaining('curve: custom=0,5,0,1,2,1,20 (from the file)\n')]);
    const levels = (await reader.page('g', 1, 9)).data.map(({ userId, level }) => [userId, level]);
    expect(levels).toEqual([
      ['3', 20],
      ['1', 6],
      ['2', 5],
    ]);
    expect(await store.writer.award('g', { userId: '3', amount: 1 })).toMatchObject({ level: 20, xpToNextLevel: null });
    expect(await exact()).toBe(true);
    // Another program of the guild's own curve reads the same.
    expect((await seed('--guild', 'h', '--file', path, '--curve', 'custom=0,0,5,0,1,1')).code).toBe(0);
    expect((await reader.member('h', '3'))?.level).toBe(1000);
  });

  it('--dry-run needs no Redis, and shows the first ten members as they would rank', async () => {
    const rows = members(500);
    const command = start(['--guild', 'g', '--file', file('dry.csv', csv(rows)), '--dry-run', '--json'], {
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    const { code, stdout } = await command.ended;
    expect(code).toBe(0);
    const { top, rows: count } = JSON.parse(stdout);
    expect(count).toBe(500);
    expect(top.map((row: { user_id: string }) => row.user_id)).toEqual(
      [...rows]
        .sort(byRank)
        .slice(0, 10)
        .map(({ userId }) => userId),
    );
  });

  it('--generate imports the same members for the same --random-seed', async () => {
    await seed('--guild', 'g', '--generate', '700', '--random-seed', 'x');
    const first = await everything();
    await redis.flushall();
    await seed('--guild', 'g', '--generate', '700', '--random-seed', 'x');
    expect(await everything()).toEqual(first);
    expect(await redis.zcard(xpKey)).toBe(700);
  });

  it('--replace puts the new members in place while a reader never sees the guild empty', async () => {
    const old = members(4000, 'old');
    const next = members(3000, 'new');
    await seed('--guild', 'g', '--file', file('old.csv', csv(old)));
    const command = start(['--guild', 'g', '--file', file('new.csv', csv(next)), '--replace']);
    const seen: number[] = [];
    let going = true;
    const reader = until(async () => {
      seen.push(await redis.zcard(xpKey));
      return !going;
    });
    const { code, stdout } = await command.ended;
    going = false;
    await reader;
    expect(code).toBe(0);
    expect(stdout).toMatch(/replaced by 3,000 members/);
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(3000);
    expect(await ranking()).toEqual([...next].sort(byRank).flatMap(({ userId, xp }) => [userId, String(xp)]));
    expect(await exact()).toBe(true);
    expect(await leftovers()).toEqual([]);
  });

  it.each([
    ['a bad row', 'user_id,xp\n1,5\n2,x\n', '1 bad row: nothing was replaced'],
    ['no members', 'user_id,xp\n', 'nothing was replaced'],
  ])('a file with %s replaces nothing with --replace, and leaves nothing behind', async (_what, text, message) => {
    await seed('--guild', 'g', '--generate', '300');
    const before = await everything();
    const { code, stderr } = await seed(
      '--guild',
      'g',
      '--file',
      file('half.csv', text),
      '--replace',
      '--curve',
      'lurkr',
    );
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(await everything()).toEqual(before);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s while seed imports ends it with exit code 130, a summary, and exact counters',
    async (signal) => {
      const command = start(['--guild', 'g', '--generate', '5000000']);
      await until(async () => (await redis.zcard(xpKey)) > 2000);
      command.stop(signal);
      const { code, stdout, stderr } = await command.ended;
      expect(code).toBe(130);
      expect(stderr).toContain('Interrupted');
      const imported = Number(/imported ([\d,]+) members/.exec(stdout)?.[1]?.replaceAll(',', ''));
      expect(imported).toBe(await redis.zcard(xpKey));
      expect(await exact()).toBe(true);
    },
  );

  it.each([
    ['before anything came from the standard input', ''],
    ['while the standard input still comes', csv(members(1000))],
  ])('Ctrl-C %s ends seed with exit code 130, and nothing is imported', async (_when, text) => {
    const command = start(['--guild', 'g', '--file', file('first.csv', csv(members(5))), '-']);
    // It names the first file when it has read it, and then waits for the other one.
    await command.waitForOutput(/detected/);
    command.stdin.write(text);
    command.stop();
    expect(await command.ended).toMatchObject({
      code: 130,
      stdout: '',
      stderr: expect.stringMatching(/\nInterrupted: nothing was imported\n$/),
    });
    expect(await redis.dbsize()).toBe(0);
  });

  it('seed reads files packed with gzip', async () => {
    const rows = members(3000);
    const path = join(folder, 'all.csv.gz');
    writeFileSync(path, gzipSync(csv(rows)));
    const { code, stderr } = await seed('--guild', 'g', '--file', path);
    expect([code, stderr]).toEqual([0, `${path}: csv (detected)\n`]);
    expect(await redis.zcard(xpKey)).toBe(3000);
    writeFileSync(path, gzipSync(csv(rows)).subarray(0, -20));
    const cut = await seed('--guild', 'g', '--file', path);
    expect([cut.code, cut.stderr]).toEqual([1, expect.stringContaining('the gzip archive is cut off')]);
  });

  it('seed stops at a name that is not UTF-8, stores nothing of the file, and says how to convert it', async () => {
    const path = join(folder, 'latin1.csv');
    writeFileSync(path, Buffer.from('user_id,xp,username\n1,5,José\n', 'latin1'));
    const { code, stderr } = await seed('--guild', 'g', '--file', path);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/is not UTF-8 text, near .* convert it/)]);
    expect(await redis.dbsize()).toBe(0);
  });

  it('Ctrl-C while --replace stages replaces nothing and cleans up', async () => {
    await seed('--guild', 'g', '--generate', '300');
    const before = await everything();
    const command = start(['--guild', 'g', '--generate', '5000000', '--replace']);
    await until(async () => (await redis.zcard('gr:{g}:next:xp')) > 2000);
    command.stop();
    const { code, stderr } = await command.ended;
    expect([code, stderr]).toEqual([130, expect.stringContaining('nothing was replaced')]);
    expect(await everything()).toEqual(before);
  });

  it('seed reports the imported members when Redis goes away, and exits with 1', async () => {
    const own = await startEmbeddedRedis();
    const client = new Redis(own.url);
    client.on('error', () => {});
    const command = start(['--guild', 'g', '--generate', '5000000'], { REDIS_URL: own.url });
    await until(async () => (await client.zcard(xpKey)) > 1000);
    client.disconnect();
    await own.stop();
    const { code, stdout, stderr } = await command.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: Redis did not answer: .+ \([\d,]+ members were imported, .* run the same command again\)\n$/,
    );
    expect(stdout).toMatch(/^guild g: stopped early, imported /);
  });

  it.each([
    [['--guild', 'g'], 'Give either --file or --generate'],
    [['--guild', 'g', '--file', 'nowhere.csv'], 'Cannot read nowhere.csv: there is no such file'],
    [
      ['--guild', 'g', '--generate', '5', '--curve', 'steep'],
      'Allowed choices are standard, amari, lurkr, polaris, arcane',
    ],
    [['--guild', 'g', '--generate', '5', '--plan', 'gold'], 'Unknown plan "gold": choose one of free, starter, pro'],
    [['--guild', 'a b', '--generate', '5'], 'It must be 1 to 64 of A-Z a-z 0-9 _ - .'],
    [['--guild', 'g', '--generate', '0'], 'It must be a whole number from 1 to 99999999'],
    [['--guild', 'g', '--file', 'x', '--map', 'name=tag'], 'It must name the field with the XP, such as xp=total_xp'],
    [
      ['--guild', 'g', '--file', 'x', '--map', 'points=p'],
      'It must be like xp=total_xp,name=tag, with the fields id, xp',
    ],
  ])('seed refuses the options %j in one line, and writes nothing', async (args, message) => {
    const { code, stderr } = await seed(...args);
    expect([code, stderr]).toEqual([args.includes('nowhere.csv') ? 1 : 2, expect.stringContaining(message)]);
    expect(await redis.dbsize()).toBe(0);
  });

  it('--help names every option and exit code', async () => {
    const { code, stdout } = await seed('--help');
    expect(code).toBe(0);
    for (const word of ['--replace', '--dry-run', '--strict', 'Exit codes', '130']) expect(stdout).toContain(word);
  });

  it('seed imports the members of a fixture', async () => {
    const path = new URL('../fixtures/imports/lurkr.json', import.meta.url).pathname;
    expect((await seed('--guild', 'g', '--file', path)).code).toBe(0);
    expect(JSON.parse(readFileSync(path, 'utf8')).levels).toHaveLength(2);
    expect(await ranking()).toEqual(['100000000000000001', '4150', '100000000000000002', '100']);
  });
});
