import type { RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Services } from '../../src/cli/services.ts';
import { latencyHistogram, percentileMs, recordMs } from './latency.ts';

const TICK_MS = 2;

/** A bot that adds 1 XP to one member after another at a steady rate, and times each write from when it fell due. */
export class BotWrites {
  private histogram: RecordableHistogram = latencyHistogram();
  private readonly timer: NodeJS.Timeout;
  private readonly onTheWay = new Set<Promise<void>>();
  private sent = 0;
  private failures = 0;

  /** @param userIds the members, in turn. */
  constructor({ writer }: Services, guildId: string, userIds: readonly string[], perSecond: number) {
    const startedAt = performance.now();
    this.timer = setInterval(() => {
      for (;;) {
        const dueAt = startedAt + (this.sent / perSecond) * 1000;
        if (dueAt > performance.now()) return;
        const userId = userIds[this.sent++ % userIds.length] as string;
        const write = writer.record(guildId, { userId, add: 1 }).then(
          () => recordMs(this.histogram, performance.now() - dueAt),
          () => {
            this.failures++;
          },
        );
        this.onTheWay.add(write);
        void write.then(() => this.onTheWay.delete(write));
      }
    }, TICK_MS);
  }

  /** Runs work and returns the bot's p99 in milliseconds meanwhile. */
  async p99During(work: () => Promise<unknown>): Promise<number> {
    await Promise.all(this.onTheWay);
    this.histogram = latencyHistogram();
    await work();
    return percentileMs(this.histogram, 99);
  }

  /** Returns the bot's p99 over a stretch of time. */
  p99Over(seconds: number): Promise<number> {
    return this.p99During(() => delay(seconds * 1000));
  }

  /** Ends the bot. @returns the writes that were sent, and those that failed. */
  async stop(): Promise<{ readonly sent: number; readonly failed: number }> {
    clearInterval(this.timer);
    await Promise.all(this.onTheWay);
    return { sent: this.sent, failed: this.failures };
  }
}
