import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { AddressLimiter, KEY_LOOK_UPS } from '../../../../src/core/access/address-limiter.ts';

const { burst: BURST, intervalMs: INTERVAL_MS } = KEY_LOOK_UPS;

let now: number;
let limiter: AddressLimiter;

beforeEach(() => {
  now = 1000;
  limiter = new AddressLimiter(() => now, KEY_LOOK_UPS);
});

/** Takes tokens of an address. @returns how many it got. */
function take(address: string | undefined, times = BURST): number {
  let got = 0;
  for (let i = 0; i < times; i++) if (limiter.take(address) === 0) got++;
  return got;
}

describe('a network', () => {
  it('a network has a burst of tokens, and then one more after each interval', () => {
    expect(take('192.0.2.1', BURST + 10)).toBe(BURST);
    expect(limiter.take('192.0.2.1')).toBe(INTERVAL_MS);
    now += INTERVAL_MS - 1;
    expect(limiter.take('192.0.2.1')).toBe(1);
    now += 1;
    expect(take('192.0.2.1', 10)).toBe(1);
    now += 3 * INTERVAL_MS;
    expect(take('192.0.2.1', 10)).toBe(3);
  });

  it('a network never has more tokens than a burst', () => {
    take('192.0.2.1', 3);
    now += 1000 * INTERVAL_MS;
    expect(take('192.0.2.1', 2 * BURST)).toBe(BURST);
  });

  it('a network can take a token that was returned', () => {
    take('192.0.2.1');
    limiter.giveBack('192.0.2.1');
    limiter.giveBack('192.0.2.1');
    expect(take('192.0.2.1', 10)).toBe(2);
  });

  it('a network owes nothing for a token that is returned late', () => {
    take('192.0.2.1', 1);
    now += 1000 * INTERVAL_MS;
    limiter.giveBack('192.0.2.1');
    expect(take('192.0.2.1', 2 * BURST)).toBe(BURST);
    limiter.giveBack('192.0.2.2');
    expect(take('192.0.2.2', 2 * BURST)).toBe(BURST);
  });
});

it('the limiter counts ten thousand networks and no more', () => {
  take('192.0.2.1');
  const others = (from: number) => {
    for (let i = 0; i < 9_999; i++) limiter.take(`10.${from}.${i >> 8}.${i & 255}`);
  };
  others(0);
  expect(limiter.take('192.0.2.1')).toBeGreaterThan(0);
  others(1);
  limiter.take('192.0.2.2');
  expect(limiter.take('192.0.2.1')).toBe(0);
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1', '::ffff:192.0.2.1'],
  ['192.0.2.123', '::FFFF:192.0.2.123'],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:db8::1', '2001:db8:0:0:1:2:3:4'],
  ['::1', '0:0:0:0:0:0:0:1'],
  ['::1', '::2:3'],
  ['::5:6:7:8:9', '0:0:0:5:1:1:1:1'],
  ['1::5:6:7:8:9', '1:0:0:5::'],
  ['1:2:3:4:5:6:7::', '1:2:3:4::'],
  ['fe80::1%eth0', 'fe80::2'],
  // No addresses, though some libraries read numbers of other forms as one.
  ['unknown', ''],
  ['unknown', undefined],
  ['unknown', '192.0.2.1:443'],
  ['unknown', '1192.0.2.1'],
  ['unknown', '::192.0.2.1'],
  ['1', '0x7f.1'],
])('%s and %s count as one network', (one, other) => {
  take(one);
  expect(limiter.take(other)).toBe(INTERVAL_MS);
});

it.each([
  ['192.0.2.1', '192.0.2.2'],
  ['192.0.2.1', '1192.0.2.1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.12'],
  ['2001:db8:1:2::1', '2001:db8:1:3::1'],
  ['2001:db8:1:2::1', '2001:db8:12::1'],
  ['1::5:6:7:8', '1::6:7:8:9:a'],
  ['::1', '1::'],
  // Not the mapped form, though it holds it.
  ['192.0.2.1', '1::ffff:192.0.2.1'],
  ['192.0.2.1', '::ffff:192.0.2.1:1'],
])('%s and %s count as two networks', (one, other) => {
  take(one);
  expect(limiter.take(other)).toBe(0);
});

it('the limiter takes every text for an address', () => {
  const zoned = fc.tuple(fc.ipV6(), fc.string()).map(([address, zone]) => `${address}%${zone}`);
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV4Extended(), fc.ipV6(), zoned, fc.string()), (address) => {
      limiter.giveBack(address);
      expect(limiter.take(address)).toBe(0);
      limiter.giveBack(address);
    }),
  );
});
