import request from 'supertest';
import { beforeEach, expect, it, vi } from 'vitest';
import { RefusedError } from '../../../src/core/errors.ts';
import { NAME_LIMITS, NameSearch } from '../../../src/core/reads/name-search.ts';
import { LANGUAGES } from '../../../src/widget/translation.ts';
import { describeStores } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';

describeStores('a search on the public page of a guild', (kind) => {
  const suite = serviceSuite(kind, { PUBLIC_PAGES: '1', TRUST_PROXY: '1' });
  let address = 0;
  /** Each search comes from an address of its own, because an address may send few. */
  const get = (path: string) =>
    request(suite.service.url)
      .get(path)
      .set('x-forwarded-for', `192.0.2.${address++ % 250}`);
  const find = (text: string, more = '') => get(`/g/guild?find=${encodeURIComponent(text)}${more}`);
  const record = (userId: string, username: string, set = 100) =>
    suite.service.store.writer.record('guild', { userId, set, username });
  const linksOf = (html: string) =>
    [...html.matchAll(/<a class="name" dir="auto" href="([^"]*)"/g)].map(([, href]) => href);
  /** Returns the address that a search leads to. */
  const targetOf = async (answer: request.Test) => {
    const { headers } = await answer.expect(303);
    expect(headers['cache-control']).toBe('no-store');
    return new URL(String(headers.location), 'http://x/g/guild').href;
  };
  beforeEach(async () => {
    suite.service.advance(2 * NAME_LIMITS.renewMs);
    await record('ann', 'Ann Señor', 4675);
    await record('bob', 'Bob Senor');
    await suite.service.store.guildConfig.update('guild', { publicPage: true, pageTitle: 'The Den' });
  });

  it('a search lists the members whose name has the text, by rank, with links to their pages', async () => {
    const { text, headers } = await find('SENOR').expect(200);
    expect(linksOf(text)).toEqual(['guild/m/ann', 'guild/m/bob']);
    for (const shown of [
      'Members for “SENOR”',
      'value="SENOR"',
      'Ann Señor',
      'Level 10',
      '4,675',
      '<a href="guild" dir="auto">The Den</a>',
      '<meta name="robots" content="noindex">',
    ])
      expect(text).toContain(shown);
    expect(text).not.toMatch(/<script|live\.js/);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    const head = await request(suite.service.url).head('/g/guild?find=senor').expect(200);
    expect(head.text).toBeUndefined();
    await request(suite.service.url).post('/g/guild?find=senor').expect(405);
  });

  it('a search leads straight to the only member, by name or id, and from an empty text to the ranking', async () => {
    expect(await targetOf(find(' bob '))).toBe('http://x/g/guild/m/bob');
    expect(await targetOf(find('ann s', '&lang=de&board=week'))).toBe('http://x/g/guild/m/ann?lang=de');
    for (const text of ['', ' \u200b']) expect(await targetOf(find(text))).toBe('http://x/g/guild');
    // A browser would take this user id as a way up.
    await record('..', 'Dotty');
    suite.service.advance(NAME_LIMITS.renewMs);
    expect((await find('dotty').expect(200)).text).toContain('Dotty');
  });

  it('a search says when nobody is found, and when there are more than ten members', async () => {
    const { text } = await find('<b>nobody').expect(200);
    expect(text).toContain('No member in this ranking has this name or id.');
    expect(text).toContain('Members for “&lt;b&gt;nobody”');
    for (let n = 0; n < 12; n++) await record(`u${n}`, `Raven ${n}`, 200 + n);
    suite.service.advance(NAME_LIMITS.renewMs);
    const many = await find('raven').expect(200);
    expect(linksOf(many.text)).toHaveLength(10);
    expect(many.text).toContain('These are the first 10 by rank.');
  });

  it('a search shows nobody who is hidden, removed or renamed since the names were read', async () => {
    await find('senor').expect(200);
    await suite.service.store.writer.hide('guild', ['ann']);
    expect(await targetOf(find('senor'))).toBe('http://x/g/guild/m/bob');
    await record('bob', 'Robert');
    expect(linksOf((await find('senor').expect(200)).text)).toEqual([]);
    await suite.service.store.writer.remove('guild', ['bob']);
    expect(linksOf((await find('r').expect(200)).text)).toEqual([]);
    expect((await find('ann').expect(200)).text).not.toContain('Ann Señor');
  });

  it('a search in a guild without a public page gets 404, and reads no names', async () => {
    await suite.service.store.guildConfig.update('guild', { publicPage: false });
    const reading = vi.spyOn(NameSearch.prototype, 'find');
    const { text } = await find('ann').expect(404);
    expect(text).toContain('Nothing here');
    expect(reading).not.toHaveBeenCalled();
    reading.mockRestore();
  });

  it('a search text that is too long or given twice gets 400, which says so', async () => {
    expect((await find('x'.repeat(101)).expect(400)).text).toContain('find must have 100 characters at most');
    expect((await get('/g/guild?find=a&find=b').expect(400)).text).toContain('find must be given once');
    await find('x'.repeat(100)).expect(200);
  });

  it('an address that searches too often gets 429, while the public page still gets 200', async () => {
    const search = () => request(suite.service.url).get('/g/guild?find=senor').set('x-forwarded-for', '198.51.100.1');
    for (let n = 0; n < 10; n++) await search().expect(200);
    const { headers, text } = await search().expect(429);
    expect(headers['retry-after']).toBe('3');
    expect(text).toContain('Too many requests');
    await request(suite.service.url).get('/g/guild').set('x-forwarded-for', '198.51.100.1').expect(200);
    suite.service.advance(3000);
    await search().expect(200);
  });

  it('a search asks for the id where a guild has too many names, and gets 503 with the time to wait while others search', async () => {
    const refuse = vi.spyOn(NameSearch.prototype, 'find');
    refuse.mockRejectedValueOnce(new RefusedError('search_too_large', { guild: 'guild' }));
    expect((await find('raven').expect(200)).text).toContain('This server has too many names to search.');
    refuse.mockRejectedValueOnce(new RefusedError('search_busy', { guild: 'guild', seconds: 41 }));
    const { headers, text } = await find('raven').expect(503);
    expect(headers).toMatchObject({ 'retry-after': '41', 'cache-control': 'no-store' });
    expect(text).toContain('Many people are searching just now');
    refuse.mockRestore();
    // No failure of the store, which would be reported.
    expect(suite.service.log.filter(({ msg }) => msg === 'store unavailable')).toEqual([]);
  });

  it('a search speaks each language of the page', async () => {
    const texts = new Set<string>();
    for (const lang of LANGUAGES) {
      const { text } = await find('zzz', `&lang=${lang}`).expect(200);
      expect(text).toContain(`<html lang="${lang}"`);
      texts.add(/<p class="note">([^<]*)/.exec(text)?.[1] ?? '');
    }
    expect(texts.size).toBe(LANGUAGES.length);
  });
});
