import { RefusedError } from '../errors.ts';
import { GUILD_KEYS } from '../store/redis-keys.ts';
import { throwRefusal } from '../store/refused-reply.ts';
import { defineScript, type ScriptReply } from '../store/script.ts';
import type { Fields, MovedMember } from './move-lines.ts';

/** The scripts that store a guild which comes from another Redis, over lib-move.lua. */

/** A hash of a guild, by the name of its Redis key. */
export type MovedHash = 'stats' | 'config' | 'season' | 'apiKeys' | 'apiKeysUsed' | 'usage' | 'about';

/** The fields that every step of a move takes. */
interface StepFields {
  /** Id of the guild, for refusals. */
  readonly guild: string;
  /** Token of the lock. */
  readonly token: string;
}

/** A refusal of a step. */
type Obstacle = 'guild_busy' | 'guild_exists' | 'move_in_disturbed' | 'move_failed_over' | 'move_incomplete';

/** The refusal for each status of a reply that ends a move. */
const OBSTACLES: ReadonlyMap<string, Obstacle> = new Map([
  ['BUSY', 'guild_busy'],
  ['EXISTS', 'guild_exists'],
  ['CHANGED', 'move_in_disturbed'],
  ['SERVER', 'move_failed_over'],
  ['COUNT', 'move_incomplete'],
]);

/** @throws RefusedError for the reply of a step that may not go on. */
function throwObstacle(reply: ScriptReply, { guild }: StepFields): void {
  throwRefusal(reply);
  const obstacle = OBSTACLES.get(String(reply[0]));
  if (obstacle) throw new RefusedError(obstacle, { guild });
}

const toBytes = (text: string) => Buffer.from(text, 'latin1');

/** Takes the lock, deletes what an unfinished move left, and returns the name of the Redis server. */
export const beginMoveScript = defineScript({
  name: 'move-begin',
  keys: [...GUILD_KEYS, 'season', 'apiKeys', 'lock', 'hiddenReasons', 'about', 'avatars'],
  boards: true,
  args: ({ token, model }: StepFields & { model: string }) => [token, model],
  decode(reply: ScriptReply, fields): string {
    throwObstacle(reply, fields);
    return String(reply[1] ?? '');
  },
});

/** Stores members. Its keys end with the cooldown of each. */
export const putMembersScript = defineScript({
  name: 'move-put',
  keys: [...GUILD_KEYS, 'lock', 'hiddenReasons', 'avatars'],
  boards: true,
  args: ({ token, members, now }: StepFields & { members: readonly MovedMember[]; now: number }) => [
    token,
    ...members.flatMap(([userId, place, xp = '0', until = 0, profile = '', gains = '', avatar = '']) => {
      const cooldownMs = Math.max(0, Math.round(until - now));
      return [userId, place, xp, cooldownMs, toBytes(profile), gains, avatar];
    }),
  ],
  decode: throwObstacle,
});

/** Stores fields and values of a hash of the guild, whose key comes last. */
export const storeFieldsScript = defineScript({
  name: 'move-store',
  keys: ['stats', 'lock'],
  args: ({ token, hash, fields }: StepFields & { hash: MovedHash; fields: Fields }) => [
    token,
    hash === 'stats' || hash === 'usage' ? hash : 'other',
    ...fields.map(toBytes),
  ],
  decode: throwObstacle,
});

/** What the last check of a move compares with the guild. */
interface VerifyFields extends StepFields {
  /** Name of the server that has stored the members. */
  readonly server: string;
  readonly ranked: number;
  readonly hidden: number;
  /** Requests counted in the running quota window, and milliseconds until its end. */
  readonly quotaUsed: number | string;
  readonly quotaMs: number;
}

/** Checks that all members are there, and stores the quota. */
export const verifyMoveScript = defineScript({
  name: 'move-verify',
  keys: ['xp', 'stats', 'hidden', 'lock', 'quota'],
  args: ({ token, server, ranked, hidden, quotaUsed, quotaMs }: VerifyFields) => [
    token,
    server,
    ranked,
    hidden,
    quotaUsed,
    quotaMs,
  ],
  decode: throwObstacle,
});

/** Gives the guild its revision, and the lock back. */
export const finishMoveScript = defineScript({
  name: 'move-finish',
  keys: ['stats', 'lock'],
  args: ({ token, server, revision }: StepFields & { server: string; revision: string }) => [token, server, revision],
  decode: throwObstacle,
});
