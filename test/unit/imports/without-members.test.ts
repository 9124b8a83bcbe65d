import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutMembers } from '../../../src/imports/without-members.ts';

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

describe('the text of an export without its members', () => {
  it('is that of the document with null in their place', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    const name = fc.oneof(fc.constantFrom('users', 'xp', 'levels', 'settings', '"users"', '\\'), fc.string());
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(name, json, { noNullPrototype: true }), json), fc.boolean(), (value, wide) => {
        const isNamed = isObject(value) && !Array.isArray(value);
        const expected = isNamed ? { ...(value as object) } : value;
        for (const members of ['users', 'xp', 'levels'])
          if (isNamed && isObject((value as Record<string, unknown>)[members]))
            (expected as Record<string, unknown>)[members] = null;
        const text = withoutMembers(JSON.stringify(value, null, wide ? 2 : 0));
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(expected)));
      }),
    );
  });

  it.each([
    '{"users":[1',
    '{"users":[1}',
    '{"users":{}',
    '{"users"[1]}',
    '{"users":[]]}',
    '{"a":"users",[1]}',
    '{"users":[]}{}',
  ])('is no JSON when the whole is none: %s', (text) => {
    expect(() => JSON.parse(withoutMembers(text))).toThrow(SyntaxError);
  });
});
