import type { ScriptReply } from '../store/script.ts';
import { isRepeated } from './event.ts';
import type { MemberChange } from './record-script.ts';

/** The XP and level of a member before and after a gain. */
export interface Gain extends Omit<MemberChange, 'userId'> {
  /** The guild's revision. */
  readonly revision: string;
  /** XP from here to the next level; null for a member with an explicit level, which XP does not change, or with the highest. */
  readonly xpToNextLevel: number | null;
  /** Whether the event had this reply before. Then nothing was changed. */
  readonly repeated: boolean;
}

/** Decodes the part of a reply that award.lua and claim.lua share. */
export function decodeGain(reply: ScriptReply): Gain {
  const [, revision, , xpBefore, levelBefore, xp, level, next, place] = reply;
  return {
    revision: String(revision),
    xpBefore: Number(xpBefore),
    levelBefore: Number(levelBefore),
    xp: Number(xp),
    level: Number(level),
    xpToNextLevel: next === '' ? null : Number(next),
    created: place === 'new',
    hidden: place === 'hidden',
    repeated: isRepeated(reply),
  };
}
