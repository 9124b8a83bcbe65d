import type { LeaderboardWriter } from '../../src/leaderboard/writer.ts';

/** Adds per second; with {@link STEP_XP}, a place is won every few seconds. */
const INTERVAL_MS = 300;
const STEP_XP = 35;

/**
 * Adds XP to one member a few times a second, until it is stopped.
 * @param onFailure called once with the reason when a write fails; nothing is written after it.
 * @returns the stop; it settles when nothing is being written any more.
 */
export function startRising(
  writer: LeaderboardWriter,
  guildId: string,
  userId: string,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  let writing: Promise<unknown> = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    writing = writer.record(guildId, { userId, add: STEP_XP }).then(
      () => {
        busy = false;
      },
      (error: unknown) => {
        clearInterval(timer);
        onFailure(error);
      },
    );
  }, INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await writing;
  };
}
