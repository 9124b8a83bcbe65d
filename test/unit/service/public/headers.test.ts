import { describe, expect, it } from 'vitest';
import { pagesApp } from './pages-app.ts';

const COMMON = {
  vary: 'Accept-Encoding, Accept-Language',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors";

describe('the headers of public pages', () => {
  it('the headers of a page make each browser ask again, and let no site show the page in a frame', async () => {
    const { get } = pagesApp();
    for (const path of ['/g/guild', '/g/guild/m/bob'])
      expect((await get(path).expect(200)).headers).toMatchObject({
        ...COMMON,
        'cache-control': 'no-cache',
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `${POLICY} 'none'`,
        'x-frame-options': 'DENY',
      });
  });

  it('the headers of a badge and of a picture let other sites show them, and let nothing run in them', async () => {
    const { get } = pagesApp();
    for (const [path, type] of [
      ['/g/guild/badge.svg', 'image/svg+xml; charset=utf-8'],
      ['/g/guild/top.png', 'image/png'],
    ] as const)
      expect((await get(path).expect(200)).headers).toMatchObject({
        ...COMMON,
        'cache-control': 'no-cache',
        'content-type': type,
        'content-security-policy': "default-src 'none'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
        'x-frame-options': 'DENY',
        'cross-origin-resource-policy': 'cross-origin',
      });
  });

  it('the page of a problem has the headers of a page, and is kept nowhere', async () => {
    const { get } = pagesApp();
    for (const [path, status] of [
      ['/g/none', 404],
      ['/g/guild/badge.svg?board=day', 400],
    ] as const)
      expect((await get(path).expect(status)).headers).toMatchObject({
        ...COMMON,
        'cache-control': 'no-store',
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `${POLICY} 'none'`,
        'x-frame-options': 'DENY',
      });
  });

  it('the headers let each site in EMBED_ORIGINS show a page in a frame, and no site a picture', async () => {
    const { get } = pagesApp({ embedOrigins: ['https://a.example', 'https://b.example'] });
    for (const path of ['/g/guild', '/g/guild/m/bob', '/g/none']) {
      const { headers } = await get(path);
      expect(headers['content-security-policy']).toBe(`${POLICY} https://a.example https://b.example`);
      expect(headers).not.toHaveProperty('x-frame-options');
    }
    for (const path of ['/g/guild/badge.svg', '/g/guild/top.png'])
      expect((await get(path)).headers['x-frame-options']).toBe('DENY');
  });
});
