import { setImmediate } from 'node:timers/promises';
import { shownName, splitProfile } from '../ranking/profile.ts';
import { type GuildKeys, READ_KEYS } from '../store/redis-keys.ts';
import { defineScript } from '../store/script.ts';
import type { Scripts } from '../store/scripts.ts';
import { foldText } from './fold-text.ts';
import { parseRevision } from './read-commands.ts';

/** A ranked member, with its XP as Redis has it. */
interface ScoredMember {
  readonly userId: string;
  readonly xp: string;
}

/** A reading begins here, below all members. */
const BOTTOM: ScoredMember = { userId: '', xp: '' };

type NamesReply = readonly [
  revision: string,
  state: string,
  xp: string,
  userIds: readonly string[],
  profiles: readonly (string | null)[],
];

/** Lists ranked members with their profiles, in steps from the lowest rank up. */
export const namesScript = defineScript({
  name: 'names',
  keys: READ_KEYS,
  args: ({ userId, xp }: ScoredMember) => [userId, xp],
  decode: ([revision, state, xp, userIds, profiles]: NamesReply) => ({
    revision: parseRevision(revision),
    /** "MOVED" when the member has other XP by now or is not ranked, "END" when no further members follow. */
    state,
    /** The first member of the step. */
    highest: { userId: userIds[0] ?? '', xp },
    /** By rank. */
    userIds,
    profiles,
  }),
});

type Step = ReturnType<(typeof namesScript)['run']> extends Promise<infer Result> ? Result : never;

/** Folded names and user ids of the members of a step, a line for each member. A step has few enough members to go through them in turn. */
interface Segment {
  readonly names: string;
  readonly userIds: string;
}

/** The names of a guild's ranked members at one time, by rank. */
export class GuildNames {
  /**
   * @param revision revision of the guild when the reading began; "" for a guild without a revision.
   * @param bytes that the texts take in memory, at most.
   * @param segments by rank.
   */
  private constructor(
    readonly revision: string,
    readonly bytes: number,
    private readonly segments: readonly Segment[],
  ) {}

  /**
   * Reads the names of a guild. O(m log m) for m members, m / 250 round trips, between which Redis serves other clients.
   * @param maxBytes the most bytes that the names may take.
   * @returns undefined when the names take more bytes.
   * @throws StoreUnavailableError
   */
  static async read(scripts: Scripts, keys: GuildKeys, maxBytes: number): Promise<GuildNames | undefined> {
    const read = (from: ScoredMember) => {
      const reading = namesScript.run(scripts, keys, from);
      reading.catch(() => {}); // A failure is met below, when the names of the step before are folded.
      return reading;
    };
    const steps: (Segment & { readonly highest: ScoredMember })[] = [];
    let bytes = 0;
    let reading = read(BOTTOM);
    const { revision } = await reading;
    for (let isEnd = false; !isEnd; ) {
      const step = await reading;
      if (step.state === 'MOVED') {
        const moved = steps.pop();
        if (moved) bytes -= bytesOf(moved);
        reading = read(steps.at(-1)?.highest ?? BOTTOM);
        continue;
      }
      isEnd = step.state === 'END';
      // Redis reads the next members while this process folds the names of these.
      if (!isEnd) reading = read(step.highest);
      await setImmediate();
      const segment = { ...segmentOf(step), highest: step.highest };
      bytes += bytesOf(segment);
      steps.push(segment);
      if (bytes <= maxBytes) continue;
      await reading;
      return undefined;
    }
    const segments = steps.map(({ names, userIds }) => ({ names, userIds })).reverse();
    return new GuildNames(revision, bytes, segments);
  }

  /** Returns the user ids of the members whose name contains a folded text, by their rank at the time of the reading. O(bytes). */
  *userIdsOf(text: string): Generator<string> {
    for (const { names, userIds } of this.segments) {
      if (!names.includes(text)) continue;
      const ids = userIds.split('\n');
      for (const [index, name] of names.split('\n').entries()) if (name.includes(text)) yield ids[index] as string;
    }
  }
}

function segmentOf({ userIds, profiles }: Step): Segment {
  const names: string[] = [];
  const named: string[] = [];
  for (const [index, userId] of userIds.entries()) {
    const { username } = splitProfile(profiles[index] ?? null);
    const name = username && foldText(shownName(username, ''));
    if (!name) continue;
    names.push(name);
    named.push(userId);
  }
  return { names: names.join('\n'), userIds: named.join('\n') };
}

/** Bytes that V8 needs for two texts, and for the object that has them. */
const OVERHEAD_BYTES = 100;

/** Returns the most bytes that a segment takes: V8 keeps a text with any character beyond Latin-1 in two bytes a character. */
function bytesOf({ names, userIds }: Segment): number {
  return 2 * names.length + userIds.length + OVERHEAD_BYTES;
}
