import { DomainError, StoreUnavailableError } from '../errors.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import { withStoreErrors } from '../redis/scripts.ts';
import { Refusal } from './refusal.ts';

/** The author of a change. */
export interface Actor {
  /** "operator", or "owner" with the user id, if the invite named one; and the id of the session. */
  readonly who: string;
  /** IP address. */
  readonly from: string;
}

/** One change that was made in the dashboard. */
export interface AuditEntry extends Actor {
  /** ISO 8601 in UTC, by Redis's clock. */
  readonly at: string;
  readonly what: string;
}

/** Entries that are kept of a guild, about. */
const MAX_ENTRIES = 1000;

/** Writes and reads the audit logs of guilds. Every method can throw StoreUnavailableError. */
export class AuditLog {
  constructor(
    private readonly client: RedisClient,
    private readonly redisKeys: RedisKeys,
  ) {}

  /**
   * Makes a change and logs it. The entry is written first, because a change without an entry is worse than an entry without a change. A
   * change that is refused gets a second entry that says so.
   * @param what the change in words, without a secret.
   */
  async change<T>(guildId: string, { who, from }: Actor, what: string, work: () => Promise<T>): Promise<T> {
    const { audit } = this.redisKeys.guild(guildId);
    const write = async (text: string): Promise<void> => {
      const fields = ['who', who, 'what', text, 'from', from];
      await withStoreErrors(this.client.xadd(audit, 'MAXLEN', '~', MAX_ENTRIES, '*', ...fields));
    };
    await write(what);
    try {
      return await work();
    } catch (error) {
      const isRefused = error instanceof DomainError && !(error instanceof StoreUnavailableError);
      if (isRefused || error instanceof Refusal) await write(`Not done: ${what}`);
      throw error;
    }
  }

  /** Returns the latest entries, newest first. */
  async latest(guildId: string, count: number): Promise<AuditEntry[]> {
    const { audit } = this.redisKeys.guild(guildId);
    const entries = await withStoreErrors(this.client.xrevrange(audit, '+', '-', 'COUNT', count));
    return entries.map(([id, list]) => {
      // A list of name, value, name, value, ...
      const field = (name: string): string => list[2 * list.filter((_, i) => i % 2 === 0).indexOf(name) + 1] ?? '';
      const at = new Date(Number(id.split('-')[0])).toISOString();
      return { at, who: field('who'), what: field('what'), from: field('from') };
    });
  }
}
