import { setTimeout as delay } from 'node:timers/promises';
import { servicesOn } from '../../src/cli/services.ts';
import { parseConfig } from '../../src/config.ts';
import { connect } from '../../src/redis/connection.ts';
import { waitUntilReady } from '../../src/redis/lifecycle.ts';
import { RedisKeys } from '../../src/redis/redis-keys.ts';

/** One write of a {@link Journal}: a member of its own. */
export interface JournalWrite {
  readonly userId: string;
  /** On the clock of performance.now(). */
  readonly sentAt: number;
  readonly acknowledged: boolean;
}

export interface Journal {
  /** Stops writing. Can be called again. */
  stop(): Promise<readonly JournalWrite[]>;
}

const PAUSE_MS = 10;

/** A bot that goes on writing through the typed writer, with the connection options of the service, whatever happens. */
export async function startJournal(env: Record<string, string>, guildId: string): Promise<Journal> {
  const client = connect(parseConfig(env).redis);
  client.on('error', () => {});
  await waitUntilReady(client, 10_000, () => {});
  const { writer } = servicesOn(client, 'gr', []);
  const writes: JournalWrite[] = [];
  let stopped = false;
  const run = async (): Promise<void> => {
    for (let n = 0; !stopped; n++) {
      const sentAt = performance.now();
      const userId = `w${n}`;
      const acknowledged = await writer.record(guildId, { userId, set: n }).then(
        () => true,
        () => false,
      );
      writes.push({ userId, sentAt, acknowledged });
      await delay(PAUSE_MS);
    }
    client.disconnect();
  };
  const running = run();
  return {
    stop: async () => {
      stopped = true;
      await running;
      return writes;
    },
  };
}

/** The acknowledged writes that are not in Redis, as a fresh connection to the present master sees it. */
export async function missingWrites(env: Record<string, string>, guildId: string, writes: readonly JournalWrite[]) {
  const client = connect({ ...parseConfig(env).redis, timeoutMs: 5000 });
  client.on('error', () => {});
  try {
    await waitUntilReady(client, 10_000, () => {});
    const stored = new Set(await client.zrange(new RedisKeys('gr').guild(guildId).xp, 0, -1));
    return writes.filter(({ userId, acknowledged }) => acknowledged && !stored.has(userId));
  } finally {
    client.disconnect();
  }
}
