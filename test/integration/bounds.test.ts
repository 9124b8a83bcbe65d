import { expect, it } from 'vitest';
import { KEY_NAME_PATTERN } from '../../src/core/access/api-key-issuer.ts';
import { parseOrigins } from '../../src/core/access/origins.ts';
import { eventCall, NO_EVENT } from '../../src/core/members/event.ts';
import { parseCurve } from '../../src/core/ranking/curves.ts';
import { ID_PATTERN } from '../../src/core/ranking/model.ts';
import { beginSeasonScript, openArchiveScript } from '../../src/core/seasons/season-scripts.ts';
import { configureScript, parseMultiplier, parseTitle } from '../../src/core/settings/guild-config.ts';
import { parseLook } from '../../src/core/settings/page-look.ts';
import { isTimeZone } from '../../src/core/settings/time-zone.ts';
import { Scripts } from '../../src/core/store/scripts.ts';
import { BOUNDS } from '../../src/core/text-bounds.ts';
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
  ['timeZone', isTimeZone, 'America/Argentina/ComodRivadavia', a(65)],
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
    ['time_zone', bytes('timeZone')],
    ['utc_offsets', bytes('utcOffsets')],
    ['rules', bytes('rules')],
    ['page_title', bytes('title')],
    ['page_accent', bytes('colour')],
    ['page_picture', bytes('picture')],
  ])(
    'the configuration stores the field %s up to its bound, and the script refuses it above its bound',
    async (field, most) => {
      const keys = suite.store.redisKeys.guild(suite.newGuild());
      const set = (length: number) =>
        configureScript.run(new Scripts(suite.store.client), keys, { [field]: a(length) });
      const reason = expect.stringContaining(`${field} has ${most + 1} bytes, and the most is ${most}`);
      await expect(set(most + 1)).rejects.toMatchObject({ reason });
      expect(await suite.store.client.exists(keys.config)).toBe(0);
      await set(most);
      expect(await suite.store.client.hget(keys.config, field)).toBe(a(most));
    },
  );
});

describeStores('a text above its bound in a call of a script', (kind) => {
  const suite = storeSuite(kind);
  const zeros = '0'.repeat(1000);
  const scriptCall = (name: string, keys: readonly string[], ...args: readonly string[]) =>
    suite.store.scripts.run({ name, boards: true }, keys, ...args);

  it.each([
    ['the time of a claim', '5', `- - ${zeros}5`, 'field'],
    ['the XP', `${zeros}5`, '', 'xp'],
    ['the XP to add', `add ${zeros}5`, '', 'xp'],
    ['the streak', '5', `- ${zeros}5 -`, 'field'],
  ])('a text above its bound is refused as %s of a record, and nothing is stored', async (_, xp, profile, reason) => {
    const { keys, stored } = guild();
    expect(await scriptCall('record', keys, xp, 'a', profile)).toEqual(['REFUSED', 0, reason]);
    expect(await stored()).toEqual([]);
  });

  it('an award refuses a cooldown that is too long, and stores nothing', async () => {
    const { keys, stored, base } = guild();
    const reply = await scriptCall('award', [...keys, `${base}:cooldown:a`], 'a', '5', `${zeros}60000`, '', '');
    expect(reply).toEqual(['REFUSED', 0, 'argument']);
    expect(await stored()).toEqual([]);
  });

  it.each(['event', 'event-part:1'])(
    'a text above its bound is refused as the id of an event under "%s", and nothing is stored',
    async (kindOfKey) => {
      const { keys, stored, base } = guild();
      const call = (id: string) =>
        scriptCall('claim', [...keys, `${base}:${kindOfKey}:${id}`], '600000', 'a', '0', '0', '0', '', '5');
      expect(await call(a(bytes('eventId') + 1))).toEqual(['REFUSED', 0, 'argument']);
      expect(await stored()).toEqual([]);
      expect(await call(a(bytes('eventId')))).toMatchObject({ 0: 'OK' });
    },
  );

  it.each([
    ['the token of the lock', beginSeasonScript, [zeros, 'archive', 'keep']],
    ['the archive', beginSeasonScript, ['token', zeros, 'keep']],
    ['the rest', beginSeasonScript, ['token', 'archive', zeros]],
    ['the token of the lock of an archive', openArchiveScript, [zeros, 'g s', 'standard', '']],
    ['the season', openArchiveScript, ['token', zeros, 'standard', '']],
    ['the curve', openArchiveScript, ['token', 'g s', zeros, '']],
    ['the multiplier', openArchiveScript, ['token', 'g s', 'standard', zeros]],
  ])('a text above its bound is refused as %s of a season, and nothing is stored', async (_, script, args) => {
    const id = suite.newGuild();
    const named = suite.store.redisKeys.locked(id);
    const keys = script.keys.map((name) => named[name]);
    expect(await suite.store.scripts.run(script, keys, ...args)).toEqual(['REFUSED', 0, 'argument']);
    expect(await suite.store.client.keys(`gr:{${id}}:*`)).toEqual([]);
  });

  it('an invite refuses a guild or a user that is too long', async () => {
    const key = suite.store.redisKeys.invite('0'.repeat(64));
    for (const [guildId, userId] of [
      [a(65), ''],
      ['g', a(65)],
    ] as const) {
      const reply = suite.store.scripts.run({ name: 'invite' }, [key], guildId, 60, userId);
      await expect(reply).rejects.toMatchObject({ reason: expect.stringContaining('1 to 64') });
    }
    expect(await suite.store.client.exists(key)).toBe(0);
  });

  function guild() {
    const { xp, stats, config, hidden, members } = suite.store.redisKeys.guild(suite.newGuild());
    const base = xp.slice(0, -':xp'.length);
    return { keys: [xp, stats, config, hidden, members], base, stored: () => suite.store.client.keys(`${base}:*`) };
  }
});
