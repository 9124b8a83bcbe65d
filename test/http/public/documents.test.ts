import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { XpRecord } from '../../../src/core/members/xp-record.ts';
import { describeStores } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';
import { ALL_VARIANTS } from '../../support/variants.ts';

const IDS = ['anna', 'bert', 'cleo', 'dora', 'emil', 'fred'];

/** What a bot or a moderator does to one member. */
type Act = 'gain' | 'set' | 'hide' | 'unhide' | 'remove';

describeStores('all documents of a public page', (kind) => {
  // A painter that keeps the texts of a picture.
  const suite = serviceSuite(
    kind,
    { PUBLIC_PAGES: '1', PUBLIC_URL: 'https://ranks.example' },
    {
      painter: async (svg) => Buffer.from(svg),
    },
  );

  /** Returns every document of the guild: each with all members that it may show, and those of one member alone. */
  const documents = (id: string) => ({
    ofAll: [
      '/g/guild',
      '/g/guild?board=week',
      '/g/guild/data.json?limit=100',
      '/g/guild/data.json?limit=100&board=week',
      '/g/guild?overlay=1',
      '/g/guild/badge.svg',
      '/g/guild/top.png',
      '/g/guild/rewards',
      '/g/guild/data.json?limit=100&rewards=1',
    ],
    ofOne: [
      ...['', '/data.json', '/card.svg', '/card.png'].flatMap((end) => [
        `/g/guild/m/${id}${end}`,
        `/g/guild/m/${id}${end}?board=week`,
      ]),
      `/g/guild?around=${id}`,
      `/g/guild/data.json?around=${id}`,
      `/g/guild/data.json?around=${id}&board=week`,
      `/g/guild/badge.svg?member=${id}`,
    ],
    found: [`/g/guild/data.json?find=${id}`, `/g/guild/data.json?find=${id}&board=week`],
  });

  it('no document of a public page shows a member who is hidden or removed, whatever happened before, and all show each ranked member', async () => {
    const act = fc.record({
      id: fc.constantFrom(...IDS),
      kind: fc.constantFrom<Act>('gain', 'set', 'hide', 'unhide', 'remove'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 12 }), async (acts) => {
        await suite.testStore.empty();
        const { writer, guildConfig } = suite.service.store;
        await guildConfig.update('guild', { publicPage: true, boards: ['week'] });
        await guildConfig.setRules('guild', JSON.stringify({ rewards: [{ level: 0, role: 'everybody' }] }));
        const record = (userId: string, change: object) =>
          writer.record('guild', { userId, username: `Name-of-${userId}`, ...change } as XpRecord);
        for (const id of IDS) await record(id, { add: 100 });
        const absent = new Map(IDS.map((id) => [id, { isHidden: false, isRemoved: false }]));
        // Cached documents of before must not come back either.
        for (const path of documents('anna').ofAll) await fetch(suite.service.url + path);
        for (const { id, kind: what } of acts) {
          const state = absent.get(id) ?? expect.fail();
          if (what === 'gain' || what === 'set') {
            await record(id, what === 'gain' ? { add: 7 } : { set: 50 });
            state.isRemoved = false;
          } else if (what === 'remove') {
            await writer.remove('guild', [id]);
            Object.assign(state, { isHidden: false, isRemoved: true });
          } else if (!state.isRemoved) {
            await (what === 'hide' ? writer.hide('guild', [id]) : writer.unhide('guild', [id]));
            state.isHidden = what === 'hide';
          }
        }
        suite.service.advance(600_000);
        const ranked = IDS.filter((id) => !absent.get(id)?.isHidden && !absent.get(id)?.isRemoved);
        const unseen = IDS.filter((id) => !ranked.includes(id));
        const shows = (text: string, id: string) =>
          text.includes(`Name-of-${id}`) || text.includes(`"user_id":"${id}"`);
        const read = async (path: string) => {
          suite.service.advance(2000);
          const answer = await fetch(suite.service.url + path);
          return { status: answer.status, text: await answer.text() };
        };
        for (const path of documents('anna').ofAll) {
          const { text } = await read(path);
          for (const id of unseen) expect([path, id, shows(text, id)]).toEqual([path, id, false]);
        }
        const { text: all } = await read('/g/guild/data.json?limit=100');
        for (const id of ranked) expect([id, shows(all, id)]).toEqual([id, true]);
        const { text: rewards } = await read('/g/guild/rewards');
        expect(rewards).toContain(`>${ranked.length} member`);
        for (const id of IDS) {
          const { ofOne, found } = documents(id);
          for (const path of [...ofOne, ...found]) {
            const { status, text } = await read(path);
            for (const other of unseen) expect([path, other, shows(text, other)]).toEqual([path, other, false]);
            const isRanked = ranked.includes(id);
            const isOfBoard = path.includes('board=');
            if (!isRanked && ofOne.includes(path)) expect([path, status]).toEqual([path, 404]);
            // A member who gained nothing since an XP was set is on no board.
            else if (!isOfBoard && !path.endsWith('.png'))
              expect([path, status, shows(text, id)]).toEqual([path, 200, isRanked]);
          }
        }
      }),
      // A run takes many seconds, so this property has fewer runs than the least of randomRuns.
      { numRuns: ALL_VARIANTS ? 8 : 2 },
    );
  });
});
