import request from 'supertest';
import { beforeEach, expect, it } from 'vitest';
import { createWriter } from '../../../src/kit/writer.ts';
import { describeStores } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';

const HASH = '0123456789abcdef0123456789abcdef';
const ANIMATED = 'a_0123456789abcdef0123456789abcdef';
const HOST = 'https://cdn.discordapp.com';

describeStores('the pictures of members on a public page', (kind) => {
  const suite = serviceSuite(kind, { PUBLIC_PAGES: '1' });
  const writer = () => createWriter(suite.testStore.client);
  const configure = (change: object) => suite.service.store.guildConfig.update('guild', change);
  /** Returns the pictures of members that a page loads, and the hosts of images that its policy allows. */
  const picturesOf = async (path: string) => {
    const { text, headers } = await request(suite.service.url).get(path).expect(200);
    const pictures = [...text.matchAll(/<span class="avatar[^>]*>[^<]*<img src="([^"]+)"/g)].map(([, src]) => src);
    const [, hosts] = /img-src data:([^;]*);/.exec(String(headers['content-security-policy'])) ?? [];
    return { pictures, hosts: hosts?.trim() };
  };
  beforeEach(async () => {
    suite.service.advance(120_000);
    await writer().recordMany('guild', [
      { userId: '1', set: 300, username: 'Ann', avatar: HASH },
      { userId: '2', set: 200, username: 'Bob' },
      { userId: '3', set: 100, username: 'Cy', avatar: ANIMATED },
    ]);
    await configure({ publicPage: true });
  });

  const first = `${HOST}/avatars/1/${HASH}.webp?size=128`;
  const third = `${HOST}/avatars/3/${ANIMATED}.webp?size=128`;

  it('no page shows pictures of members, and no policy allows their host, unless the owner of the guild wants pictures', async () => {
    for (const path of ['/g/guild', '/g/guild/m/2', '/g/guild?overlay=1'])
      expect(await picturesOf(path)).toEqual({ pictures: [], hosts: '' });
  });

  it('the page, the page of a member, the overlay and a board show the picture of each member who has one', async () => {
    await configure({ avatars: true, boards: ['week'] });
    await writer().record('guild', { userId: '3', add: 5 });
    for (const path of ['/g/guild', '/g/guild/m/2', '/g/guild?overlay=1'])
      expect(await picturesOf(path)).toEqual({ pictures: [first, third], hosts: HOST });
    expect((await picturesOf('/g/guild?board=week')).pictures).toEqual([third]);
    expect((await picturesOf('/g/guild?page=2')).hosts).toBe(HOST);
  });

  it('the pages follow a change of a picture at once, and show none of a member who removes it, is hidden or is erased', async () => {
    await configure({ avatars: true });
    expect((await picturesOf('/g/guild')).pictures).toEqual([first, third]);
    await writer().setProfiles('guild', [{ userId: '1', avatar: null }]);
    expect((await picturesOf('/g/guild')).pictures).toEqual([third]);
    await writer().hide('guild', ['3']);
    expect((await picturesOf('/g/guild')).pictures).toEqual([]);
    await writer().unhide('guild', ['3']);
    await writer().remove('guild', ['3']);
    await writer().record('guild', { userId: '3', set: 100 });
    expect((await picturesOf('/g/guild')).pictures).toEqual([]);
    await configure({ avatars: false });
    expect((await picturesOf('/g/guild')).hosts).toBe('');
  });

  it('a picture is left out where another program has stored a text that is no hash', async () => {
    await configure({ avatars: true });
    await suite.testStore.client.hset('gr:{guild}:avatars', '2', '../../x" onerror="');
    expect((await picturesOf('/g/guild')).pictures).toEqual([first, third]);
  });

  it('no field of the API tells a picture', async () => {
    await configure({ avatars: true });
    const { body } = await suite.get('/servers/guild/leaderboard').expect(200);
    expect(Object.keys(body.data[0])).toEqual(['rank', 'user_id', 'username', 'level', 'xp']);
  });
});
