import { expect, it } from 'vitest';
import { sentence } from '../../../src/dashboard/sentences.ts';

it.each([
  ['The guild has 5 keys', 'The guild has 5 keys.'],
  ['A user id is 1 to 64 of A-Z a-z 0-9 _ - .', 'A user id is 1 to 64 of A-Z a-z 0-9 _ - .'],
  ['f line 2: is this not CSV?', 'f line 2: is this not CSV?'],
  ['f line 2: xp "111 …', 'f line 2: xp "111 …'],
])('a sentence made of "%s" ends with exactly one mark', (text, ended) => {
  expect(sentence(text)).toBe(ended);
});
