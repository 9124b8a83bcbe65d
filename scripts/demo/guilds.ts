import type { Services } from '../../src/cli/services.ts';
import type { CurveName } from '../../src/leaderboard/curves.ts';
import type { XpRecord } from '../../src/leaderboard/writer.ts';

/** One invented guild per plan. */
export interface DemoGuild {
  readonly id: string;
  readonly plan: string;
  readonly members: number;
  readonly xpCurve: CurveName;
  readonly xpMultiplier: number;
}

export const DEMO_GUILDS = [
  { id: 'demo-free', plan: 'free', members: 120, xpCurve: 'standard', xpMultiplier: 1 },
  { id: 'demo-starter', plan: 'starter', members: 250, xpCurve: 'lurkr', xpMultiplier: 1 },
  { id: 'demo-pro', plan: 'pro', members: 400, xpCurve: 'standard', xpMultiplier: 1.5 },
] as const satisfies readonly DemoGuild[];

const FIRST =
  'Amber Brisk Clever Dusty Eager Frosty Gentle Hidden Icy Jolly Keen Lucky Mellow Nimble Odd Plucky Quiet Rusty Swift Tidy';
const SECOND =
  'Badger Comet Dolphin Ember Falcon Gecko Heron Ibis Jackal Kestrel Lynx Marmot Newt Otter Puffin Quokka Raven Stoat Tapir Wombat';
const DAY_MS = 86_400_000;

/** Stores a guild's configuration and members, and creates a key. @returns the key. */
export async function seedGuild(
  { writer, guildConfig, apiKeys }: Services,
  guild: DemoGuild,
  now: number,
): Promise<string> {
  const { id, plan, xpCurve, xpMultiplier, members } = guild;
  await guildConfig.update(id, { plan, xpCurve, xpMultiplier });
  await writer.recordMany(id, inventMembers(members, now));
  return (await apiKeys.create(id, 'demo', null)).key;
}

/** Returns members by falling XP, always the same. Only the daily claims move with `now` (milliseconds since the epoch). */
export function inventMembers(count: number, now: number): XpRecord[] {
  const first = FIRST.split(' ');
  const second = SECOND.split(' ');
  return Array.from({ length: count }, (_, index) => {
    // 7 and 20 have no common factor, so names repeat only after all 400 pairs.
    const name = `${first[(index * 7) % 20]} ${second[(index * 7 + Math.floor(index / 20)) % 20]}`;
    const streak = (index * 13) % 40;
    return {
      userId: demoUserId(index),
      set: Math.floor(24_000 * Math.exp(-index / 60)) + ((index * 37) % 29),
      profile: {
        username: name,
        dailyStreak: streak,
        ...(streak > 0 && { lastDailyClaim: new Date(now - (((index * 97) % 24) * DAY_MS) / 24) }),
      },
    };
  });
}

/** Returns the id of the member that starts at place `index`, from 0: 18 digits, like the ids of chat platforms. */
export function demoUserId(index: number): string {
  return `40000000000000${String(1000 + index * 17)}`;
}
