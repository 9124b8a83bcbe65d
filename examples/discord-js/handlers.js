import { setTimeout as sleep } from 'node:timers/promises';
import { createCommands } from './commands.js';
import { createDescriptions } from './descriptions.js';
import { attempts } from './failures.js';
import { createLevels } from './levels.js';
import { createMessages } from './messages.js';
import { createVoice } from './voice.js';

/**
 * The handlers of a levelling bot. They know nothing of a connection: bot.js gives them Discord's events, the tests made-up ones. None of
 * them fails: a failure is a line in the log.
 *
 * @typedef {object} Options
 * @property {import('guildrank-kit/writer').GuildWriter} writer
 * @property {import('guildrank-kit/reader').GuildReader} reader
 * @property {ReturnType<typeof import('./card.js').cardDrawer>} [drawCard] without it, /rank answers in text
 * @property {string} [dashboardUrl] address of Guildrank's dashboard
 * @property {readonly string[]} [archives] guild ids of ended seasons, such as 123.2026-s1
 * @property {(line: string) => void} [log]
 * @property {(ms: number) => Promise<unknown>} [wait]
 * @property {() => number} [now] milliseconds since any moment
 */

/** @param {Options} given */
export function createHandlers(given) {
  const options = { dashboardUrl: '', archives: [], log: console.error, wait: sleep, now: Date.now, ...given };
  const { writer, reader, log } = options;
  const attempt = attempts(log);
  const levels = createLevels(options);

  return {
    message: createMessages(levels, log),
    voice: createVoice(levels, log),
    interaction: createCommands(options, levels),
    ...createDescriptions(options),

    /**
     * At the start, hides who left while the bot was away, and shows who came back.
     * @param {import('discord.js').Guild} guild
     */
    async ready(guild) {
      await attempt(`Members of guild ${guild.id}`, async () => {
        await guild.members.fetch();
        await writer.syncMembers(guild.id, guild.members.cache);
      });
    },

    /**
     * A member who leaves keeps XP and profile, and is in no ranking.
     * @param {import('discord.js').GuildMember | import('discord.js').PartialGuildMember} member
     */
    async memberLeft({ id, guild }) {
      await attempt(`Leave of member ${id}`, () => writer.hide(guild.id, [id], { reason: 'left' }));
    },

    /**
     * A member who returns gets the place in the ranking back, unless there is another reason to hide it, and the roles of its level.
     * @param {import('discord.js').GuildMember} member
     */
    async memberJoined(member) {
      const { id, guild } = member;
      await attempt(`Return of member ${id}`, async () => {
        await writer.unhide(guild.id, [id], { reason: 'left' });
        const card = await reader.card(guild.id, id);
        if (card) await levels.setRoles(member, card.level);
      });
    },
  };
}
