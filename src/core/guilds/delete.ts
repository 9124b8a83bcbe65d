import { endSessions } from '../access/session-generation.ts';
import type { StoredApiKeys } from '../access/stored-api-keys.ts';
import type { StoreUnavailableError } from '../errors.ts';
import { StagedMembers } from '../replace/staged-members.ts';
import { GUILD_KEYS } from '../store/redis-keys.ts';
import { throwRefusal } from '../store/refused-reply.ts';
import { defineScript, type ScriptReply } from '../store/script.ts';
import { publishInvalidation, type Store } from '../store/store.ts';

/** Deletes members, counters, config, quota, season, description and boards at once, while a lock has the token. */
export const deleteScript = defineScript({
  name: 'delete',
  keys: [...GUILD_KEYS, 'season', 'seasonXp', 'quota', 'hiddenReasons', 'about', 'avatars', 'lock'],
  boards: true,
  args: ({ token }: { token: string }) => [token],
  decode(reply: ScriptReply) {
    throwRefusal(reply);
    const [members = 0, config, counters, quota] = reply.map(Number);
    return { members, config: config === 1, counters: counters === 1, quota: quota === 1 };
  },
});

/** The data that a deletion removed. */
export interface Removed {
  readonly members: number;
  /** Members that an unfinished import had staged. */
  readonly staged: number;
  readonly keys: number;
  readonly config: boolean;
  readonly counters: boolean;
  readonly quota: boolean;
  /** Whether links to the dashboard that were made before are ended. A full Redis refuses to note it: repeat the deletion when it has room. */
  readonly linksEnded: boolean;
}

/**
 * Deletes all data of a guild. Members, counters, configuration, description and quota go at one moment, then the API keys with the sessions, invites
 * and audit log of the dashboard. The time of the deletion stays for a day, so that older invites end. What a bot writes after the
 * deletion begins a new guild. An import is refused until the end. A second call finishes an interrupted deletion. A full Redis lets it succeed
 * too. O(k) for k API keys.
 * @throws RefusedError while a replacement of the guild runs, and "lock" when this command was suspended and another
 *   command took over.
 * @throws StoreUnavailableError
 */
export async function deleteGuild(
  store: Store & { readonly apiKeys: StoredApiKeys },
  guildId: string,
): Promise<Removed> {
  const { client, redisKeys, scripts, apiKeys } = store;
  const staged = await StagedMembers.lock(store, guildId);
  const guild = redisKeys.guild(guildId);
  const { lock, token } = staged.held;
  const keys = { ...guild, quota: redisKeys.quota(guildId), lock };
  try {
    const removed = await deleteScript.run(scripts, keys, { token });
    await publishInvalidation(store, guildId);
    // From here on, the owners of the guild make no further keys. A full Redis refuses to note that older invites have ended, but the deletion goes on.
    const linksEnded = await endSessions(store, guildId).then(
      () => true,
      (error: StoreUnavailableError) => {
        if (error.code === 'OOM') return false;
        throw error;
      },
    );
    const revoked = await apiKeys.revokeAll(guildId, () => staged.renew());
    await client.del(guild.audit, guild.securityAudit);
    return { ...removed, staged: staged.leftBehind, keys: revoked, linksEnded };
  } finally {
    // The lock is held until now, because an import in between could lose its API keys. A refused deletion gives the lock back too, so that the
    // next try is told the cause again.
    await staged.end().catch(() => {});
  }
}
