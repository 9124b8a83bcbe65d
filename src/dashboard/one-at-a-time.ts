import { RefusedPage } from './refused-page.ts';

/** Returns a function that does one piece of work for a guild at a time, and refuses a second piece of work with these texts. */
export function oneAtATime(title: string, message: string, retryAfterS: number) {
  const guilds = new Set<string>();
  return async (guildId: string, work: () => Promise<void>): Promise<void> => {
    if (guilds.has(guildId)) throw new RefusedPage(409, title, message, retryAfterS);
    guilds.add(guildId);
    try {
      await work();
    } finally {
      guilds.delete(guildId);
    }
  };
}

/** Returns a function that does the pieces of work of one name, such as a guild id, one after the other. */
export function inTurn() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const done = (last.get(name) ?? Promise.resolve()).then(work);
    const settled = done.catch(() => {});
    last.set(name, settled);
    void settled.then(() => last.get(name) === settled && last.delete(name));
    return done;
  };
}
