import request from 'supertest';
import { beforeEach, expect, it } from 'vitest';
import { CURVE_NAMES, parseCurve, xpForLevel } from '../../../src/core/ranking/curves.ts';
import { parseRules, rewardRoles } from '../../../src/core/rules/rules.ts';
import { LANGUAGES } from '../../../src/widget/translation.ts';
import { faultsOf } from '../../support/api-document.ts';
import { describeStores } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';

const RULES = {
  message: { xp: { min: 15, max: 25 }, cooldown_ms: 60_000, min_chars: 5 },
  voice: { xp: 10 },
  no_xp: { channels: ['901'] },
  multipliers: { roles: { 801: 2 } },
  rewards: [
    { level: 5, role: '801' },
    { level: 10, role: '802' },
    { level: 10, role: '803' },
  ],
};

describeStores('the page of rewards and rules', (kind) => {
  const suite = serviceSuite(kind, { PUBLIC_PAGES: '1' });
  const PAGE = '/g/guild/rewards';
  const get = (path: string) => request(suite.service.url).get(path);
  const configure = (change: object) => suite.service.store.guildConfig.update('guild', change);
  const setRules = (rules: object) => suite.service.store.guildConfig.setRules('guild', JSON.stringify(rules));
  /** Returns the texts of a page, without its markup. */
  const shown = async (path = PAGE) => {
    const { text } = await get(path).expect(200);
    return text
      .slice(text.indexOf('<main'))
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ');
  };
  beforeEach(async () => {
    suite.service.advance(120_000);
    await suite.service.store.writer.record('guild', { userId: 'ann', set: 4675 });
    await configure({ publicPage: true, pageTitle: 'The Den' });
    await setRules(RULES);
    await suite.testStore.client.hset('gr:{guild}:about', {
      roles: JSON.stringify([
        { id: '801', name: 'Regular', color: 0x00ff10, position: 2 },
        { id: '802', name: '<b>Elite</b>', color: 0, position: 1 },
      ]),
      channels: JSON.stringify([{ id: '901', name: 'spam', type: 0, parent: null }]),
    });
    await suite.testStore.client.hincrby('gr:{guild}:stats', 'rev', 1);
  });

  it('the page of rewards says which roles a level gives, by the names and colours that the bot has told, or by their ids', async () => {
    const { text } = await get(PAGE).expect(200);
    expect(text).toContain('fill="#00ff10"');
    expect(text).toContain('<bdi>@&lt;b&gt;Elite&lt;/b&gt;</bdi>');
    expect(await shown()).toMatch(/Level 5 @Regular .* Level 10 @&lt;b&gt;Elite&lt;\/b&gt; .* 803 /);
  });

  it('the page of rewards says how many ranked members have each role, and counts anew after each change', async () => {
    const { writer } = suite.service.store;
    await writer.recordMany('guild', [
      { userId: 'bob', set: 1150 },
      { userId: 'cid', set: 1149 },
      { userId: 'dan', set: 9999, hidden: true },
    ]);
    const { headers, text } = await get(PAGE).expect(200);
    expect(text).toContain('<bdi>803</bdi></span> <span class="holders">1 member</span>');
    expect(await shown()).toContain('Level 5 @Regular 2 members Level 10');
    await get(PAGE).set('If-None-Match', String(headers.etag)).expect(304);
    await writer.record('guild', { userId: 'cid', add: 1 });
    await get(PAGE).set('If-None-Match', String(headers.etag)).expect(200);
    expect(await shown()).toContain('Level 5 @Regular 3 members Level 10');
    await writer.unhide('guild', ['dan']);
    expect(await shown()).toContain(
      'Level 5 @Regular 4 members Level 10 @&lt;b&gt;Elite&lt;/b&gt; 2 members 803 2 members',
    );
    await configure({ xpCurve: 'custom=0,0,1000,0,1,1' });
    expect(await shown()).toContain('Level 5 @Regular 1 member Level 10 @&lt;b&gt;Elite&lt;/b&gt; 0 members');
  });

  it('the page of rewards counts a role until the next reward takes it away, everybody for level 0, and nobody above the highest level', async () => {
    const reward = (level: number, role: string, kept = true) => ({ level, role, kept });
    await setRules({
      rewards: [reward(0, 'r0'), reward(5, 'r5', false), reward(10, 'r10', false), reward(1_000_000, 'r9')],
    });
    await suite.service.store.writer.recordMany('guild', [
      { userId: 'bob', set: 1150 },
      { userId: 'cid', set: 0 },
    ]);
    expect(await shown()).toContain(
      'Level 0 r0 3 members Level 5 r5 1 member Level 10 r10 1 member Level 1,000,000 r9 0 members',
    );
  });

  it('the number beside a role is that of a naive count, at and around each level of each curve, without hidden members', async () => {
    const { writer, guildConfig } = suite.service.store;
    const levels = [1, 2, 3, 7, 10];
    const rewards = levels.map((level, at) => ({ level, role: `role-${level}`, kept: at % 2 === 0 }));
    await setRules({ rewards });
    const rules = parseRules({ rewards });
    for (const text of [...CURVE_NAMES, 'custom=0,0,100,0,1,1,8', 'custom=1,2,3,0,7,50'] as const) {
      await guildConfig.update('guild', { xpCurve: text });
      const curve = parseCurve(text) ?? expect.fail();
      const xps = levels.flatMap((level) => [-1, 0, 0, 1].map((more) => Math.max(0, xpForLevel(curve, level) + more)));
      await writer.recordMany(
        'guild',
        xps.map((set, n) => ({ userId: `m${n}`, set })),
      );
      await writer.unhide(
        'guild',
        xps.map((_, n) => `m${n}`),
      );
      await writer.hide('guild', ['m1', 'm6', 'm19']);
      const { data } = (await get('/g/guild/data.json?limit=100').expect(200)).body;
      const html = await shown();
      for (const { role } of rewards) {
        const holders = data.filter(({ level }: { level: number }) => rewardRoles(rules, level, []).add.includes(role));
        const [, count] = new RegExp(` ${role} (\\d+) members?`).exec(html) ?? [];
        expect([text, role, Number(count)]).toEqual([text, role, holders.length]);
      }
    }
  });

  it('each of several levels that give the same role shows the number of all members with this role, which is that of a naive count', async () => {
    const reward = (level: number, role: string, kept: boolean) => ({ level, role, kept });
    const rewards = [
      reward(2, 'twice', false),
      reward(5, 'other', true),
      reward(8, 'twice', true),
      reward(9, 'last', false),
      reward(3, 'again', false),
      reward(5, 'again', false),
      reward(1, 'early', true),
      reward(8, 'early', false),
    ];
    await setRules({ rewards });
    const curve = parseCurve('standard') ?? expect.fail();
    await suite.service.store.writer.recordMany(
      'guild',
      [1, 2, 2, 3, 4, 5, 5, 5, 7, 8, 9, 9, 12].map((level, n) => ({ userId: `m${n}`, set: xpForLevel(curve, level) })),
    );
    const { data } = (await get('/g/guild/data.json?limit=100').expect(200)).body;
    const html = await shown();
    for (const role of new Set(rewards.map(({ role }) => role))) {
      const holders = data.filter(({ level }: { level: number }) =>
        rewardRoles(parseRules({ rewards }), level, []).add.includes(role),
      );
      const counts = [...html.matchAll(new RegExp(` ${role} (\\d+) members?`, 'g'))].map(([, count]) => Number(count));
      const rows = rewards.filter((each) => each.role === role);
      expect([role, counts]).toEqual([role, rows.map(() => holders.length)]);
    }
  });

  it('the page of rewards counts nobody while levels are explicit, and counts again once the counters are counted without an explicit level', async () => {
    const { writer, counters } = suite.service.store;
    await writer.record('guild', { userId: 'bob', set: 5, level: 40 });
    expect(await shown()).not.toContain('member');
    await writer.record('guild', { userId: 'bob', add: 0, level: null });
    expect(await shown()).not.toContain('member');
    await counters.rebuild('guild');
    expect(await shown()).toContain('Level 5 @Regular 1 member');
  });

  it('the page of rewards says in sentences how XP is earned and what the curve asks for', async () => {
    await configure({ xpMultiplier: 1.5 });
    const text = await shown();
    for (const sentence of [
      'Each message gives 15–25 XP.',
      'After a message with XP, the next one counts 60 seconds later.',
      'A message needs 5 characters.',
      'Time in voice channels gives 10 XP again and again.',
      'All XP counts 1.5 times.',
      '@Regular 2× XP',
      '#spam no XP',
      '1 100 2 255',
    ])
      expect(text).toContain(sentence);
  });

  it('the page of rewards is a tab on all pages of the guild, and speaks their languages', async () => {
    for (const path of ['/g/guild', '/g/guild/m/ann', PAGE])
      expect((await get(path).expect(200)).text).toContain('>Rewards</a>');
    expect((await get('/g/guild/m/nobody').expect(404)).text).toContain('href="../../../g/guild/rewards">Rewards</a>');
    const texts = new Set();
    for (const lang of LANGUAGES) texts.add(await shown(`${PAGE}?lang=${lang}`));
    expect(texts.size).toBe(LANGUAGES.length);
    await get(`${PAGE}?lang=xx`).expect(400);
  });

  it('the public data have the rewards by level for whoever asks for them, with the names and colours that the bot has told', async () => {
    await setRules({ ...RULES, rewards: [...RULES.rewards].reverse() });
    const rewards = [
      { level: 5, role: { id: '801', name: 'Regular', color: '#00ff10' } },
      { level: 10, role: { id: '803', name: null, color: null } },
      { level: 10, role: { id: '802', name: '<b>Elite</b>', color: null } },
    ];
    for (const query of ['', '?page=2', '?around=ann', '?find=ann']) {
      const plain = await get(`/g/guild/data.json${query}`).expect(200);
      const asked = await get(`/g/guild/data.json${query ? `${query}&` : '?'}rewards=1`).expect(200);
      expect(asked.body).toEqual({ ...plain.body, rewards });
      expect(faultsOf('public#/components/schemas/Ranking', asked.body)).toEqual([]);
    }
    await configure({ boards: ['week'] });
    expect((await get('/g/guild/data.json?board=week&rewards=1').expect(200)).body).toMatchObject({
      board: 'week',
      rewards,
    });
    await get('/g/guild/data.json?rewards=yes').expect(400);
  });

  it('the public data have no rewards while the owner does not show them, without rules, and for rules that cannot be read', async () => {
    const rewards = async () => (await get('/g/guild/data.json?rewards=1').expect(200)).body.rewards;
    const { headers } = await get('/g/guild/data.json?rewards=1').expect(200);
    await get('/g/guild/data.json?rewards=1').set('If-None-Match', String(headers.etag)).expect(304);
    await configure({ pageRewards: false });
    expect(await rewards()).toEqual([]);
    await configure({ pageRewards: true });
    expect(await rewards()).toHaveLength(3);
    await suite.testStore.client.hset('gr:{guild}:config', 'rules', '{"message":');
    await suite.testStore.client.hincrby('gr:{guild}:stats', 'rev', 1);
    expect(await rewards()).toEqual([]);
    await suite.service.store.guildConfig.setRules('guild', null);
    expect(await rewards()).toEqual([]);
  });

  it('a role whose name is longer than a bot can tell is shown by its id', async () => {
    const roles = JSON.stringify([{ id: '801', name: 'x'.repeat(100_000), color: 1, position: 1 }]);
    await suite.testStore.client.hset('gr:{guild}:about', { roles });
    await suite.testStore.client.hincrby('gr:{guild}:stats', 'rev', 1);
    const { body } = await get('/g/guild/data.json?rewards=1').expect(200);
    expect(body.rewards[0].role).toEqual({ id: '801', name: null, color: null });
    expect(await shown()).toContain('Level 5 801');
  });

  it('the page of rewards gets 404 when the owner switches it off, without rules, without a public page, and for rules that cannot be read', async () => {
    const { headers } = await get(PAGE).expect(200);
    await get(PAGE).set('If-None-Match', String(headers.etag)).expect(304);
    const gone = async () => {
      await get(PAGE).expect(404);
      expect((await get('/g/guild')).text).not.toContain('/rewards"');
    };
    await configure({ pageRewards: false });
    await gone();
    await configure({ pageRewards: true });
    await get(PAGE).expect(200);
    await configure({ publicPage: false });
    await gone();
    await configure({ publicPage: true });
    await suite.testStore.client.hset('gr:{guild}:config', 'rules', '{"message":');
    await suite.testStore.client.hincrby('gr:{guild}:stats', 'rev', 1);
    await get(PAGE).expect(404);
    await suite.service.store.guildConfig.setRules('guild', null);
    await gone();
  });
});
