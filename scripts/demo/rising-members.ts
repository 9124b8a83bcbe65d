import type { GuildWriter } from '../../src/core/guild-writer.ts';

/** Milliseconds between two additions. */
const INTERVAL_MS = 300;
export const STEP_XP = 90;
/** Additions of one climb: their sum is more than the XP between the lowest and the highest climber. */
const STEPS = 44;

/**
 * Returns the climber that gains XP next, as an index from the lowest. Two members climb at a time, in turns. Each climb leads
 * from the last place of the climbers to the first, so the ranks change for as long as the demonstration runs.
 */
export function climberAt(step: number, climbers: number): number {
  return (Math.floor(step / STEPS) + (step % 2)) % climbers;
}

/**
 * Adds XP to one climber at a time, a few times a second.
 * @param userIds the climbers, the lowest first.
 * @param onFailure called once with the error when a write fails. No write follows it.
 * @returns a function that stops the additions; it settles when no write is on its way.
 */
export function startRising(
  writer: GuildWriter,
  guildId: string,
  userIds: readonly string[],
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  let writing: Promise<unknown> = Promise.resolve();
  let busy = false;
  let step = 0;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    const userId = userIds[climberAt(step++, userIds.length)] as string;
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
