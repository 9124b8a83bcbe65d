import { describe, expect, it } from 'vitest';
import { checkGuildAndUsers } from '../../../src/core/check-fields.ts';
import { InvalidInputError } from '../../../src/core/errors.ts';

describe('the ids of a write', () => {
  it('an id has 1 to 64 of the characters A-Z a-z 0-9 _ - .', () => {
    for (const id of ['a', 'Z', '0', '_', '-', '.', 'x'.repeat(64)])
      expect(() => checkGuildAndUsers(id, [id, id])).not.toThrow();
    expect(() => checkGuildAndUsers('g', [])).not.toThrow();
  });

  it.each(['', 'x'.repeat(65), 'a b', ' a', 'a ', 'a\n', '{a}', 'a:b', 'ä'])(
    'ids are refused when one of them is %j',
    (id) => {
      const rule = 'must be a text of 1 to 64 of A-Z a-z 0-9 _ - .';
      expect(() => checkGuildAndUsers(id, ['a'])).toThrow(InvalidInputError);
      expect(() => checkGuildAndUsers(id, ['a'])).toThrow(`The guild id ${JSON.stringify(id)} ${rule}`);
      expect(() => checkGuildAndUsers('g', ['a', id])).toThrow(`The user id ${JSON.stringify(id)} ${rule}`);
    },
  );

  it.each([undefined, null, 7, ['a']])('ids are refused when one of them is no text but %j', (id) => {
    expect(() => checkGuildAndUsers(id as never, [])).toThrow(`The guild id ${id} (${typeof id}) must be a text`);
    expect(() => checkGuildAndUsers('g', [id as never])).toThrow(`The user id ${id} (${typeof id}) must be a text`);
  });
});
