import { setTimeout as delay } from 'node:timers/promises';
import { parseConfig } from '../../src/config/service.ts';
import { openCore } from '../../src/core/core.ts';
import { connect } from '../../src/core/store/connection.ts';
import { RedisKeys } from '../../src/core/store/redis-keys.ts';
import { untilConnected } from '../support/connected.ts';

/** One write of a {@link Journal}: a member of its own. */
export interface JournalWrite {
  readonly userId: string;
  /** On the clock of performance.now(). */
  readonly sentAt: number;
  readonly acknowledged: boolean;
}

export interface Journal {
  /** The writes so far. */
  readonly writes: readonly JournalWrite[];
  /** Stops writing. Can be called again. @throws when it comes later than two minutes after the start. */
  stop(): Promise<readonly JournalWrite[]>;
}

const PAUSE_MS = 10;
const LONGEST_MS = 120_000;

/** Starts a bot that writes through the typed writer, with the connection options of the service, and ignores failures. */
export async function startJournal(env: Record<string, string>, guildId: string): Promise<Journal> {
  const client = connect(parseConfig(env).redis);
  await untilConnected(client);
  const { writer } = openCore(client, 'gr');
  const writes: JournalWrite[] = [];
  let stopped = false;
  const deadline = performance.now() + LONGEST_MS;
  const run = async (): Promise<void> => {
    for (let n = 0; !stopped; n++) {
      if (performance.now() > deadline) throw new Error(`The journal was not stopped within ${LONGEST_MS} ms`);
      const sentAt = performance.now();
      const userId = `w${n}`;
      const acknowledged = await writer.record(guildId, { userId, set: n }).then(
        () => true,
        () => false,
      );
      writes.push({ userId, sentAt, acknowledged });
      await delay(PAUSE_MS);
    }
  };
  const running = run().finally(() => client.disconnect());
  // The caller meets the error when it stops the journal.
  running.catch(() => {});
  return {
    writes,
    stop: async () => {
      stopped = true;
      await running;
      return writes;
    },
  };
}

/** Returns the acknowledged writes that are not in Redis, as a new connection to the present master sees it. */
export async function missingWrites(env: Record<string, string>, guildId: string, writes: readonly JournalWrite[]) {
  const client = connect({ ...parseConfig(env).redis, timeoutMs: 5000 });
  client.on('error', () => {});
  try {
    await untilConnected(client);
    const stored = new Set(await client.zrange(new RedisKeys('gr').guild(guildId).xp, 0, -1));
    return writes.filter(({ userId, acknowledged }) => acknowledged && !stored.has(userId));
  } finally {
    client.disconnect();
  }
}
