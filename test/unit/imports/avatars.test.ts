import { expect, it } from 'vitest';
import { entryOf } from '../../../src/imports/entries.ts';
import { checkRow } from '../../../src/imports/rows.ts';
import { OWN_READING } from './own-reading.ts';

const HASH = '0123456789abcdef0123456789abcdef';
const row = (avatar: unknown) => checkRow({ userId: '1', xp: 5, avatar }, OWN_READING);

it.each([
  ['a hash', HASH, HASH],
  ['the hash of an animated avatar', `a_${HASH}`, `a_${HASH}`],
  ['the address of an avatar', `https://cdn.discordapp.com/avatars/1/a_${HASH}.gif?size=64`, `a_${HASH}`],
  ['the address of the picture of a user without an avatar', 'https://cdn.discordapp.com/embed/avatars/0.png', null],
  ['an empty cell', '', null],
  ['null', null, null],
])('a file may have %s as the avatar of a member', (_, avatar, stored) => {
  expect(row(avatar)).toEqual({ userId: '1', xp: 5, avatar: stored });
});

it('a file without avatars leaves the avatars of the members as they are', () => {
  expect(row(undefined)).toEqual({ userId: '1', xp: 5 });
});

it.each([
  'x',
  7,
  HASH.toUpperCase(),
  `https://a.example/avatars/1/${HASH}.png`,
  `https://cdn.discordapp.com/avatars/1/x.png`,
])('a member keeps its XP when its avatar is %s, and a message names the field of the avatar', (avatar) => {
  const { avatarProblem, ...entry } = entryOf(7, { userId: '1', xp: 5, avatar }, OWN_READING);
  expect(entry).toEqual({ at: 7, row: { userId: '1', xp: 5 } });
  expect(avatarProblem).toMatch(
    /^avatar .* is not Discord's hash of an avatar, .*, so the member is imported without an avatar$/,
  );
});

it('an avatar that can be read has no problem', () => {
  expect(entryOf(7, { userId: '1', xp: 5, avatar: HASH }, OWN_READING)).toEqual({
    at: 7,
    row: { userId: '1', xp: 5, avatar: HASH },
  });
});
