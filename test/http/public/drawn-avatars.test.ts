import type { ServerResponse } from 'node:http';
import request from 'supertest';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { PictureHost, pngOf } from '../../support/picture-host.ts';
import { startService } from '../../support/service.ts';
import { describeStores } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';
import { waitLongForHosts } from '../../support/wait.ts';

const HASHES = ['0123456789abcdef0123456789abcdef', 'a_0123456789abcdef0123456789abcdef'] as const;
const BADGE = '/g/guild/badge.svg?member=1';
const PICTURES = ['/g/guild/m/1/card.svg', '/g/guild/m/1/card.png', '/g/guild/top.png', BADGE] as const;
const [CARD] = PICTURES;

const host = new PictureHost();
let waitUsual = () => {};
beforeAll(async () => {
  waitUsual = waitLongForHosts();
  await host.start();
});
afterAll(async () => {
  waitUsual();
  await host.stop();
});

describeStores('the avatars in the pictures that the service draws', (kind) => {
  const env = { PUBLIC_PAGES: '1' };
  const painter = async (svg: string) => Buffer.from(svg);
  const suite = serviceSuite(kind, env, {
    painter,
    get pictureHost() {
      return host.url;
    },
  });
  const configure = (change: object) => suite.service.store.guildConfig.update('guild', change);
  const get = async (path: string, url = suite.service.url) => {
    const { body } = await request(url).get(path).buffer(true).expect(200);
    return String(body);
  };
  const avatarsIn = (svg: string) =>
    [...svg.matchAll(/<image href="data:image\/png;base64,([^"]+)"/g)].map(([, a]) => a);
  /** Gives each member an avatar that nobody has asked for. */
  let round = 0;
  const record = async () => {
    const tail = String(round++).padStart(8, '0');
    const still = HASHES[0].slice(0, -8) + tail;
    const animated = HASHES[1].slice(0, -8) + tail;
    await suite.service.store.writer.recordMany('guild', [
      { userId: '1', set: 300, username: 'Ann', avatar: still },
      { userId: '2', set: 200, username: 'Bob' },
      { userId: '3', set: 100, username: 'Cy', avatar: animated },
      { userId: 'cli-4', set: 50, username: 'Dee', avatar: still },
    ]);
    return { still, animated };
  };
  let hashes: Awaited<ReturnType<typeof record>>;
  beforeEach(async () => {
    suite.service.advance(3_600_000);
    host.instead = undefined;
    hashes = await record();
    host.requests.length = 0;
    await configure({ publicPage: true, avatars: true });
  });

  it('no host is asked before the owner of the guild wants pictures', async () => {
    await configure({ avatars: false });
    for (const path of PICTURES) expect(avatarsIn(await get(path))).toEqual([]);
    expect(host.requests).toEqual([]);
  });

  it('no host is asked where the operator has switched drawn avatars off', async () => {
    const other = await startService(
      suite.testStore,
      { ...env, FETCH_AVATARS: '0' },
      { painter, pictureHost: host.url },
    );
    onTestFinished(() => other.close());
    for (const path of PICTURES) expect(avatarsIn(await get(path, other.url))).toEqual([]);
    expect(host.requests).toEqual([]);
  });

  it('card, badge and top picture hold the avatars of users of Discord in the size that they show, each asked for once', async () => {
    const red = (await pngOf(128, [255, 0, 0])).toString('base64');
    for (const path of [CARD, '/g/guild/m/1/card.png']) expect(avatarsIn(await get(path))).toEqual([red]);
    expect(await get(CARD)).not.toContain('>A</text>');
    const small = (await pngOf(64, [255, 0, 0])).toString('base64');
    const top = await get('/g/guild/top.png');
    expect(avatarsIn(top)).toEqual([small, small]);
    expect(top).toMatch(/>B<\/text>.*>D<\/text>/);
    await get('/g/guild/top.png');
    expect(avatarsIn(await get(BADGE))).toEqual([(await pngOf(32, [255, 0, 0])).toString('base64')]);
    expect(avatarsIn(await get('/g/guild/badge.svg'))).toEqual([]);
    expect(host.requests.sort()).toEqual([
      `/avatars/1/${hashes.still}.png?size=128`,
      `/avatars/1/${hashes.still}.png?size=32`,
      `/avatars/1/${hashes.still}.png?size=64`,
      `/avatars/3/${hashes.animated}.png?size=64`,
    ]);
  });

  it('a card with an avatar has the headers of a card without one, an ETag of its own, and may show the picture that it holds', async () => {
    const { headers } = await request(suite.service.url).get(CARD).expect(200);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; img-src data:;/);
    await request(suite.service.url).get(CARD).set('if-none-match', String(headers.etag)).expect(304);
    await configure({ avatars: false });
    const plain = await request(suite.service.url).get(CARD).set('if-none-match', String(headers.etag)).expect(200);
    expect({ ...plain.headers, etag: '', date: '', 'content-length': '', 'x-request-id': '' }).toEqual({
      ...{ ...headers, etag: '', date: '', 'content-length': '', 'x-request-id': '' },
    });
  });

  const lies: [string, (res: ServerResponse, png: Buffer) => unknown][] = [
    ['a page that is missing', (res) => res.writeHead(404, { 'Content-Type': 'image/png' }).end()],
    ['an error', (res) => res.writeHead(500).end()],
    ['a redirect to a picture', (res) => res.writeHead(302, { Location: `${host.url}/other.png` }).end()],
    ['another type', (res, png) => res.setHeader('Content-Type', 'text/html').end(png)],
    [
      'an SVG with a script that calls itself a PNG',
      (res) => res.setHeader('Content-Type', 'image/png').end('<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>'),
    ],
    ['half of a picture', (res, png) => res.setHeader('Content-Type', 'image/png').end(png.subarray(0, -20))],
    [
      'a changed picture',
      (res, png) => res.setHeader('Content-Type', 'image/png').end(Buffer.from(png).fill(7, 40, 44)),
    ],
    ['nothing', (res) => res.setHeader('Content-Type', 'image/png').end()],
  ];
  it.each(lies)('a card has the initial when the host answers with %s, and asks once', async (_kind, lie) => {
    const png = await pngOf(128, [0, 255, 0]);
    host.instead = (_req, res) => void lie(res, png);
    for (let n = 0; n < 2; n++) expect(await get(CARD)).toMatch(/^(?!.*<image).*>A<\/text>/s);
    expect(host.requests).toEqual([`/avatars/1/${hashes.still}.png?size=128`]);
    host.instead = undefined;
    expect(avatarsIn(await get(CARD))).toEqual([]);
    // The host can have had a fault.
    suite.service.advance(600_000);
    expect(avatarsIn(await get(CARD)).length).toBe(1);
  });

  it('a picture with more bytes or pixels than an avatar is left out', async () => {
    const wide = await pngOf(300, [255, 0, 0]);
    host.instead = (_req, res) => res.setHeader('Content-Type', 'image/png').end(wide);
    expect(avatarsIn(await get(CARD))).toEqual([]);
    await record();
    let sent = 0;
    host.instead = (_req, res) => {
      res.setHeader('Content-Type', 'image/png');
      const more = () => {
        while (!res.destroyed && sent < 1e9 && res.write(Buffer.alloc(65_536))) sent += 65_536;
      };
      res.on('drain', more);
      more();
    };
    expect(avatarsIn(await get(CARD))).toEqual([]);
    // What the sockets hold.
    expect(sent).toBeLessThan(2e7);
  });

  it('a drawn avatar keeps only its pixels, and no text and no film', async () => {
    const png = await pngOf(128, [0, 0, 255]);
    // A chunk with a text, as it is stored: its checksum is that of "tEXta".
    const text = Buffer.from('0000000174455874610f66c0b7', 'hex');
    const { crc32 } = await import('node:zlib');
    text.writeUInt32BE(crc32(text.subarray(4, 9)), 9);
    const header = png.subarray(0, 33);
    host.instead = (_req, res) =>
      res.setHeader('Content-Type', 'image/png').end(Buffer.concat([header, text, png.subarray(33)]));
    expect(avatarsIn(await get(CARD))).toEqual([png.toString('base64')]);
  });

  it('a host that does not answer delays one card and no later card, and the log says so once', async () => {
    waitUsual();
    host.instead = () => {};
    expect(await get(CARD)).toContain('>A</text>');
    waitUsual = waitLongForHosts();
    await record();
    host.requests.length = 0;
    for (const path of PICTURES) expect(avatarsIn(await get(path))).toEqual([]);
    expect(host.requests).toEqual([]);
    suite.service.advance(15_000);
    host.instead = undefined;
    expect(avatarsIn(await get(CARD)).length).toBe(1);
    const warnings = suite.service.log.filter(({ msg }) => String(msg).includes('FETCH_AVATARS=0'));
    expect(warnings.map(({ msg }) => msg)).toEqual([
      expect.stringContaining(`${host.url} cannot be reached, so drawn pictures have initials`),
    ]);
  });
});
