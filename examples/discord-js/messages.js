import { attempts } from './failures.js';
import { parentsOf, rolesOf } from './levels.js';

/**
 * Returns a function that gives XP for a message, by the rules of the guild.
 * @param {import('./levels.js').Levels} levels
 * @param {(line: string) => void} log
 */
export function createMessages({ gain, levelUp }, log) {
  const attempt = attempts(log);

  /** @param {import('discord.js').Message} message */
  return async (message) => {
    if (!message.inGuild() || message.author.bot || message.system) return;
    const { id, guildId, author, member, channel, content } = message;
    const award = await attempt(`Message ${id}`, () =>
      gain(
        guildId,
        { userId: author.id, username: member?.displayName ?? author.displayName, avatar: author.avatar, eventId: id },
        {
          kind: 'message',
          roles: rolesOf(member),
          channel: channel.id,
          parents: parentsOf(channel),
          // Without the Message Content Intent the text is empty, and counts as long enough.
          ...(content && { chars: [...content].length }),
        },
      ),
    );
    await levelUp(award ?? null, member, (text) => channel.send(text));
  };
}
