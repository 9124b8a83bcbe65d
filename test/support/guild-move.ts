import type { Core } from '../../src/core/core.ts';
import { deleteGuild } from '../../src/core/guilds/delete.ts';
import { importGuild } from '../../src/core/moves/move-in.ts';
import type { Line } from '../../src/core/moves/move-lines.ts';
import { GuildExport } from '../../src/core/moves/move-out.ts';

/** Returns the lines of "guild export". */
export async function streamOf(store: Core, guild: string): Promise<string[]> {
  const lines: string[] = [];
  const write = async (line: Line) => void lines.push(JSON.stringify(line));
  const { signal } = new AbortController();
  await new GuildExport(store, guild, { write, pause: async () => {}, signal }).run();
  return lines;
}

/** Imports the lines of a guild. */
export async function importLines(store: Core, lines: readonly string[]) {
  const input = (async function* () {
    yield* lines;
  })();
  return importGuild(store, input, new AbortController().signal);
}

/** Returns the stream of a guild with an API key, which is deleted then. */
export async function exportedGuild(store: Core, guild: string) {
  await store.writer.record(guild, { userId: 'a', set: 500 });
  const { record } = await store.apiKeys.create(guild, 'x', null);
  const sha = (await store.client.hget(`gr:{${guild}}:keys`, record.id)) as string;
  const lines = await streamOf(store, guild);
  await deleteGuild(store, guild);
  return { guild, keyId: record.id, sha, lines };
}
