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
