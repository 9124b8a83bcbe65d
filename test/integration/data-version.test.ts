import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openCore } from '../../src/core/core.ts';
import { GuildCounters } from '../../src/core/counters/counters.ts';
import { StoreUnavailableError } from '../../src/core/errors.ts';
import { deleteGuild } from '../../src/core/guilds/delete.ts';
import { StagedMembers } from '../../src/core/replace/staged-members.ts';
import { createWriter } from '../../src/kit/writer.ts';
import { describeStores, realStore, type TestStore } from '../support/stores.ts';
import { serviceSuite } from '../support/suite.ts';

const NEWER = /^gr:\{g\}:stats has data of version 3, this program knows version 1: update it$/;

describeStores('the version of the data of a guild', (kind) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await kind.start();
  });
  afterAll(() => store.stop());
  beforeEach(() => store.empty());

  const isReal = kind === realStore;
  const core = () => openCore(store.client, 'gr');
  const stats = () => store.client.hgetall('gr:{g}:stats');

  it('the version is written by the first write, and by the next write where a raw writer left it out', async () => {
    const { writer, guildConfig } = core();
    await writer.record('g', { userId: 'a', set: 5 });
    expect(await stats()).toMatchObject({ model: '1', members: '1' });
    await store.client.hdel('gr:{g}:stats', 'model');
    await writer.record('g', { userId: 'a', set: 6 });
    expect(await stats()).toMatchObject({ model: '1' });
    await guildConfig.update('new', { plan: 'pro' });
    expect(await store.client.hget('gr:{new}:stats', 'model')).toBe('1');
    await deleteGuild(core(), 'g');
    expect(await stats()).toEqual({});
    await writer.record('g', { userId: 'a', set: 5 });
    expect(await stats()).toMatchObject({ model: '1' });
  });

  it('a newer version is refused by each script that writes, and by all commands, with one message', async () => {
    const all = core();
    await all.writer.recordMany('g', [{ userId: 'a', set: 5 }]);
    const staged = await StagedMembers.lock(all, 'g');
    await staged.stage([{ userId: 'b', set: 5 }]);
    await store.client.hset('gr:{g}:stats', 'model', '3');
    const before = await stats();
    for (const write of [
      () => createWriter(store.client).record('g', { userId: 'a', add: 1 }),
      () => all.writer.remove('g', ['a']),
      () => all.guildConfig.update('g', { plan: 'pro' }),
      () => all.guildConfig.update('g', { xpCurve: 'amari' }),
      () => new GuildCounters(all).check('g'),
      () => all.counters.rebuild('g'),
      () => staged.putInPlace(),
      () =>
        all.scripts.run(
          { name: 'delete' },
          [
            'xp',
            'stats',
            'config',
            'hidden',
            'members',
            'season',
            'season:xp',
            'x',
            'hidden:reasons',
            'about',
            'avatars',
            'next:xp:lock',
          ].map((key) => `gr:{g}:${key}`),
          staged.held.token,
        ),
    ]) {
      const error = await write().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error).toMatchObject({ message: expect.stringMatching(NEWER), ...(isReal && { code: 'MODEL' }) });
    }
    expect(await stats()).toEqual(before);
    expect(await store.client.zscore('gr:{g}:xp', 'a')).toBe('5');
  });
});

describeStores('the curve of a guild', (kind) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await kind.start();
  });
  afterAll(() => store.stop());
  beforeEach(() => store.empty());

  it('the curve of a guild is standard unless the configuration names another', async () => {
    const { writer } = openCore(store.client, 'gr');
    expect(await writer.record('g', { userId: 'a', set: 4675 })).toMatchObject({ level: 10 });
    await store.client.hset('gr:{g}:config', 'xp_curve', 'amari');
    expect(await writer.record('g', { userId: 'a', set: 4675 })).toMatchObject({ level: 16 });
  });

  it('a curve that the scripts lack is refused by name, and nothing is changed', async () => {
    const { writer, counters, guildConfig } = openCore(store.client, 'gr');
    const refuse = async (call: () => Promise<unknown>, name: string) => {
      await expect(call()).rejects.toMatchObject({
        message: `the guild has the curve ${name}, which these scripts do not know: update them, or set a known curve`,
        ...(kind === realStore && { code: 'CURVE' }),
      });
      expect(await store.client.exists('gr:{g}:xp', 'gr:{g}:stats')).toBe(0);
    };
    for (const name of ['newer', 'Standard', 'a=1', '%w', '__proto__']) {
      await store.client.hset('gr:{g}:config', 'xp_curve', name);
      await refuse(() => writer.record('g', { userId: 'a', set: 5 }), name);
      await refuse(() => counters.check('g'), name);
    }
    // All coefficients 0 give no level at all.
    await store.client.hset('gr:{g}:config', { xp_curve: 'custom', xp_curve_custom: '0,0,0,0,1,1' });
    await refuse(() => writer.record('g', { userId: 'a', set: 5 }), 'custom=0,0,0,0,1,1');
    await store.client.hset('gr:{g}:config', 'xp_curve_custom', '0,0,50,0,1,00000000001');
    await refuse(() => writer.record('g', { userId: 'a', set: 5 }), 'custom=0,0,50,0,1,00000000001');
    // A text that a person could store before is named by its begin.
    await store.client.hset('gr:{g}:config', 'xp_curve_custom', `0,0,50,0,1,${'0'.repeat(90_000)}1`);
    await refuse(() => writer.record('g', { userId: 'a', set: 5 }), `custom=0,0,50,0,1,${'0'.repeat(70)}`);
    await store.client.hdel('gr:{g}:config', 'xp_curve_custom');
    await refuse(() => writer.record('g', { userId: 'a', set: 5 }), 'custom=');
    await guildConfig.update('g', { xpCurve: 'lurkr' });
    await writer.record('g', { userId: 'a', set: 5 });
  });
});

describeStores('the API', (kind) => {
  const suite = serviceSuite(kind);
  const paths = ['/servers/guild/leaderboard', '/servers/guild/members/a', '/servers/guild/stats'];

  it('a guild of a newer version gets 503, counts the request, and is answered again after a downgrade', async () => {
    const { writer } = suite.service.store;
    await writer.record('guild', { userId: 'a', set: 4675 });
    for (const path of paths) await suite.get(path).expect(200);
    const { client } = suite.testStore;
    const rev = Number(await client.hget('gr:{guild}:stats', 'rev'));
    await client.hset('gr:{guild}:stats', { model: '3', rev: String(rev + 1) });
    for (const path of paths) {
      const { body } = await suite.get(path).expect(503);
      expect(body.code).toBe('store_unavailable');
    }
    await client.hset('gr:{guild}:stats', { model: '1' });
    for (const path of paths) await suite.get(path).expect(200);
    const { headers } = await suite.get(paths[0] as string).expect(200);
    expect(headers['x-ratelimit-remaining']).toBe('90');
  });

  it("the API shows a curve of the guild's own by the name custom, with its levels", async () => {
    const { writer, guildConfig } = suite.service.store;
    await guildConfig.update('guild', { xpCurve: 'custom=0,0,50,0,1,1' });
    await writer.recordMany('guild', [
      { userId: 'a', set: 149 },
      { userId: 'b', set: 99 },
    ]);
    const { body: page } = await suite.get(paths[0] as string).expect(200);
    expect(page.data.map(({ level }: { level: number }) => level)).toEqual([2, 1]);
    expect((await suite.get(paths[1] as string)).body.level).toBe(2);
    expect((await suite.get(paths[2] as string)).body).toMatchObject({ xp_curve: 'custom', average_level: 2 });
    await suite.testStore.client.hset('gr:{guild}:config', 'xp_curve_custom', '0,0,0,0,1,1');
    await writer.record('elsewhere', { userId: 'a', set: 1 });
    await suite.testStore.client.hincrby('gr:{guild}:stats', 'rev', 5);
    await suite.get(paths[0] as string).expect(503);
    await suite.testStore.client.hset('gr:{guild}:config', 'xp_curve_custom', `0,0,50,0,1,${'0'.repeat(90_000)}1`);
    await suite.testStore.client.hincrby('gr:{guild}:stats', 'rev', 5);
    for (const path of paths.slice(0, 2)) await suite.get(path).expect(503);
  });
});
