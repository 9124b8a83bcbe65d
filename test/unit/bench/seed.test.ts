import { expect, it } from 'vitest';
import { recordOf } from '../../../scripts/bench/data.ts';
import { rawCommands } from '../../../scripts/bench/sections/seed.ts';

it('encodes the keys of the data model in the protocol of Redis', () => {
  const record = recordOf(0, () => 0);
  const parts = rawCommands('g', record)
    .split('\r\n')
    .filter((part) => part !== '' && !/^[$*]/.test(part));
  expect(parts).toEqual([
    ...['ZADD', 'gr:{g}:xp', '0', record.userId],
    ...['HSET', 'gr:{g}:members', record.userId, `- 0 ${Date.UTC(2026, 0)} member_0`],
  ]);
});
