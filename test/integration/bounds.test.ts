import { expect, it } from 'vitest';
import { KEY_NAME_PATTERN } from '../../src/core/access/api-keys.ts';
import { parseOrigins } from '../../src/core/access/origins.ts';
import { BOUNDS } from '../../src/core/bounds.ts';
import { eventCall, NO_EVENT } from '../../src/core/members/event.ts';
import { parseCurve } from '../../src/core/ranking/curves.ts';
import { ID_PATTERN } from '../../src/core/ranking/model.ts';
import { configureScript, parseMultiplier, parseTitle } from '../../src/core/settings/guild-config.ts';
import { parseLook } from '../../src/core/settings/page-look.ts';
import { Scripts } from '../../src/core/store/scripts.ts';
import { storeSuite } from '../support/store-suite.ts';
import { describeStores } from '../support/stores.ts';

const bytes = (name: keyof typeof BOUNDS) => BOUNDS[name].bytes;
const a = (length: number) => 'a'.repeat(length);
/** A character of four bytes that can be seen. */
const wide = (length: number) => '\u{1f600}'.repeat(length);
const ten = '1000000000';

/** Whether each parser takes a text; the longest text that it takes, and one that is a little longer. */
const PARSERS: readonly [keyof typeof BOUNDS, (text: string) => boolean, longest: string, longer: string][] = [
  ['guildId', (text) => ID_PATTERN.test(text), a(64), a(65)],
  ['userId', (text) => ID_PATTERN.test(text), a(64), a(65)],
  [
    'eventId',
    (text) => eventCall({ eventPrefix: '', eventPartPrefix: '' }, text, 1, 0) !== NO_EVENT,
    wide(16),
    `${wide(16)}a`,
  ],
  [
    'curve',
    (text) => parseCurve(`custom=${text}`) !== undefined,
    `0000000001,0000000001,-0000000001,-0000000001,0000000001,0000000001,0000000009`,
    `0,0,50,0,1,1,0${ten}`,
  ],
  ['multiplier', (text) => parseMultiplier(text) >= 0, '0100.0000000001', `1.${'0'.repeat(31)}`],
  ['title', (text) => parseTitle(text) === text, wide(100), wide(101)],
  ['colour', (text) => parseLook('accent', text) === text, '#aabbcc', '#aabbccd'],
  [
    'picture',
    (text) => parseLook('picture', text) === text,
    `https://a.example/${a(499)}`,
    `https://a.example/${a(4000)}`,
  ],
  ['keyName', (text) => KEY_NAME_PATTERN.test(text), wide(64), wide(65)],
  ['origins', (text) => parseOrigins(text).length === 1, `https://${a(1992)}`, `https://${a(1993)}`],
];

it.each(PARSERS)(
  'a text of a person, a bot or a file is taken up to its bound, and refused above it: %s',
  (name, takes, longest, longer) => {
    expect(Buffer.byteLength(longest)).toBeLessThanOrEqual(bytes(name));
    expect(takes(longest)).toBe(true);
    let isTaken = false;
    try {
      isTaken = takes(longer);
    } catch {
      // Refused.
    }
    expect(isTaken).toBe(false);
  },
);

describeStores('the configuration of a guild', (kind) => {
  const suite = storeSuite(kind);

  it.each([
    ['plan', bytes('plan')],
    ['xp_multiplier', bytes('multiplier')],
    ['rules', bytes('rules')],
    ['page_title', bytes('title')],
    ['page_accent', bytes('colour')],
    ['page_picture', bytes('picture')],
  ])('stores the field %s up to its bound, and is refused by the script above it', async (field, most) => {
    const keys = suite.store.redisKeys.guild(suite.newGuild());
    const set = (length: number) => configureScript.run(new Scripts(suite.store.client), keys, [field, a(length)]);
    const reason = expect.stringContaining(`${field} has ${most + 1} bytes, and the most is ${most}`);
    await expect(set(most + 1)).rejects.toMatchObject({ reason });
    expect(await suite.store.client.exists(keys.config)).toBe(0);
    await set(most);
    expect(await suite.store.client.hget(keys.config, field)).toBe(a(most));
  });
});
