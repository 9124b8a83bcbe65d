import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { COMMAND_ADVICE } from '../../src/cli/sentences.ts';
import { StoreUnavailableError } from '../../src/core/errors.ts';
import type { FileRecord } from '../../src/core/members/xp-record.ts';
import { Scripts } from '../../src/core/store/scripts.ts';
import { hideAndImport } from '../../src/imports/hide-and-import.ts';
import { importMembers } from '../../src/imports/import-members.ts';
import { openInput } from '../../src/imports/inputs.ts';
import { Problems } from '../../src/imports/problems.ts';
import { RecordSender } from '../../src/imports/record-sender.ts';
import { needs } from '../support/needs.ts';
import { storeSuite } from '../support/store-suite.ts';
import { realStore } from '../support/stores.ts';

describe('an import of hidden members', needs('redis-server'), () => {
  const suite = storeSuite(realStore);
  const rows: readonly FileRecord[] = [
    { userId: 'a', set: 100, hidden: true, hiddenReasons: ['left'] },
    { userId: 'b', set: 200, hidden: true, hiddenReasons: ['self', 'left'] },
    { userId: 'c', set: 300, hidden: true },
    { userId: 'd', set: 400 },
  ];
  const content = async (guild: string) => {
    const { client } = suite.store;
    return {
      ranked: await client.zrange(`gr:{${guild}}:xp`, 0, -1, 'WITHSCORES'),
      hidden: await client.zrange(`gr:{${guild}}:hidden`, 0, -1, 'WITHSCORES'),
      reasons: await client.hgetall(`gr:{${guild}}:hidden:reasons`),
    };
  };
  /** A store that knows nothing of the guild, so that its first write is sent again with the keys of the boards. */
  const freshTarget = () => {
    return { ...suite.store, scripts: new Scripts(suite.store.client) };
  };
  const IMPORTED = {
    ranked: ['d', '400'],
    hidden: ['a', '100', 'b', '200', 'c', '300'],
    reasons: { a: 'left', b: 'left self' },
  };

  it('an import of hidden members never ranks them meanwhile, even in a guild with boards, whose keys the connection does not know yet', async () => {
    const guild = suite.newGuild();
    await suite.store.guildConfig.update(guild, { boards: ['week'] });
    await hideAndImport(freshTarget(), guild, rows);
    expect(await content(guild)).toEqual(IMPORTED);
    expect(await suite.store.client.zcard(`gr:{${guild}}:xp~week`)).toBe(0);
  });

  it('an import of hidden members has the reasons of the file after a kill at any command, and another run', async () => {
    for (let last = 1; ; last++) {
      const guild = suite.newGuild();
      let commands = 0;
      const target = suite.beside(async () => {
        if (++commands > last) throw new StoreUnavailableError(new Error('killed'));
      });
      const isKilled = await hideAndImport(target, guild, rows).then(
        () => false,
        () => true,
      );
      await hideAndImport(suite.store, guild, rows);
      expect(await content(guild)).toEqual(IMPORTED);
      if (!isKilled) {
        expect(last).toBeGreaterThan(2);
        break;
      }
    }
  });

  it('an import of hidden members keeps the reasons of a guild, and adds the reasons of the file', async () => {
    const guild = suite.newGuild();
    await suite.store.writer.recordMany(
      guild,
      rows.map(({ userId }) => ({ userId, set: 1 })),
    );
    await suite.store.writer.hide(guild, ['a', 'd'], { reason: 'self' });
    await hideAndImport(suite.store, guild, rows);
    expect(await content(guild)).toEqual({
      ranked: [],
      hidden: ['a', '100', 'b', '200', 'c', '300', 'd', '400'],
      reasons: { a: 'left self', b: 'left self', d: 'self' },
    });
  });

  it('an import of hidden members counts the last row of a member, and the reasons of all rows, however many members are between', async () => {
    const guild = suite.newGuild();
    await suite.store.guildConfig.update(guild, { boards: ['week'] });
    const target = freshTarget();
    const sender = new RecordSender(
      (records) => hideAndImport(target, guild, records),
      () => {},
    );
    const add = (record: FileRecord) => sender.add(record, { input: { name: 'f', unit: 'line' }, at: 1 });
    await add({ userId: 'a', set: 5, hidden: true, hiddenReasons: ['left'] });
    await add({ userId: 'd', set: 5 });
    for (let n = 0; n < 1000; n++) await add({ userId: `m${n}`, set: 1 });
    await add({ userId: 'a', set: 7, hidden: true });
    await add({ userId: 'd', set: 7 });
    for (let n = 0; n < 300; n++) await add({ userId: `n${n}`, set: 1 });
    await sender.finish();
    const { hidden, reasons } = await content(guild);
    expect([hidden, reasons]).toEqual([['a', '7'], { a: 'left moderator' }]);
    expect(await suite.store.client.zscore(`gr:{${guild}}:xp`, 'd')).toBe('7');
  });

  it.each([false, true])(
    'an import of hidden members stops at the most members that may be new, even when all are hidden (replace: %s)',
    async (replace) => {
      const guild = suite.newGuild();
      const text = `user_id,xp,hidden\n${Array.from({ length: 5000 }, (_, n) => `m${n},1,true\n`).join('')}`;
      const progress = { advice: COMMAND_ADVICE, update: () => {}, write: () => {} };
      const { signal } = new AbortController();
      const inputs = [await openInput(Readable.from([Buffer.from(text)]), {}, signal, progress)];
      const { outcome } = await importMembers(suite.store, {
        ...{ guild, replace, maxDistinct: 10, maxCreated: 1000 },
        reading: { inputs, strict: false, problems: new Problems(), progress, signal },
        ...{ plan: undefined, curve: undefined, formatCurve: undefined, levels: undefined },
      });
      await Promise.all(inputs.map((input) => input.close()));
      expect(outcome?.message).toContain('It has more than 1,000 members');
      // Writes that were on the way are still done.
      expect(await suite.store.client.zcard(`gr:{${guild}}:hidden`)).toBeLessThan(3000);
    },
  );
});
