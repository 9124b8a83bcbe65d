import type { LeaderboardWriter } from '../../src/leaderboard/writer.ts';

/** Milliseconds between two additions. With {@link STEP_XP} the member wins a place every few seconds. */
const INTERVAL_MS = 300;
const STEP_XP = 35;

/**
 * Adds XP to one member a few times a second.
 * @param onFailure called once with the error when a write fails. No write follows it.
 * @returns a function that stops the additions; it settles when no write is on its way.
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
