import type { Refusal } from './refusal.ts';

/** Returns a function that does one piece of work of a guild at a time. It throws the refusal when one is not done. */
export function oneAtATime(refusal: () => Refusal) {
  const guilds = new Set<string>();
  return async (guildId: string, work: () => Promise<void>): Promise<void> => {
    if (guilds.has(guildId)) throw refusal();
    guilds.add(guildId);
    try {
      await work();
    } finally {
      guilds.delete(guildId);
    }
  };
}

/** Returns a function that does the pieces of work of a guild one after the other. */
export function inTurn() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(guildId: string, work: () => Promise<T>): Promise<T> => {
    const done = (last.get(guildId) ?? Promise.resolve()).then(work);
    const settled = done.catch(() => {});
    last.set(guildId, settled);
    void settled.then(() => last.get(guildId) === settled && last.delete(guildId));
    return done;
  };
}
