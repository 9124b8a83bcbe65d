import { checkGuildAndUsers } from '../check-fields.ts';
import { GUILD_KEYS } from '../store/redis-keys.ts';
import { defineScript } from '../store/script.ts';
import type { ScriptStore } from '../store/scripts.ts';
import { inSlices, sumOf } from './slices.ts';

/** Erases members. Its keys end with the cooldown of each. It returns how many of them were members. */
export const removeScript = defineScript({
  name: 'remove',
  keys: [...GUILD_KEYS, 'seasonXp', 'hiddenReasons', 'avatars'],
  boards: true,
  args: ({ userIds }: { userIds: readonly string[] }) => userIds,
  decode: (removed: number | string) => Number(removed),
});

/** Erases members, in slices. @throws as GuildWriter.remove. */
export async function removeMembers(
  { scripts, redisKeys }: ScriptStore,
  guildId: string,
  userIds: readonly string[],
): Promise<number> {
  checkGuildAndUsers(guildId, userIds);
  const guild = redisKeys.guild(guildId);
  const removed = await inSlices(userIds, (slice) => {
    const cooldowns = slice.map((userId) => guild.cooldownPrefix + userId);
    return removeScript.run(scripts, guild, { userIds: slice }, cooldowns);
  });
  return sumOf(removed);
}
