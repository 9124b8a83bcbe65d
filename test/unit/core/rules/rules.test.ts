import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidInputError, parseRules, rewardRoles, xpFor } from '../../../../src/core/rules/rules.ts';
import { repository } from '../../../support/run-command.ts';

const read = (path: string) => JSON.parse(readFileSync(join(repository, path), 'utf8'));
const { rules, xp, rewards, refused } = read('conformance/rules.json');
const parsed = rules.map(parseRules);
const isValid = new Ajv2020().compile(read('src/core/rules/rules.schema.json'));
const messageOf = (document: unknown): string => {
  try {
    parseRules(document);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInputError);
    return (error as Error).message;
  }
};

describe('the rules of a guild', () => {
  it('rules give the XP of each case in conformance/rules.json', () => {
    expect(new Set(xp.map(({ reason }: { reason: string }) => reason)).size).toBe(9);
    for (const { rules: index, event, cooldown_ms: cooldownMs, ...expected } of xp)
      expect(xpFor(parsed[index], event), JSON.stringify([index, event])).toEqual({
        ...{ amount: expected.amount, factor: expected.factor, reason: expected.reason },
        cooldownMs,
      });
  });

  it('rules give and take the roles of each case in conformance/rules.json', () => {
    for (const { rules: index, level, roles, add, remove } of rewards)
      expect(rewardRoles(parsed[index], level, roles), JSON.stringify([index, level, roles])).toEqual({ add, remove });
  });

  it.each(['', '$schema', 'message', 'voice', 'no_xp', 'multipliers', 'rewards'])(
    'rules are refused when "%s" is nested 100,000 deep, as JSON and as an object',
    (field) => {
      const deep = `${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`;
      const json = field === '' ? deep : `{"${field}":${deep}}`;
      for (const document of [json, JSON.parse(json)]) {
        const call = () => parseRules(document);
        expect(call).toThrow(InvalidInputError);
        expect(call).toThrow(
          field === 'rewards' ? 'rewards[0].a' : /must be an? (object|text), not a list that JSON cannot show/,
        );
      }
    },
  );

  it('rules are refused with the name of the first wrong field, and the schema refuses the same documents', () => {
    // A schema compares no two fields, and counts no decimals.
    const beyondSchemas = ['message.xp.min must be a whole number from 0 to 5', 'multipliers.roles.r1'];
    for (const { document, field } of refused) {
      const message = messageOf(document);
      expect(message).toMatch(/ (must be .*, not |is no field of the rules: use )/);
      expect(message.startsWith(`${field} `), message).toBe(true);
      if (!beyondSchemas.some((known) => message.startsWith(known)))
        expect(isValid(document), JSON.stringify(document)).toBe(false);
    }
    expect(messageOf('{')).toMatch(/^The rules are no valid JSON: /);
    expect(messageOf(undefined)).toBe('The rules must be an object, not null');
    expect(messageOf({ message: { xp: { min: 6, max: 5 } } })).toBe(
      'message.xp.min must be a whole number from 0 to 5, not 6',
    );
    expect(messageOf({ message: { cooldown: 5 } })).toBe(
      'message.cooldown is no field of the rules: use xp, cooldown_ms, min_chars',
    );
    expect(messageOf({ multipliers: { stacking: 'add' } })).toBe(
      'multipliers.stacking must be max, sum or product, not "add"',
    );
  });

  it('rules may be an object or JSON, with the field $schema of editors, and the schema accepts them too', () => {
    for (const document of [...rules, { $schema: 'https://example.com/rules.schema.json' }]) {
      expect(parseRules(JSON.stringify(document))).toEqual(parseRules(document));
      expect(isValid(document), JSON.stringify(isValid.errors)).toBe(true);
    }
  });

  it('rules accept any id of a role or channel, even a name such as constructor', () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const own = parseRules(
      `{"multipliers":{"roles":{${names.map((name) => `"${name}":2`)}},"role_stacking":"product"}}`,
    );
    expect(xpFor(own, { kind: 'message', roles: names, channel: 'constructor' })).toMatchObject({ factor: 8 });
    const event = { kind: 'message', roles: ['valueOf'], channel: '__proto__' } as const;
    expect(xpFor(parseRules({}), event)).toMatchObject({ factor: 1, reason: null });
  });

  it('rules lead a member to the same roles over each way through the levels, and touch only the roles of rewards', () => {
    const reward = fc.record({
      level: fc.integer({ min: 0, max: 9 }),
      role: fc.constantFrom('a', 'b', 'c', 'd'),
      kept: fc.boolean(),
    });
    const levels = fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 6 });
    const arbitraries = [fc.array(reward, { maxLength: 6 }), levels, fc.subarray(['a', 'b', 'x', 'y'])] as const;
    fc.assert(
      fc.property(...arbitraries, (document, way, before) => {
        const own = parseRules({ rewards: document });
        let roles: string[] = before;
        const changed = (level: number, held: readonly string[]) => {
          const { add, remove } = rewardRoles(own, level, held);
          return [...held.filter((role) => !remove.includes(role)), ...add];
        };
        for (const level of way) roles = changed(level, roles);
        const last = way.at(-1) as number;
        expect(changed(last, roles)).toEqual(roles);
        const direct = changed(last, before);
        expect([...roles].sort()).toEqual([...direct].sort());
        const others = (held: readonly string[]) => held.filter((role) => !document.some((each) => each.role === role));
        expect(others(roles)).toEqual(others(before));
      }),
    );
  });
});

it('null instead of rules, as of a guild without rules, is refused with the fix', () => {
  const event = { kind: 'message', roles: [], channel: '1' } as const;
  expect(() => xpFor(null as never, event)).toThrow('for a guild without rules use parseRules({})');
  expect(() => rewardRoles(undefined as never, 1, [])).toThrow('for a guild without rules use parseRules({})');
});

it('parents and states of voice that are null count for nothing', () => {
  const rules = parseRules({});
  expect(xpFor(rules, { kind: 'message', roles: [], channel: '1', parents: [null, undefined] }).reason).toBeNull();
  expect(
    xpFor(rules, { kind: 'voice', roles: [], channel: '1', voice: { deafened: null, muted: null } }).reason,
  ).not.toBe('deafened');
});
