import { expect, it } from 'vitest';
import type { PageLook } from '../../../../src/core/settings/page-look.ts';
import { accentsOf, PICTURE_POLICY, policyOf, styleOf } from '../../../../src/service/public/look.ts';
import { PLAIN } from './fixtures.ts';

const style = (chosen: Partial<PageLook>) => styleOf({ ...PLAIN, ...chosen });

it('a page has the accents of the service or of the owner, and a light tint of them for the dark theme', () => {
  expect(accentsOf(PLAIN)).toEqual({ light: '#4f46e5', dark: '#aab0fb' });
  expect(accentsOf({ ...PLAIN, accent: '#2563eb' })).toEqual({ light: '#2563eb', dark: '#a6c4fc' });
  expect(accentsOf({ ...PLAIN, accentDark: '#00ff88' })).toEqual({ light: '#4f46e5', dark: '#00ff88' });
});

it('a page has no style of its own where the owner has chosen nothing', () => {
  expect(style({})).toBe('');
  expect(style({ picture: 'https://x.example/icon.png' })).toBe('');
});

it('a chosen background changes its own theme alone, and no accent', () => {
  const light = '@media (prefers-color-scheme:light){:root{--page:#ecfdf5}}';
  const dark = '@media (prefers-color-scheme:dark){:root{--page:#022c22}}';
  expect(style({ background: '#ecfdf5' })).toBe(light);
  expect(style({ backgroundDark: '#022c22' })).toBe(dark);
  expect(style({ background: '#ecfdf5', backgroundDark: '#022c22' })).toBe(light + dark);
});

it('one chosen accent colours both themes and the overlay', () => {
  expect(style({ accent: '#2563eb', background: '#ecfdf5' })).toBe(
    [
      '@media (prefers-color-scheme:light){:root{--page:#ecfdf5;--accent:#2563eb;--on-accent:#ffffff;--link:#2563eb;--soft:#f4f8ff;--flash:#dfebff}}',
      '@media (prefers-color-scheme:dark){:root{--accent:#a6c4fc;--on-accent:#000000;--link:#a6c4fc;--soft:#1a1e26;--flash:#252b37}}',
      ':root.overlay{--accent:#a6c4fc}',
    ].join(''),
  );
  const dark = style({ accentDark: '#00ff88' });
  expect(dark).toContain('(prefers-color-scheme:dark){:root{--accent:#00ff88;--on-accent:#000000;--link:#00ff88;');
  expect(dark).toContain('(prefers-color-scheme:light){:root{--accent:#4f46e5;');
  expect(dark).toContain(':root.overlay{--accent:#00ff88}');
});

it('links have the colour of the text where nobody could read the accent on the background', () => {
  const shown = style({ accent: '#ffdd33', accentDark: '#101010' });
  expect(shown).toContain('--accent:#ffdd33;--on-accent:#000000;--link:var(--text);');
  expect(shown).toContain('--accent:#101010;--on-accent:#ffffff;--link:var(--text);');
});

it('the policy allows a page its own files, its own style and the host of its picture, and nothing else', () => {
  expect(policyOf("'none'")).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  expect(policyOf('https://dash.example.com', 'x', ['https://cdn.example:8443/icon.png', null])).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='; connect-src 'self'; img-src data: https://cdn.example:8443; form-action 'self'; base-uri 'none'; frame-ancestors https://dash.example.com",
  );
});

it('the policy allows a picture nothing but the pictures that it holds', () => {
  expect(PICTURE_POLICY).toBe("default-src 'none'; img-src data:; base-uri 'none'; frame-ancestors 'none'");
});
