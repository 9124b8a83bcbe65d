import { setImmediate } from 'node:timers/promises';
import { shownName, splitProfile } from '../ranking/profile.ts';
import { type GuildKeys, READ_KEYS } from '../store/keys.ts';
import { defineScript } from '../store/script.ts';
import type { Scripts } from '../store/scripts.ts';
import { foldText } from './fold-text.ts';
import { parseRevision } from './reader.ts';

type NamesReply = readonly [
  revision: string,
  before: number | string,
  userIds: readonly string[],
  profiles: readonly (string | null)[],
];

/** Lists ranked members with their profiles, in steps from the lowest rank up. */
export const namesScript = defineScript({
  name: 'names',
  keys: READ_KEYS,
  args: ({ before, last }: { before: number; last: string }) => [before, last],
  decode: ([revision, before, userIds, profiles]: NamesReply) => ({
    revision: parseRevision(revision),
    /** Members of all steps so far. */
    before: Number(before),
    /** By rank. */
    members: userIds.map((userId, index) => ({ userId, profile: profiles[index] ?? null })),
  }),
});

/** Folded names and user ids of the members of a step, one a line. Few enough to go through them one by one. */
interface Segment {
  readonly names: string;
  readonly userIds: string;
}

/** The names of a guild's ranked members at one time, by rank. */
export class GuildNames {
  /**
   * @param revision of the guild when the reading began; "" when it had none.
   * @param bytes that the texts take in memory, at most.
   * @param segments by rank.
   */
  private constructor(
    readonly revision: string,
    readonly bytes: number,
    private readonly segments: readonly Segment[],
  ) {}

  /**
   * Reads the names of a guild. O(m log m) for m members, m / 250 round trips, between which Redis serves others.
   * @param maxBytes the most bytes that the names may take.
   * @returns undefined when they take more.
   * @throws StoreUnavailableError
   */
  static async read(scripts: Scripts, keys: GuildKeys, maxBytes: number): Promise<GuildNames | undefined> {
    const read = (before: number, last: string) => namesScript.run(scripts, keys, { before, last });
    const segments: Segment[] = [];
    let bytes = 0;
    let reading = read(0, '');
    const { revision } = await reading;
    for (let step = await reading; step.members.length > 0; step = await reading) {
      // Redis reads the next members while this process folds the names of these.
      reading = read(step.before, step.members[0]?.userId ?? '');
      await setImmediate();
      const segment = segmentOf(step.members);
      bytes += bytesOf(segment);
      segments.push(segment);
      if (bytes <= maxBytes) continue;
      await reading;
      return undefined;
    }
    return new GuildNames(revision, bytes, segments.reverse());
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

function segmentOf(members: readonly { readonly userId: string; readonly profile: string | null }[]): Segment {
  const [names, userIds] = [[] as string[], [] as string[]];
  for (const { userId, profile } of members) {
    const { username } = splitProfile(profile);
    const name = username && foldText(shownName(username, ''));
    if (!name) continue;
    names.push(name);
    userIds.push(userId);
  }
  return { names: names.join('\n'), userIds: userIds.join('\n') };
}

/** What V8 needs for two texts, and for the object that has them. */
const OVERHEAD_BYTES = 100;

/** Returns the most bytes that a segment takes: V8 keeps a text with any character beyond Latin-1 in two bytes a character. */
function bytesOf({ names, userIds }: Segment): number {
  return 2 * names.length + userIds.length + OVERHEAD_BYTES;
}
