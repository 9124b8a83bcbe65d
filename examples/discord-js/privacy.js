import { EPHEMERAL } from './texts.js';

/**
 * The command /privacy: a member decides whether the ranking shows it, and may erase its data.
 *
 * @typedef {import('discord.js').ChatInputCommandInteraction<'cached'>} Interaction
 */

/** What Discord has to know of the command: type 1 is a subcommand, type 5 yes or no. */
export const privacyCommand = {
  name: 'privacy',
  description: 'Shows you in the ranking, hides you, or erases your data',
  options: [
    { type: 1, name: 'show', description: 'Puts you into the ranking' },
    { type: 1, name: 'hide', description: 'Takes you out of the ranking. You keep your XP' },
    {
      ...{ type: 1, name: 'delete', description: 'Erases your XP and your profile for good' },
      options: [{ type: 5, name: 'sure', description: 'Yes, erase all of it', required: true }],
    },
  ],
};

/**
 * Returns what to tell a hidden member.
 * @param {readonly import('guildrank-kit/writer').HideReason[]} reasons
 */
export function hiddenText(reasons) {
  return reasons.includes('moderator')
    ? 'A moderator has hidden you from the ranking.'
    : 'You are hidden from the ranking. `/privacy show` ends that.';
}

/**
 * Returns a function that answers the command. Only the caller sees the answer.
 * @param {Required<Pick<import('./handlers.js').Options, 'writer' | 'archives'>>} options
 * @param {import('./levels.js').Levels} levels
 */
export function createPrivacy({ writer, archives }, { setRoles }) {
  /** @type {Record<string, (guildId: string, rankings: string[], userId: string) => Promise<string>>} */
  const answers = {
    async show(guildId, rankings, userId) {
      for (const ranking of rankings) await writer.unhide(ranking, [userId], { reason: 'self' });
      // Whoever calls a command is on the server.
      const { hidden } = await writer.unhide(guildId, [userId], { reason: 'left' });
      return hidden[0] ? hiddenText(hidden[0].reasons) : 'The ranking shows you.';
    },

    async hide(guildId, rankings, userId) {
      // Only a member can be hidden, and this one may have written nothing yet.
      await writer.record(guildId, { userId, add: 0 });
      for (const ranking of rankings) await writer.hide(ranking, [userId], { reason: 'self' });
      return 'The ranking does not show you. You keep your XP and gain on. `/privacy show` ends that.';
    },

    async delete(_guildId, rankings, userId) {
      for (const ranking of rankings) await writer.remove(ranking, [userId]);
      return 'Your XP and your profile are erased. Your next message begins anew: call `/privacy hide` to stay out of the ranking.';
    },
  };

  /** @param {Interaction} interaction */
  return async (interaction) => {
    const { guildId, user, member, options } = interaction;
    const reply = (/** @type {string} */ content) => interaction.reply({ content, flags: EPHEMERAL });
    const verb = options.getSubcommand();
    const isErasure = verb === 'delete';
    if (isErasure && !options.getBoolean('sure')) return reply('Nothing was erased.');
    const rankings = [guildId, ...archives.filter((id) => id.startsWith(`${guildId}.`))];
    const answer = await answers[verb]?.(guildId, rankings, user.id);
    if (answer) await reply(answer);
    if (isErasure) await setRoles(member, 0);
    return undefined;
  };
}
