import type { Core } from '../../src/core/core.ts';
import { deleteGuild } from '../../src/core/guilds/delete.ts';
import { moveGuildIn } from '../../src/core/moves/move-in.ts';
import type { MoveLine } from '../../src/core/moves/move-lines.ts';
import { GuildMoveOut } from '../../src/core/moves/move-out.ts';

/** Moves a guild out, and returns the lines of the move. */
export async function moveOut(store: Core, guild: string): Promise<string[]> {
  const lines: string[] = [];
  const write = async (line: MoveLine) => void lines.push(JSON.stringify(line));
  const { signal } = new AbortController();
  await new GuildMoveOut(store, guild, { write, pause: async () => {}, signal }).run();
  return lines;
}

/** Moves a guild in from its lines. */
export async function moveIn(store: Core, lines: readonly string[]) {
  const input = (async function* () {
    yield* lines;
  })();
  return moveGuildIn(store, input, new AbortController().signal);
}

/** Moves a guild with an API key out, deletes the guild, and returns the lines of the move. */
export async function movedOutGuild(store: Core, guild: string) {
  await store.writer.record(guild, { userId: 'a', set: 500 });
  const { record } = await store.apiKeys.create(guild, 'x', null);
  const sha = (await store.client.hget(`gr:{${guild}}:keys`, record.id)) as string;
  const lines = await moveOut(store, guild);
  await deleteGuild(store, guild);
  return { guild, keyId: record.id, sha, lines };
}
