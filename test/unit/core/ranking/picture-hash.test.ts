import { expect, it } from 'vitest';
import { avatarUrl, iconUrl, isPictureHash } from '../../../../src/core/ranking/picture-hash.ts';

const HASH = '0123456789abcdef0123456789abcdef';

it.each([
  ['123', '123'],
  ['123.2026-s1', '123'],
  ['g.2026-s1', 'g.2026-s1'],
  ['123-s1', '123-s1'],
])('the icon of the guild %s has its address below the id %s', (guildId, id) => {
  expect(iconUrl(guildId, HASH, 64)).toBe(`https://cdn.discordapp.com/icons/${id}/${HASH}.webp?size=64`);
});

it('an avatar has one address for web pages, and another address as a PNG and on another host', () => {
  expect(avatarUrl('7', HASH, 128)).toBe(`https://cdn.discordapp.com/avatars/7/${HASH}.webp?size=128`);
  const options = { host: 'http://127.0.0.1:9', format: 'png' } as const;
  expect(avatarUrl('../7', HASH, 64, options)).toBe(`http://127.0.0.1:9/avatars/..%2F7/${HASH}.png?size=64`);
});

it('a hash has 32 hex digits in small letters, with a_ before the hash of an animated picture', () => {
  for (const hash of [HASH, `a_${HASH}`]) expect(isPictureHash(hash)).toBe(true);
  for (const other of [HASH.slice(1), `${HASH}0`, HASH.toUpperCase(), `b_${HASH}`, `../${HASH}`, null, 7])
    expect(isPictureHash(other)).toBe(false);
});
