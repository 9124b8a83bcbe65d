import { createHash, randomBytes } from 'node:crypto';
import type { RedisKeys } from '../store/redis-keys.ts';
import { defineScript } from '../store/script.ts';
import type { ScriptStore } from '../store/scripts.ts';

/** Stores an invite, with the time by Redis's clock. */
export const inviteScript = defineScript({
  name: 'invite',
  keys: ['invite'],
  args: ({ owner, ttlS, userId }: { owner: string; ttlS: number; userId: string }) => [owner, ttlS, userId],
  decode: () => undefined,
});

/** The guild that an invite opens, and the person that the invite is for. */
export interface Recipient {
  /** The guild that the invite opens; null = the operator, who sees all guilds. */
  readonly guildId: string | null;
  /** Id of the person on the chat platform; "" when the maker of the invite named none. */
  readonly userId: string;
}

/** A stored invite. */
export interface Invite extends Recipient {
  /** Microseconds since the epoch by Redis's clock. */
  readonly madeAt: number;
}

/** The store of the dashboard. The kit for bots has this file too, and does not know ioredis. */
interface InviteStore {
  readonly client: { get(key: string): Promise<string | null>; del(key: string): Promise<number> };
  readonly redisKeys: RedisKeys;
}

/** How long an invite works, in seconds, unless its maker says otherwise. */
export const INVITE_TTL_S = 15 * 60;

/** The longest time that an invite works, in seconds. */
export const MAX_INVITE_TTL_S = 86_400;

/** Guild id, user id and time, as invite.lua stores them. */
const STORED = /^([\w.-]{1,64}) ([\w.-]{0,64}) (\d{1,16})$/;

/** The text of {@link newToken}. */
const TOKEN = /^[\w-]{43}$/;

/** Returns 256 random bits as text, for an invite or a session. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the SHA-256 of a token in hex, the only stored form. No salt is needed: nobody can guess 256 random bits. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * Stores an invite and returns the address that opens it. One round trip.
 * @param url address of the dashboard.
 * @throws StoreUnavailableError
 */
export async function createInvite(
  { scripts, redisKeys }: ScriptStore,
  url: string,
  { guildId, userId }: Recipient,
  ttlS = INVITE_TTL_S,
): Promise<string> {
  const token = newToken();
  const sha = hashToken(token);
  const key = guildId === null ? redisKeys.operatorInvite(sha) : redisKeys.invite(sha);
  await inviteScript.run(scripts, { invite: key }, { owner: guildId ?? 'operator', ttlS, userId });
  return `${url.replace(/\/+$/, '')}/sign-in/${token}`;
}

/** Returns an invite without using it up, or null if it is unknown, used or expired. @throws StoreUnavailableError */
export async function findInvite({ client, redisKeys }: InviteStore, token: string): Promise<Invite | null> {
  if (!TOKEN.test(token)) return null;
  const sha = hashToken(token);
  const [owner, operator] = await Promise.all([
    client.get(redisKeys.invite(sha)),
    client.get(redisKeys.operatorInvite(sha)),
  ]);
  const [, guildId, userId = '', madeAt] = STORED.exec(operator ?? owner ?? '') ?? [];
  if (guildId === undefined) return null;
  return { guildId: operator === null ? guildId : null, userId, madeAt: Number(madeAt) };
}

/** Uses an invite up. @returns false if somebody else has used it before. @throws StoreUnavailableError */
export async function takeInvite(
  { client, redisKeys }: InviteStore,
  token: string,
  { guildId }: Recipient,
): Promise<boolean> {
  const sha = hashToken(token);
  const key = guildId === null ? redisKeys.operatorInvite(sha) : redisKeys.invite(sha);
  return (await client.del(key)) === 1;
}
