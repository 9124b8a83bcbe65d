import { checkGuildAndUsers } from '../check-fields.ts';
import { type HideReason, reasonsIn } from '../ranking/model.ts';
import { isPictureHash } from '../ranking/picture-hash.ts';
import { claimTime, explicitLevel, splitProfile } from '../ranking/profile.ts';
import { GUILD_KEYS } from '../store/redis-keys.ts';
import { membersOf, scanSortedSet } from '../store/scan.ts';
import { defineScript, type ScriptReply } from '../store/script.ts';
import type { Store } from '../store/store.ts';
import { wholeXp } from './read-commands.ts';

/** The profile of a member. */
export interface StoredProfile {
  readonly username: string | null;
  /** The explicit level, or null. */
  readonly level: number | null;
  readonly dailyStreak: number;
  /** ISO 8601 in UTC. */
  readonly lastDailyClaim: string | null;
}

/** A member as it is stored, ranked or hidden. */
export interface StoredMember extends StoredProfile {
  readonly userId: string;
  /** Total XP, 0 .. 2^53-1. */
  readonly xp: number;
  readonly hidden: boolean;
  /** Why the member is hidden; empty for a ranked member. */
  readonly hiddenReasons: readonly HideReason[];
  /** Discord's hash of the avatar, or null. */
  readonly avatar: string | null;
}

/** Members of one moment. */
export interface StoredMembersAt {
  /** Revision of the guild; "" for a guild without a revision. */
  readonly revision: string;
  /** The curve as text: a name, or `custom=...`; "" for the default. */
  readonly curve: string;
  /** The members in the order asked for, without users who are not members. */
  readonly members: readonly StoredMember[];
}

/** Reads members as they are stored, all at one moment. */
export const membersScript = defineScript({
  name: 'members',
  keys: [...GUILD_KEYS, 'hiddenReasons', 'avatars'],
  args: ({ userIds }: { userIds: readonly string[] }) => userIds,
  decode: ([revision, curve, ...rows]: ScriptReply): StoredMembersAt => ({
    revision: String(revision),
    curve: String(curve),
    members: rows.filter(Boolean).map((row) => decodeRow(String(row))),
  }),
});

/** Members read in one script call. Redis serves no other client during a call, which takes a few milliseconds. */
const MEMBERS_PER_STEP = 250;

/** Reads members with all that a file needs to restore them. */
export class StoredMembers {
  constructor(private readonly store: Store) {}

  /** Reads members. O(n log m). @throws InvalidInputError, StoreUnavailableError */
  async read(guildId: string, userIds: readonly string[]): Promise<StoredMembersAt> {
    checkGuildAndUsers(guildId, userIds);
    return membersScript.run(this.store.scripts, this.store.redisKeys.guild(guildId), { userIds });
  }

  /**
   * Reads all members in steps, in no order, with one more step at the end. When all steps have the same revision, they show the guild at one moment.
   * Otherwise each step shows a moment of its own, and a member that changed meanwhile can come twice, in its later state last. O(n log n).
   */
  async *readAll(guildId: string): AsyncGenerator<StoredMembersAt> {
    const { client, redisKeys } = this.store;
    const { xp, hidden } = redisKeys.guild(guildId);
    const seen = new Set<string>();
    // Hidden members are read first, and again at the end, so that no member is missed that is hidden or put back meanwhile.
    for (const key of [hidden, xp, hidden]) {
      for await (const scored of scanSortedSet(client, key, MEMBERS_PER_STEP)) {
        const userIds = membersOf(scored).filter((id) => !seen.has(id));
        if (userIds.length === 0) continue;
        const step = await this.read(guildId, userIds);
        if (key === hidden) for (const { userId } of step.members) seen.add(userId);
        yield step;
      }
    }
    yield await this.read(guildId, []);
  }
}

/** Decodes a row of lib-row.lua. */
export function decodeRow(row: string): StoredMember {
  const [userId = '', xp, place = '', avatar, ...profile] = row.split('\n');
  const hidden = place !== 'ranked';
  const hiddenReasons = hidden ? reasonsIn(place) : [];
  const member = { userId, xp: Number(xp), hidden, hiddenReasons, avatar: isPictureHash(avatar) ? avatar : null };
  return { ...member, ...decodeProfile(profile.join('\n')) };
}

/** Decodes a value of gr:{G}:members. */
export function decodeProfile(value: string): StoredProfile {
  const { username, level, streak, claim } = splitProfile(value);
  return {
    username: username || null,
    level: explicitLevel(level) ?? null,
    dailyStreak: wholeXp(streak),
    lastDailyClaim: claimTime(claim),
  };
}
