import { RefusedError } from '../errors.ts';
import { GUILD_KEYS } from '../store/keys.ts';
import type { ScriptReply } from '../store/script.ts';
import { stepsOfScript } from '../store/script-steps.ts';
import type { Fields, MovedMember } from './moved-guild.ts';

/** The scripts that store a guild which comes from another Redis, one for each step of move.lua. */

const KEYS = [
  ...GUILD_KEYS,
  'season',
  'apiKeys',
  'quota',
  'lock',
  'hiddenReasons',
  'apiKeysUsed',
  'usage',
  'about',
  'avatars',
] as const;

/** A hash of a guild, by the name of its Redis key. */
export type MovedHash = 'stats' | 'config' | 'season' | 'apiKeys' | 'apiKeysUsed' | 'usage' | 'about';

/** What every step takes. */
interface StepFields {
  /** Id of the guild, for refusals. */
  readonly guild: string;
  /** Token of the lock. */
  readonly token: string;
}

type Obstacle = 'guild_busy' | 'guild_exists' | 'import_disturbed' | 'import_failed_over' | 'import_incomplete';

/** What is in the way, by the status of a reply. */
const OBSTACLES: ReadonlyMap<string, Obstacle> = new Map([
  ['BUSY', 'guild_busy'],
  ['EXISTS', 'guild_exists'],
  ['CHANGED', 'import_disturbed'],
  ['SERVER', 'import_failed_over'],
  ['COUNT', 'import_incomplete'],
]);

/** Defines a step that takes the token of the lock and further fields. */
const defineStep = stepsOfScript('move', KEYS, ([status]: ScriptReply, { guild }: StepFields) => {
  const obstacle = OBSTACLES.get(String(status));
  if (obstacle) throw new RefusedError(obstacle, { guild });
});

const toBytes = (text: string) => Buffer.from(text, 'latin1');

/** Takes the lock, deletes what an unfinished import left, and returns the name of the server. */
export const beginMoveScript = defineStep(
  'begin',
  ({ model }: { model: string }) => [model],
  ([, server]) => String(server ?? ''),
);

/** Stores members. Its keys end with the cooldown of each. @throws RefusedError as all steps do. */
export const putMembersScript = defineStep(
  'put',
  ({ members, now }: { members: readonly MovedMember[]; now: number }) =>
    members.flatMap(([userId, place, xp = '0', until = 0, profile = '', gains = '', avatar = '']) => {
      const cooldownMs = Math.max(0, Math.round(until - now));
      return [userId, place, xp, cooldownMs, toBytes(profile), gains, avatar];
    }),
  () => undefined,
);

/** Stores fields and values of a hash of the guild. */
export const putFieldsScript = defineStep(
  'fields',
  ({ hash, fields }: { hash: MovedHash; fields: Fields }) => [KEYS.indexOf(hash) + 1, ...fields.map(toBytes)],
  () => undefined,
);

/** Checks that all members are there, and stores the quota. */
export const finishMoveScript = defineStep(
  'finish',
  (fields: { server: string; ranked: number; hidden: number; quotaUsed: number | string; quotaMs: number }) => [
    fields.server,
    fields.ranked,
    fields.hidden,
    fields.quotaUsed,
    fields.quotaMs,
  ],
  () => undefined,
);

/** Gives the guild its revision, and the lock back. */
export const endMoveScript = defineStep(
  'end',
  ({ server, revision }: { server: string; revision: string }) => [server, revision],
  () => undefined,
);
