import request from 'supertest';
import { beforeEach, expect, it } from 'vitest';
import { LANGUAGES } from '../../src/widget/translation.ts';
import { describeStores } from '../support/stores.ts';
import { serviceSuite } from '../support/suite.ts';

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

  it('says which roles a level gives, by the names and colours that the bot has told, or by their ids', async () => {
    const { text } = await get(PAGE).expect(200);
    expect(text).toContain('fill="#00ff10"');
    expect(text).toContain('<bdi>@&lt;b&gt;Elite&lt;/b&gt;</bdi>');
    expect(await shown()).toContain('Level 5 @Regular Level 10 @&lt;b&gt;Elite&lt;/b&gt; 803');
  });

  it('says how XP is earned, in sentences, and what the curve asks for', async () => {
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

  it('is a tab of all pages of the guild, and speaks their languages', async () => {
    for (const path of ['/g/guild', '/g/guild/m/ann', PAGE])
      expect((await get(path).expect(200)).text).toContain('>Rewards</a>');
    expect((await get('/g/guild/m/nobody').expect(404)).text).toContain('href="../../../g/guild/rewards">Rewards</a>');
    const texts = new Set();
    for (const lang of LANGUAGES) texts.add(await shown(`${PAGE}?lang=${lang}`));
    expect(texts.size).toBe(LANGUAGES.length);
    await get(`${PAGE}?lang=xx`).expect(400);
  });

  it('is gone when the owner switches it off, without rules, without a public page, and for rules that cannot be read', async () => {
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
