import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore } from '../../src/core/core.ts';
import { InvalidInputError, StoreUnavailableError } from '../../src/core/errors.ts';
import { deleteGuild } from '../../src/core/guilds/delete.ts';
import { GuildDirectory } from '../../src/core/guilds/guild-directory.ts';
import { requireGuild } from '../../src/core/guilds/overview.ts';
import { RedisKeys } from '../../src/core/store/redis-keys.ts';
import { openStore } from '../../src/core/store/store.ts';
import { AuditLog } from '../../src/dashboard/audit-log.ts';
import { describeStores, type TestStore } from '../support/stores.ts';

const redisKeys = new RedisKeys('gr');

describeStores('the guild directory', (kind) => {
  let store: TestStore;
  let now: number;
  beforeAll(async () => {
    store = await kind.start();
  });
  afterAll(() => store.stop());
  beforeEach(async () => {
    now = 0;
    await store.empty();
  });

  describe('the directory of guilds', () => {
    it('the directory finds each guild once, among many other keys, and nothing else', async () => {
      const { client } = store;
      await client.mset(Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`gr:{big}:cooldown:${n}`, 'x'])));
      await client.zadd('gr:{big}:xp', 1, 'a');
      await client.hset('gr:{big}:config', 'plan', 'pro');
      await client.hset('gr:{configured}:config', 'plan', 'pro');
      await client.hset('gr:{keyed}:keys', 'id', 'sha');
      await client.set('gr:{waiting}:cooldown:a', 'x');
      await client.hset('other:{foreign}:config', 'plan', 'pro');
      const directory = new GuildDirectory({ client, redisKeys }, () => now);
      // One call waits two seconds at most.
      await expect
        .poll(() => directory.list())
        .toEqual({
          guildIds: ['big', 'configured', 'keyed'],
          isComplete: true,
          isCut: false,
        });
    });

    it('the directory keeps no more guilds than its bound, and says that there are more', async () => {
      const { client } = store;
      for (let n = 0; n < 12; n++) await client.hset(`gr:{g${n}}:config`, 'plan', 'pro');
      const bounded = new GuildDirectory({ client, redisKeys }, () => now, 10);
      const { guildIds, isCut } = await bounded.list();
      expect([guildIds.length, isCut]).toEqual([10, true]);
      for (let n = 0; n < 3; n++) await client.del(`gr:{g${n}}:config`);
      now = 30_001;
      expect(await bounded.list()).toMatchObject({ guildIds: { length: 9 }, isCut: false });
    });

    it('the directory finds a guild of hidden members alone, and a guild whose members have all gone, as the commands do', async () => {
      const core = openCore(store.client, 'gr');
      await core.writer.record('hidden', { userId: 'a', set: 5 });
      await core.writer.hide('hidden', ['a']);
      await core.writer.record('emptied', { userId: 'a', set: 5 });
      await core.writer.remove('emptied', ['a']);
      const directory = new GuildDirectory({ client: store.client, redisKeys }, () => now);
      expect((await directory.list()).guildIds).toEqual(['emptied', 'hidden']);
      for (const guild of ['emptied', 'hidden']) await requireGuild(core, guild);
      for (const guild of ['emptied', 'hidden']) await deleteGuild(core, guild);
      now = 30_001;
      expect((await directory.list()).guildIds).toEqual([]);
    });

    it('the directory searches again after half a minute, and not before', async () => {
      const directory = new GuildDirectory({ client: store.client, redisKeys }, () => now);
      expect((await directory.list()).guildIds).toEqual([]);
      await store.client.hset('gr:{new}:config', 'plan', 'pro');
      now = 30_000;
      expect((await directory.list()).guildIds).toEqual([]);
      now = 30_001;
      expect((await directory.list()).guildIds).toEqual(['new']);
    });
  });

  describe('the audit log', () => {
    const author = { who: 'owner', from: '192.0.2.1' };
    const actor = { ...author, role: 'owner' } as const;
    const failing = (error: Error) => () => Promise.reject(error);

    it('the audit log has a change before it is made, and says when the change was refused', async () => {
      const log = new AuditLog(
        openStore(store.client, 'gr'),
        () => 0,
        () => {},
      );
      const during = await log.change('g', actor, 'first', async () => log.latest('g', 10));
      expect(during).toEqual([{ at: expect.stringMatching(/^\d{4}-.*Z$/), what: 'first', times: 1, ...author }]);
      const refused = log.change('g', actor, 'refused', failing(new InvalidInputError('no')));
      await expect(refused).rejects.toThrow('no');
      const unknown = log.change('g', actor, 'unknown', failing(new StoreUnavailableError(new Error('gone'))));
      await expect(unknown).rejects.toThrow(StoreUnavailableError);
      expect((await log.latest('g', 10)).map(({ what }) => what)).toEqual([
        'unknown',
        'Not done: refused',
        'refused',
        'first',
      ]);
    });

    it('the audit log keeps what concerns access, however many other changes there are, and reports each change', async () => {
      const reported: string[] = [];
      const log = new AuditLog(
        openStore(store.client, 'gr'),
        () => 0,
        (guild, { what }) => reported.push(`${guild}: ${what}`),
      );
      await log.note('h', actor, 'Signed in', 'security');
      for (let i = 0; i < 1300; i++) await log.note('h', actor, `Set the XP multiplier to ${i}`, 'data');
      const kept = (await log.latest('h', 5000)).map(({ what }) => what);
      expect(kept.length).toBeLessThan(1200);
      expect([kept[0], kept.at(-1)]).toEqual(['Set the XP multiplier to 1299', 'Signed in']);
      expect([reported.length, reported[0]]).toEqual([1301, 'h: Signed in']);
      const latest = (await log.latest('h', 2)).map(({ what }) => what);
      expect(latest).toEqual(['Set the XP multiplier to 1299', 'Set the XP multiplier to 1298', 'Signed in']);
    });

    it('the audit log takes 60 changes of the owners of a guild at once, whatever their sessions, and refuses the next change before it is made', async () => {
      const clock = { now: 0 };
      const log = new AuditLog(
        openStore(store.client, 'gr'),
        () => clock.now,
        () => {},
      );
      let made = 0;
      const change = (who: string) => {
        const role = who.startsWith('owner') ? 'owner' : 'operator';
        return log.change('i', { role, who, from: '' }, 'change', async () => void made++);
      };
      for (let i = 0; i < 60; i++) await change(`owner u${i % 2}, session ${i}`);
      await expect(change('owner, session a')).rejects.toMatchObject({ status: 429, retryAfterS: 2 });
      await change('operator, session b');
      expect([made, (await log.latest('i', 100)).length]).toEqual([61, 61]);
      clock.now = 2000;
      await change('owner, session a');
      expect(made).toBe(62);
    });
  });
});
