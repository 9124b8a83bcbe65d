import { randomUUID } from 'node:crypto';
import { InvalidInputError, RefusedError } from '../errors.ts';
import { MOVE_AGAIN } from '../refusals.ts';
import type { LockedKeys } from '../store/redis-keys.ts';
import type { Script } from '../store/script.ts';
import { publishInvalidation, type Store } from '../store/store.ts';
import {
  type Fields,
  type GuildMove,
  type LastLine,
  lineSchema,
  type MovedMember,
  type MoveLine,
} from './move-lines.ts';
import {
  beginMoveScript,
  finishMoveScript,
  type MovedHash,
  putMembersScript,
  storeFieldsScript,
  verifyMoveScript,
} from './move-scripts.ts';

/** The parts that store a guild with its API keys. */
interface GuildStore extends Store {
  readonly apiKeys: {
    revokeAll(guildId: string, hold: () => Promise<unknown>): Promise<number>;
    storeListed(guildId: string, id: string, sha: string, fields: readonly (string | Buffer)[]): Promise<boolean>;
  };
}

/** The guild that a move has stored. */
interface MovedGuild {
  readonly guild: string;
  readonly members: number;
  readonly hidden: number;
  readonly keys: number;
}

const RENEW_MS = 3000;
/** Texts that one step stores in a hash. */
const TEXTS_PER_STEP = 2000;

/**
 * Moves a guild into this Redis: stores the guild from the stream of "guild export". Until the stream ends, the guild is marked as unfinished. The
 * next move of the guild deletes what an unfinished move left. O(n log n), in steps of a few milliseconds.
 * @throws InvalidInputError when the lines are not a stream of "guild export", or end early; RefusedError when the guild has data already, or another
 *   program writes to the guild.
 * @throws StoreUnavailableError
 */
export async function moveGuildIn(store: GuildStore, lines: GuildMove, signal: AbortSignal): Promise<MovedGuild> {
  let moveIn: GuildMoveIn | undefined;
  try {
    for await (const text of lines) {
      signal.throwIfAborted();
      const line = parseLine(text);
      // A second first line is the beginning of another stream, so this stream ended early.
      if (!line || ('format' in line && moveIn)) break;
      if ('format' in line) {
        moveIn = new GuildMoveIn(store, line.guild);
        await moveIn.begin(line.model);
      } else if (!moveIn)
        throw new InvalidInputError(`The stream does not begin like the output of "guild export": ${MOVE_AGAIN}`);
      else if ('members' in line) await moveIn.put(line.members);
      else return await moveIn.finish(line.end);
    }
    throw new InvalidInputError(
      moveIn
        ? `The stream ended before the guild was complete: ${MOVE_AGAIN}`
        : 'There is no output of "guild export" of this version on standard input: pipe "guild export" into "guild import"',
    );
  } finally {
    moveIn?.stop();
  }
}

/** Stores the lines of a move in this Redis, and holds the lock of the guild meanwhile. */
class GuildMoveIn {
  private readonly token = randomUUID();
  private readonly renewal = setInterval(() => void this.put([]).catch(() => {}), RENEW_MS);
  /** Name of the Redis server that stores the members. */
  private server = '';

  constructor(
    private readonly store: GuildStore,
    private readonly guildId: string,
  ) {}

  /** Takes the lock and deletes what an unfinished move left. */
  async begin(model: string): Promise<void> {
    this.server = await this.step(beginMoveScript, { model });
    await this.store.apiKeys.revokeAll(this.guildId, () => this.put([]));
  }

  /** Stores members, and renews the lock. */
  async put(members: readonly MovedMember[]): Promise<void> {
    const { cooldownPrefix } = this.store.redisKeys.guild(this.guildId);
    const cooldowns = members.map(([userId]) => cooldownPrefix + userId);
    await this.step(putMembersScript, { members, now: Date.now() }, cooldowns);
  }

  /** Stores the last line of the stream. The records of the API keys come last, so that no key works before the guild is complete. */
  async finish({ keys, quota, ...rest }: LastLine): Promise<MovedGuild> {
    const { apiKeys } = this.store;
    const { ranked, hidden, rev, stats, config, season, about, used, usage } = rest;
    await this.refuseKeysOfOthers(keys);
    const listed = keys.flatMap(({ id, sha256 }) => [id, sha256]);
    const hashes = { stats, config, season, about, apiKeys: listed, apiKeysUsed: used, usage };
    let stored = 0;
    try {
      for (const [hash, fields] of Object.entries(hashes)) await this.storeFields(hash as MovedHash, fields);
      const quotaMs = Math.max(0, Math.round(quota.untilMs - Date.now()));
      const { server } = this;
      await this.step(verifyMoveScript, { server, ranked, hidden, quotaUsed: quota.used, quotaMs });
      for (const key of keys) {
        // The key opens this guild alone, whatever the stream says. A key that was revoked since is left out.
        const own = [...key.record.map(toBytes), 'id', key.id, 'guild_id', this.guildId];
        if (await apiKeys.storeListed(this.guildId, key.id, key.sha256, own)) stored++;
      }
      await this.step(finishMoveScript, { server, revision: rev });
    } catch (error) {
      await this.dropKeys(keys).catch(() => {});
      throw error;
    }
    await publishInvalidation(this.store, this.guildId);
    return { guild: this.guildId, members: ranked + hidden, hidden, keys: stored };
  }

  /** Stores fields and values of a hash of the guild, in steps. */
  private async storeFields(hash: MovedHash, fields: Fields): Promise<void> {
    const { [hash]: key } = this.store.redisKeys.guild(this.guildId);
    // A hash without fields takes a step too: the first step of the counters removes the fields that move-begin.lua has put there.
    for (let from = 0; from === 0 || from < fields.length; from += TEXTS_PER_STEP)
      await this.step(storeFieldsScript, { hash, fields: fields.slice(from, from + TEXTS_PER_STEP) }, [key]);
  }

  /** @throws RefusedError when an API key of the stream opens another guild of this Redis. */
  private async refuseKeysOfOthers(keys: LastLine['keys']): Promise<void> {
    const { client, redisKeys } = this.store;
    for (const { id, sha256 } of keys) {
      const owner = await client.hget(redisKeys.apiKey(sha256), 'guild_id');
      if (owner !== null && owner !== this.guildId) throw new RefusedError('key_of_other', { guild: owner, key: id });
    }
  }

  /** Deletes the API keys that a refused end of this move has stored, except keys of another move that has taken over or finished since. */
  private async dropKeys(keys: LastLine['keys']): Promise<void> {
    const { client, redisKeys } = this.store;
    const { stats, apiKeys, lock } = redisKeys.locked(this.guildId);
    const owner = await client.get(lock);
    if (owner !== null && owner !== this.token) return;
    const isFinished = (await client.hexists(stats, 'moving')) === 0;
    for (const { id, sha256 } of keys) {
      if (isFinished && (await client.hget(apiKeys, id)) === sha256) continue;
      await client.del(redisKeys.apiKey(sha256));
      await client.hdel(apiKeys, id);
    }
    await publishInvalidation(this.store, this.guildId);
  }

  /** Ends the renewal of the lock, which then expires. */
  stop(): void {
    clearInterval(this.renewal);
  }

  /**
   * Runs a script with the token of the lock.
   * @throws RefusedError when the lock has another owner, the guild has changed, or another server has taken over.
   */
  private step<Fields extends object, Result>(
    script: Script<keyof LockedKeys | 'quota', Fields & { readonly guild: string; readonly token: string }, Result>,
    fields: Fields,
    further: readonly string[] = [],
  ): Promise<Result> {
    const { redisKeys, scripts } = this.store;
    const keys = { ...redisKeys.locked(this.guildId), quota: redisKeys.quota(this.guildId) };
    return script.run(scripts, keys, { ...fields, guild: this.guildId, token: this.token }, further);
  }
}

const toBytes = (text: string) => Buffer.from(text, 'latin1');

/** Returns the line; undefined when the line was cut off, or is no line of the stream. */
function parseLine(text: string): MoveLine | undefined {
  try {
    return lineSchema.parse(JSON.parse(text));
  } catch {
    // The caller ends the stream at an unreadable line.
    return undefined;
  }
}
