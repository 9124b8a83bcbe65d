import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Core, openCore } from '../../src/core/core.ts';
import type { CurveText } from '../../src/core/ranking/curves.ts';
import { exportText } from '../../src/imports/export.ts';
import { generateMembers } from '../../src/imports/generate.ts';
import { startCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { realStore, type TestStore } from '../support/stores.ts';

/** What Node adds to the error of a write to a pipe without a reader. */
const GONE = { code: 'EPIPE', syscall: 'write' };
const AWKWARD = ['comma, "quote"', 'two\nlines\r\nand more', ' spaces ', '=1+1', '\uFEFFmark', '"', 'Ünal 🎉', "it's"];

describe('npm run export', needs('redis-server'), () => {
  let testStore: TestStore;
  let redis: Redis;
  let store: Core;
  beforeAll(async () => {
    testStore = await realStore.start();
    redis = new Redis(testStore.url as string);
    store = openCore(redis, 'gr');
  });
  afterAll(async () => {
    redis.disconnect();
    await testStore.stop();
  });
  beforeEach(() => testStore.empty());

  const env = () => ({ REDIS_URL: testStore.url as string });
  const run = async (name: string, args: readonly string[], input = '') => {
    const { code, stdout: out, stderr: err } = await startCommand(name, args, { env: env(), input }).ended;
    return { code, out, err };
  };
  /** Returns all content of a guild, but its revision. */
  const contentOf = async (guild: string) => {
    const content: Record<string, unknown> = {};
    for (const key of (await redis.keys(`gr:{${guild}}:*`)).sort()) {
      const isSet = (await redis.type(key)) === 'zset';
      const value = isSet ? await redis.zrange(key, 0, -1, 'WITHSCORES') : await redis.hgetall(key);
      content[key.replace(`{${guild}}`, '{}')] = isSet ? value : { ...value, rev: '' };
    }
    return content;
  };

  /** Makes a guild with all that a member can have. @param idOf the user id of a member whose id is no number. */
  const fill = async (guild: string, curve: CurveText, idOf = (name: string) => name) => {
    await store.guildConfig.update(guild, { xpCurve: curve });
    const { writer } = store;
    for (const { userId, xp, username, dailyStreak, lastDailyClaim } of generateMembers(600, guild)) {
      const profile = {
        username: username ?? '',
        dailyStreak: dailyStreak ?? 0,
        lastDailyClaim: lastDailyClaim ?? null,
      };
      await writer.record(guild, { userId, set: xp, ...(Number(userId) % 7 !== 0 && profile) });
    }
    for (const [n, username] of AWKWARD.entries())
      await writer.record(guild, { userId: idOf(`a.-_${n}`), set: n, username });
    await writer.recordMany(guild, [
      { userId: idOf('higher'), set: 5000, level: 99 },
      // Equal to the level of the curve, but explicit: it does not rise.
      { userId: idOf('equal'), set: 0, level: 0 },
      { userId: idOf('most'), set: Number.MAX_SAFE_INTEGER },
      { userId: idOf('gone'), set: 77, username: 'Gone', level: 3 },
      { userId: idOf('gone2'), set: 0 },
    ]);
    await writer.hide(guild, [idOf('gone')], { reason: 'self' });
    await writer.hide(guild, [idOf('gone2')]);
    await writer.hide(guild, [idOf('gone2')], { reason: 'left' });
  };

  it.each(['csv', 'ndjson'])(
    'seed imports an export to %s as the same guild, hidden members included',
    async (format) => {
      const curve = 'custom=0,20,30,5,3,2,50';
      await fill('g', curve);
      const { code, out, err } = await run('export', ['--guild', 'g', '--format', format]);
      expect(code).toBe(0);
      expect(err).toMatch(
        /^guild g: exported 613 members, 2 of them hidden; all from the same moment, revision \d{16}\n/,
      );
      expect(err).toContain(`import the file with npm run -s seed -- --curve ${curve} ...\n`);
      await store.guildConfig.update('h', { xpCurve: curve });
      for (const [guild, options] of [
        ['h', []],
        ['h', ['--replace']],
        ['i', ['--curve', curve, '--replace']],
      ] as const) {
        const imported = await run('seed', ['--guild', guild, '--file', '-', '--format', format, ...options], out);
        expect(imported).toMatchObject({ code: 0 });
        expect(await contentOf(guild)).toEqual(await contentOf('g'));
        expect((await store.counters.check(guild)).exact).toBe(true);
      }
      expect((await run('export', ['--guild', 'i', '--format', format])).out.split('\n').sort()).toEqual(
        out.split('\n').sort(),
      );
    },
  );

  it.each(['polaris', 'standard', 'arcane', 'custom=1,5,7,1,2,3,40', 'amari'] as CurveText[])(
    'an export of the curve %s for Polaris has XP and hidden members, and the curve if Polaris can have it',
    async (curve) => {
      // Polaris has ids of Discord alone, and beside them a file has no others.
      const named = new Map<string, string>();
      await fill('g', curve, (name) => {
        named.set(name, named.get(name) ?? String(900000000000000000n + BigInt(named.size)));
        return named.get(name) ?? '';
      });
      const { code, out, err } = await run('export', ['--guild', 'g', '--format', 'polaris']);
      expect([code, Object.keys(JSON.parse(out).users)]).toEqual([0, expect.objectContaining({ length: 613 })]);
      expect(err).toContain('names, explicit levels and claims were left out\n');
      const lacks = curve === 'amari' ? ['--curve', 'amari'] : [];
      expect(err.includes('The file does not contain the curve')).toBe(lacks.length > 0);
      expect(await run('seed', ['--guild', 'h', '--file', '-', ...lacks], out)).toMatchObject({ code: 0 });
      for (const part of ['gr:{}:xp', 'gr:{}:hidden', 'gr:{}:config'])
        expect((await contentOf('h'))[part]).toEqual((await contentOf('g'))[part]);
      expect((await store.counters.check('h')).exact).toBe(true);
    },
  );

  it('an export says that a guild changed meanwhile, and has each member that was there all the time', async () => {
    const ids = Array.from({ length: 3000 }, (_, n) => `m${n}`);
    for (let n = 0; n < 3000; n += 1000)
      await store.writer.recordMany(
        'g',
        ids.slice(n, n + 1000).map((userId) => ({ userId, set: 5 })),
      );
    await store.writer.hide('g', ids.slice(1500));
    const result = { members: 0, hidden: 0, revision: '', curve: undefined };
    let text = '';
    let piece = 0;
    for await (const part of exportText(store.members.readAll('g'), 'csv', result)) {
      text += part;
      // Each member changes its place once.
      await store.writer.hide('g', ids.slice(piece * 100, piece * 100 + 90));
      await store.writer.unhide('g', ids.slice(1500 + piece * 100, 1500 + piece * 100 + 90));
      piece++;
    }
    expect(result.revision).toBeUndefined();
    expect(piece).toBeGreaterThan(10);
    const seen = new Set(text.split('\n').map((line) => line.split(',')[0]));
    expect(ids.filter((id) => !seen.has(id))).toEqual([]);
  });

  it('an export ends quietly when nobody reads on, and says so when it is interrupted', async () => {
    const rows = [...generateMembers(20_000, '1')].map(({ userId, xp }) => ({ userId, set: xp }));
    for (let n = 0; n < rows.length; n += 500) await store.writer.recordMany('g', rows.slice(n, n + 500));
    const left = startCommand('export', ['--guild', 'g'], { env: env(), input: '' });
    left.stdout.once('written', () => left.stdout.destroy(Object.assign(new Error('write EPIPE'), GONE)));
    expect(await left.ended).toMatchObject({ code: 0, stderr: '' });
    const stopped = startCommand('export', ['--guild', 'g', '--format', 'ndjson'], { env: env(), input: '' });
    stopped.stdout.once('written', () => stopped.stop());
    expect(await stopped.ended).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(/^Interrupted: the output ends after [\d,]+ members, 0 of them hidden\n$/),
    });
  });

  it('an export writes an empty guild, and refuses other formats', async () => {
    await store.guildConfig.update('none', { plan: 'free' });
    expect((await run('export', ['--guild', 'none'])).out).toMatch(
      /^user_id,xp,[^\n]*,hidden,hidden_reasons,avatar\n$/,
    );
    expect(JSON.parse((await run('export', ['--guild', 'none', '--format', 'polaris'])).out).users).toEqual({});
    expect(await run('export', ['--guild', 'g', '--format', 'xml'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Allowed choices are csv, ndjson, polaris'),
    });
  });
});
