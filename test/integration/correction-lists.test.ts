import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Core, openCore } from '../../src/core/core.ts';
import { StoreUnavailableError } from '../../src/core/errors.ts';
import { type CorrectionList, CorrectionLists, type ListRun } from '../../src/dashboard/members/correction-lists.ts';
import { describeStores, type TestStore } from '../support/stores.ts';

const OWNER = 'g session';
const folder = mkdtempSync(join(tmpdir(), 'guildrank-lists-'));
afterAll(() => rmSync(folder, { recursive: true }));

describeStores('lists of changes', (kind) => {
  let store: TestStore;
  let core: Core;
  let lists: CorrectionLists;
  beforeAll(async () => {
    store = await kind.start();
    core = openCore(store.client, 'gr');
  });
  afterAll(() => store.stop());
  beforeEach(async () => {
    await store.empty();
    lists = new CorrectionLists(core);
  });

  /** Keeps a file. @returns its list. */
  const add = async (text: string): Promise<CorrectionList> => {
    const path = join(folder, 'list.csv');
    writeFileSync(path, text);
    await lists.add(OWNER, 'g', path, 'list.csv');
    return lists.of(OWNER) as CorrectionList;
  };
  /** Runs the list. @returns the runs that were made. */
  const run = async ({ id }: CorrectionList): Promise<ListRun[]> => {
    const runs: ListRun[] = [];
    await lists.run(OWNER, 'g', id, async (_, make) => void runs.push({ ...(await make()) }));
    return runs;
  };
  const member = async (userId: string) => (await core.members.read('g', [userId])).members[0];

  it('a list changes its members once, hidden ones too, and its earlier values give back what it changed', async () => {
    await core.writer.recordMany('g', [
      { userId: 'a', set: 100, username: 'Ann', level: 7 },
      { userId: 'b', set: 50 },
      { userId: 'c', set: 9, username: '=1, "2"\n3' },
    ]);
    await core.writer.hide('g', ['b']);
    const text = 'user_id,xp,add,take,level,name\na,,155,,none,\nb,,,80,4,Ben\nc,7,,,,c\nx,5,,,,\n';
    const list = await add(text);
    expect(list.preview.first).toEqual([
      {
        user_id: 'a',
        username: 'Ann',
        hidden: false,
        xpBefore: 100,
        xp: 255,
        levelBefore: 7,
        level: 2,
        nameAfter: 'Ann',
      },
      { user_id: 'b', username: null, hidden: true, xpBefore: 50, xp: 0, levelBefore: 0, level: 4, nameAfter: 'Ben' },
      expect.objectContaining({ user_id: 'c', xp: 7, nameAfter: null }),
    ]);
    expect(list.problems).toEqual(['list.csv line 5: no member of the server has this id (x)']);
    expect(await Promise.all([run(list), run(list)])).toEqual([[{ done: 3, passedOver: 0, problem: '' }], []]);
    expect(await member('a')).toMatchObject({ xp: 255, level: null, username: 'Ann' });
    expect(await member('b')).toMatchObject({ xp: 0, level: 4, username: 'Ben', hidden: true });
    expect(await member('c')).toMatchObject({ xp: 7, username: null });
    expect(await member('x')).toBeUndefined();
    expect(list.earlier).toBe('user_id,xp,level,name\na,100,7,\nb,50,none,b\nc,9,,"=1, ""2""\n3"\n');
    await core.writer.setProfiles('g', [{ userId: 'a', username: 'Annie' }]);
    const back = await add(list.earlier);
    expect(back.problems).toEqual([]);
    await run(back);
    expect(await member('a')).toMatchObject({ xp: 100, level: 7, username: 'Annie' });
    expect(await member('b')).toMatchObject({ xp: 50, level: null, username: null, hidden: true });
    expect(await member('c')).toMatchObject({ xp: 9, username: '=1, "2"\n3' });
    expect((await core.counters.check('g')).exact).toBe(true);
  });

  it('a list keeps the values from just before its run, and says who was removed since the check', async () => {
    await core.writer.recordMany(
      'g',
      ['a', 'b'].map((userId) => ({ userId, set: 10 })),
    );
    const list = await add('user_id,add\na,5\nb,5\n');
    await core.writer.record('g', { userId: 'a', add: 3 });
    await core.writer.remove('g', ['b']);
    expect(await run(list)).toEqual([{ done: 2, passedOver: 1, problem: '' }]);
    expect(list.earlier).toBe('user_id,xp,level,name\na,13,,\n');
    expect([(await member('a'))?.xp, await member('b')]).toEqual([18, undefined]);
  });

  it('a list that Redis interrupts goes on, changes nobody twice, and keeps its earlier values', async () => {
    const ids = Array.from({ length: 450 }, (_, n) => `u${n}`);
    await core.writer.recordMany(
      'g',
      ids.map((userId) => ({ userId, set: 10 })),
    );
    let calls = 0;
    const { scripts } = core;
    const failing: typeof scripts = Object.create(scripts, {
      run: {
        value: async (...args: Parameters<typeof scripts.run>) => {
          const reply = await scripts.run(...args);
          // The second call of the run is done, and its reply is lost.
          if (args[0].name === 'correct' && ++calls === 2)
            throw new StoreUnavailableError(new Error('Connection lost'));
          return reply;
        },
      },
    });
    lists = new CorrectionLists({ ...core, scripts: failing });
    const list = await add(`user_id,add\n${ids.map((id) => `${id},5\n`).join('')}`);
    expect(await run(list)).toEqual([{ done: 200, passedOver: 0, problem: 'The database does not answer' }]);
    expect(await run(list)).toEqual([{ done: 450, passedOver: 0, problem: '' }]);
    expect(await run(list)).toEqual([]);
    const { members } = await core.members.read('g', ids);
    expect(new Set(members.map(({ xp }) => xp))).toEqual(new Set([15]));
    expect(list.earlier).toContain('\nu0,10,,\n');
    expect(list.earlier).toContain('\nu449,10,,\n');
  });

  it('a list leaves out XP above its range at the check, and names the line that goes above it at the run', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    await core.writer.recordMany('g', [
      { userId: 'a', set: most - 5 },
      { userId: 'b', set: most - 5 },
    ]);
    const list = await add('user_id,add\na,6\nb,5\n');
    expect(list.problems).toEqual(['list.csv line 2: its XP would be above 9007199254740991 (a)']);
    await core.writer.record('g', { userId: 'b', add: 1 });
    const [stopped] = await run(list);
    expect(stopped).toMatchObject({
      done: 0,
      problem: expect.stringMatching(/^Line 3: The addition would take the XP/),
    });
    expect((await member('b'))?.xp).toBe(most - 4);
  });

  it('a list of another owner, or one that was discarded, is not run', async () => {
    await core.writer.record('g', { userId: 'a', set: 10 });
    const list = await add('user_id,add\na,5\n');
    expect(lists.of('g other session')).toBeUndefined();
    lists.discard(OWNER);
    await expect(run(list)).rejects.toThrow('not the file that was checked last');
    expect((await member('a'))?.xp).toBe(10);
  });
});
