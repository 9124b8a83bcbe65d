import type { Core } from '../../src/core/core.ts';
import type { XpRecord } from '../../src/core/members/xp-record.ts';
import type { CurveName } from '../../src/core/ranking/curves.ts';
import type { PageLook } from '../../src/core/settings/page-look.ts';

/** One invented guild per plan, with a public page, and boards of the week and of the month. */
export interface DemoGuild {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly members: number;
  readonly xpCurve: CurveName;
  readonly xpMultiplier: number;
  readonly look: Partial<PageLook>;
}

/** The guild with the largest quota comes first: the page of the demo is about it. */
export const DEMO_GUILDS = [
  {
    id: 'demo-pro',
    name: 'The Den',
    plan: 'pro',
    members: 400,
    xpCurve: 'standard',
    xpMultiplier: 1.5,
    look: { accent: '#0f766e', accentDark: '#5eead4', background: '#e6f4f1', backgroundDark: '#04211d' },
  },
  {
    id: 'demo-starter',
    name: 'Pixel Garden',
    plan: 'starter',
    members: 250,
    xpCurve: 'lurkr',
    xpMultiplier: 1,
    look: { accent: '#b45309', accentDark: '#fcd34d' },
  },
  {
    id: 'demo-free',
    name: 'Night Owls',
    plan: 'free',
    members: 120,
    xpCurve: 'standard',
    xpMultiplier: 1,
    look: { accent: '#6d28d9', accentDark: '#c4b5fd' },
  },
] as const satisfies readonly DemoGuild[];

/** The first members. All later names are a word of FIRST and a word of SECOND. */
const KNOWN = [
  'Ada Lovelace',
  'Grace Hopper',
  'Alan Turing',
  'Katherine Johnson',
  'Nikola Tesla',
  'Hedy Lamarr',
  'Marie Curie',
  'الخوارزمي',
  'Claude Shannon',
  'Emmy Noether',
  'Rosalind Franklin',
  'Sally Ride',
  'Isaac Newton',
  'Hypatia',
  'Carl Sagan',
  'Mary Anning',
];
const FIRST =
  'Amber Brisk Clever Dusty Eager Frosty Gentle Hidden Icy Jolly Keen Lucky Mellow Nimble Odd Plucky Quiet Rusty Swift Tidy';
const SECOND =
  'Badger Comet Dolphin Ember Falcon Gecko Heron Ibis Jackal Kestrel Lynx Marmot Newt Otter Puffin Quokka Raven Stoat Tapir Wombat';
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Roles and channels that each guild has, as its bot tells them. */
const ROLES = [
  { id: 'role-regular', name: 'Regular', color: 0x16a34a, position: 3 },
  { id: 'role-veteran', name: 'Veteran', color: 0x2563eb, position: 4 },
  { id: 'role-legend', name: 'Legend', color: 0xd97706, position: 5 },
  { id: 'role-muted', name: 'Muted', color: 0, position: 1 },
];
const CHANNELS = [
  { id: 'category-talk', name: 'Talk', type: 4, parent: null },
  { id: 'channel-general', name: 'general', type: 0, parent: 'category-talk' },
  { id: 'channel-memes', name: 'memes', type: 0, parent: 'category-talk' },
  { id: 'channel-lounge', name: 'Lounge', type: 2, parent: 'category-talk' },
  { id: 'channel-commands', name: 'bot-commands', type: 0, parent: null },
];
const RULES = {
  no_xp: { roles: ['role-muted'], channels: ['channel-commands'] },
  multipliers: { roles: { 'role-regular': 1.5 } },
  rewards: [
    { level: 5, role: 'role-regular' },
    { level: 20, role: 'role-veteran', kept: false },
    { level: 50, role: 'role-legend' },
  ],
};

/** The roles that levels give, by the lowest level. */
export const DEMO_REWARDS = RULES.rewards.map(({ level, role }) => {
  const { name, color } = ROLES.find(({ id }) => id === role) as (typeof ROLES)[number];
  return { level, name, colour: `#${color.toString(16).padStart(6, '0')}` };
});

type Member = XpRecord & { readonly set: number };

/** Stores a guild's configuration, members and boards, and creates a key that was used for a week. @returns the key. */
export async function fillDemoGuild(
  { writer, guildConfig, apiKeys, client, redisKeys }: Core,
  guild: DemoGuild,
  now: number,
): Promise<string> {
  const { id, name, plan, xpCurve, xpMultiplier, members, look } = guild;
  await guildConfig.update(id, { plan, xpCurve, xpMultiplier });
  await writer.describeGuild(id, { name, icon: null, roles: ROLES, channels: CHANNELS });
  await guildConfig.setRules(id, JSON.stringify(RULES));
  const all = inventMembers(members, now);
  // A board counts XP that is added after it began. The board of the month begins first.
  const ofMonth = inventGains(all, 53, 600);
  const ofWeek = inventGains(all, 31, 900);
  const gained = (index: number) => (ofMonth[index]?.add ?? 0) + (ofWeek[index]?.add ?? 0);
  await writer.recordMany(
    id,
    all.map((member, index) => ({ ...member, set: member.set - gained(index) })),
  );
  await guildConfig.update(id, { publicPage: true, pageTitle: name, pageLook: look, boards: ['month'] });
  await writer.recordMany(id, ofMonth);
  await guildConfig.update(id, { boards: ['week', 'month'] });
  await writer.recordMany(id, ofWeek);
  const { key, record } = await apiKeys.create(id, 'website', null);
  const { usage, apiKeysUsed } = redisKeys.guild(id);
  await client.hset(usage, inventUsage(record.id, members, now));
  await client.hset(apiKeysUsed, record.id, new Date(now).toISOString());
  return key;
}

/** Returns the fields of `gr:{G}:usage` for the last seven days: few requests at night, and some that were refused at noon. */
function inventUsage(keyId: string, members: number, now: number): Record<string, number> {
  const thisHour = Math.floor(now / HOUR_MS);
  const fields: Record<string, number> = {};
  for (let ago = 0; ago < 7 * 24; ago++) {
    const hour = thisHour - ago;
    const daytime = 1 - Math.cos((2 * Math.PI * (hour % 24)) / 24);
    fields[`${hour}:${keyId}`] = Math.round(members * (0.05 + daytime * (1 + ((hour * 37) % 10) / 20)));
    if (hour % 24 === 12) fields[`${hour}:${keyId}:refused`] = Math.round(members / 10);
  }
  return fields;
}

/** Returns what each member has gained, always the same: up to 97 of `parts` parts of its XP, in an order of their own. */
function inventGains(members: readonly Member[], step: number, parts: number) {
  return members.map(({ userId, set }, index) => ({
    userId,
    add: Math.floor((set * (((index + 1) * step) % 97)) / parts),
  }));
}

/** Returns members by falling XP, always the same. Only the daily claims move with `now` (milliseconds since the epoch). */
export function inventMembers(count: number, now: number): Member[] {
  const first = FIRST.split(' ');
  const second = SECOND.split(' ');
  return Array.from({ length: count }, (_, index) => {
    // 7 and 20 have no common factor, so names repeat only after all 400 pairs.
    const pair = `${first[(index * 7) % 20]} ${second[(index * 7 + Math.floor(index / 20)) % 20]}`;
    const streak = (index * 13) % 40;
    return {
      userId: demoUserId(index),
      set: Math.floor(24_000 * Math.exp(-index / 60)) + ((index * 37) % 29),
      username: KNOWN[index] ?? pair,
      dailyStreak: streak,
      ...(streak > 0 && { lastDailyClaim: new Date(now - (((index * 97) % 24) * DAY_MS) / 24) }),
    };
  });
}

/** Returns the id of the member that starts at place `index`, from 0: 18 digits, like the ids of chat platforms. */
export function demoUserId(index: number): string {
  return `40000000000000${String(1000 + index * 17)}`;
}

/** The member that the pages of the demo take for the visitor: the first member below page 1 who does not climb. */
export const DEMO_VISITOR = { id: demoUserId(11), name: KNOWN[11] ?? '' };
