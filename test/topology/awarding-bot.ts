import { setTimeout as delay } from 'node:timers/promises';
import { type GuildWriter, StoreUnavailableError } from '../../src/kit/writer.ts';

/** A bot that awards XP to members in turn, each time for an event of its own. */
export interface AwardingBot {
  readonly guild: string;
  /** Awards that succeeded, and calls that failed. */
  readonly counts: { acknowledged: number; failed: number };
  /** Stops after the present awards. @returns the XP that the awards of each member gave, of those that succeeded. */
  stop(): Promise<ReadonlyMap<string, number>>;
}

const MEMBERS = 20;
/** Awards at once. */
const LINES = 3;
const PAUSE_MS = 10;

/** @param repeats whether it sends a call that failed again, with the same event, until it succeeds. */
export function startAwardingBot(writer: GuildWriter, guild: string, repeats: boolean): AwardingBot {
  const counts = { acknowledged: 0, failed: 0 };
  const xp = new Map<string, number>();
  let stopped = false;
  const award = async (userId: string, eventId: string): Promise<boolean> => {
    try {
      await writer.award(guild, { userId, amount: 1, eventId });
      counts.acknowledged++;
      xp.set(userId, (xp.get(userId) ?? 0) + 1);
      return true;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      counts.failed++;
      return false;
    }
  };
  const run = async (line: number): Promise<void> => {
    for (let n = 0; !stopped; n++) {
      while (!(await award(`u${(n * LINES + line) % MEMBERS}`, `${line}.${n}`)) && repeats) await delay(PAUSE_MS);
      await delay(PAUSE_MS);
    }
  };
  const running = Promise.all(Array.from({ length: LINES }, (_, line) => run(line)));
  // The caller meets the error when it stops the bot.
  running.catch(() => {});
  return {
    guild,
    counts,
    stop: async () => {
      stopped = true;
      await running;
      return xp;
    },
  };
}
