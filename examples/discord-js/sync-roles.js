import { attempts } from './failures.js';
import { EPHEMERAL } from './texts.js';

/**
 * The command /sync-roles: gives all members of the server the roles of their levels, such as after an import.
 *
 * @typedef {import('discord.js').ChatInputCommandInteraction<'cached'>} Interaction
 */

/** What Discord has to know of the command: type 5 is true or false. */
export const syncRolesCommand = {
  name: 'sync-roles',
  description: 'Gives all members the roles of their levels',
  default_member_permissions: '32',
  options: [
    {
      type: 5,
      name: 'apply',
      description: 'Changes the roles; without it, you only see how many members would change',
    },
  ],
};

/**
 * Returns a function that answers the command. It changes one member after the other: discord.js waits as long as Discord asks for.
 * @param {Required<Pick<import('./handlers.js').Options, 'reader' | 'log'>>} options
 * @param {import('./levels.js').Levels} levels
 */
export function createSyncRoles({ reader, log }, { roleChange, setRoles }) {
  const attempt = attempts(log);
  /** Guilds whose roles are being changed. */
  const running = new Set();

  /** @param {Interaction} interaction */
  return async (interaction) => {
    const { guild, guildId, options } = interaction;
    if (running.has(guildId)) {
      return interaction.reply({ content: 'The roles of this server are being changed already.', flags: EPHEMERAL });
    }
    running.add(guildId);
    try {
      await interaction.deferReply({ flags: EPHEMERAL });
      // Discord takes an answer for 15 minutes. Longer work goes on without one.
      const tell = (/** @type {string} */ content) => attempt('/sync-roles', () => interaction.editReply({ content }));
      const apply = options.getBoolean('apply') ?? false;
      const present = await guild.members.fetch();
      const people = present.filter(({ user }) => !user.bot);
      const total = people.size;
      let checked = 0;
      let changed = 0;
      for await (const slice of reader.rewardsOf(guildId, people.keys())) {
        for (const { userId, level } of slice) {
          const member = people.get(userId);
          const change = member && (await roleChange(member, level));
          if (!member || !change || change.add.length + change.remove.length === 0) continue;
          changed++;
          if (apply) await setRoles(member, level);
        }
        checked = Math.min(total, checked + 250);
        await tell(`${checked} of ${total} members checked, ${changed} ${apply ? 'changed' : 'would change'} …`);
      }
      return await tell(
        apply
          ? `Done: ${changed} of ${total} members have other roles now.`
          : `${changed} of ${total} members would have other roles. Call the command with apply to change them.`,
      );
    } finally {
      running.delete(guildId);
    }
  };
}
