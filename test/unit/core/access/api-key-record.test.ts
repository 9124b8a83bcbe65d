import { describe, expect, it } from 'vitest';
import {
  type ApiKeyRecord,
  fromFields,
  isCap,
  parseCap,
  toFields,
} from '../../../../src/core/access/api-key-record.ts';
import { BOUNDS } from '../../../../src/core/text-bounds.ts';

const RECORD: ApiKeyRecord = {
  id: 'k123456789',
  guildId: 'g',
  name: 'widget',
  createdAt: '2026-01-15T12:00:00.000Z',
  expiresAt: '2026-02-15T12:00:00.000Z',
  lifetimeMs: 86_400_000,
  origins: ['https://a.example', 'https://b.example'],
  cap: 100,
  prefix: 'gr_abc',
};

describe('a cap of an API key', () => {
  it.each([
    ['1', 1],
    ['250', 250],
    ['2147483647', 2_147_483_647],
  ])('the text %s is a cap', (text, cap) => {
    expect(parseCap(text)).toBe(cap);
    expect(isCap(cap)).toBe(true);
  });

  it.each(['', '0', '-1', '01', '1.5', ' 1', '1 ', '1e3', '2147483648', '9'.repeat(11), 'many'])(
    'the text "%s" is no cap, and the error says what is',
    (text) => {
      const told = `"${text}" is no cap: give a whole number of requests an hour, from 1 to 2147483647`;
      expect(() => parseCap(text)).toThrow(told);
    },
  );

  it.each([0, 1.5, Number.NaN, 2 ** 31])('the number %d is no cap', (requests) => {
    expect(isCap(requests)).toBe(false);
  });
});

describe('the stored record of an API key', () => {
  it('a record is read as it was stored', () => {
    expect(fromFields(toFields(RECORD))).toEqual(RECORD);
    const plain = { ...RECORD, expiresAt: null, lifetimeMs: null, origins: [], cap: null };
    expect(fromFields(toFields(plain))).toEqual(plain);
  });

  it('a record without fields has the default of each', () => {
    const none = { id: '', guildId: '', name: '', createdAt: '', prefix: '' };
    expect(fromFields({})).toEqual({ ...none, expiresAt: null, lifetimeMs: null, origins: [], cap: null });
  });

  it('a record with a field above its bound is unfit, and the field is cut where it is shown', () => {
    const name = 'n'.repeat(BOUNDS.keyName.bytes + 1);
    expect(fromFields({ ...toFields(RECORD), name })).toEqual({
      ...RECORD,
      name: `${'n'.repeat(16)}…`,
      isOversized: true,
    });
  });
});
