import fc from 'fast-check';
import { MAX_XP } from '../../src/core/ranking/curves.ts';
import type { CardOptions, MemberCard } from '../../src/pictures/card.ts';
import { names } from '../model/random-writes.ts';

export const CARD_LANGUAGES = ['en', 'de', 'fr', 'es', 'pt-BR', 'ar', 'ja', 'nl', 'ar-EG', 'hi'] as const;

/** The least picture that a browser draws. */
export const PIXEL = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** Texts of any code units, among them what XML forbids, markup, directions and characters of many parts. */
const anyName: fc.Arbitrary<string> = fc.oneof(
  names,
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom(...'<>&"\'/ aW', '\u202e', '\u2066', '\u0301', '\u200d', '\u0000', '👩', 'م', '数', ']]>'),
    maxLength: 300,
  }),
);

const whole = fc.oneof(fc.nat(100_000), fc.constantFrom(0, 1, 10 ** 12, MAX_XP));
const neighbour = fc.option(
  fc.record({ rank: whole, userId: fc.constantFrom('1', '9'), username: anyName, level: whole, xp: whole }),
);
const progress = fc.option(fc.record({ gained: whole, needed: whole }));
const hidden = fc.subarray(['left', 'self', 'moderator'] as const, { minLength: 1 });

export const anyCard: fc.Arbitrary<MemberCard> = fc
  .record({
    ...{ userId: fc.constantFrom('1', 'a-b', '400000000000001136'), username: anyName, rank: whole, total: whole },
    ...{ level: whole, xp: whole, progress, nextLevelXp: fc.option(whole), above: neighbour, below: neighbour },
    ...{ dailyStreak: whole, hidden: fc.option(hidden) },
  })
  .map((card) => (card.hidden ? { ...card, rank: null, above: null, below: null } : card));

export const anyOptions: fc.Arbitrary<CardOptions> = fc.record(
  {
    theme: fc.constantFrom('light', 'dark'),
    lang: fc.constantFrom(...CARD_LANGUAGES),
    accent: fc.constantFrom('#0f766e', '#F0a'),
    avatar: fc.constantFrom(PIXEL, 'https://cdn.example.com/a.png?size=128&v=2'),
    labels: fc
      .dictionary(fc.constantFrom('rank', 'level', 'next', 'streak', 'hidden', 'left'), anyName)
      .map((labels) => {
        return Object.fromEntries(Object.entries(labels).map(([name, text]) => [name, text.slice(0, 60)]));
      }),
  },
  { requiredKeys: ['theme', 'lang'] },
);
