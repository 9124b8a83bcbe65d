import { plainText } from 'guildrank-kit/writer';
import { attempts, once } from './failures.js';
import { EPHEMERAL, QUIET } from './texts.js';

/**
 * The command /xp: who manages the server gives, takes and sets XP.
 *
 * @typedef {import('discord.js').ChatInputCommandInteraction<'cached'>} Interaction
 */

const member = { type: 6, name: 'member', description: 'Whose XP', required: true };
const amount = { type: 4, name: 'amount', description: 'How much XP', required: true, min_value: 1, max_value: 1e9 };

/** What Discord has to know of the command: type 1 is a subcommand, type 4 a whole number, type 6 a user. */
export const xpCommand = {
  name: 'xp',
  description: 'Gives, takes or sets the XP of a member',
  default_member_permissions: '32',
  options: [
    { type: 1, name: 'give', description: 'Gives XP', options: [member, amount] },
    { type: 1, name: 'take', description: 'Takes XP, down to 0', options: [member, amount] },
    {
      ...{ type: 1, name: 'set', description: 'Sets the level or the XP' },
      options: [
        member,
        { type: 4, name: 'level', description: 'The level, at its least XP', min_value: 0 },
        { type: 4, name: 'xp', description: 'The XP', min_value: 0 },
      ],
    },
  ],
};

/**
 * Returns a function that answers the command, and lets the roles of the member follow.
 * @param {Required<Pick<import('./handlers.js').Options, 'writer' | 'wait' | 'log'>>} options
 * @param {import('./levels.js').Levels} levels
 */
export function createXp({ writer, wait, log }, { setRoles }) {
  const attempt = attempts(log);

  /**
   * Returns the call that the options mean; null when those of `set` name both or none.
   * @param {Interaction} interaction
   * @param {string} username
   */
  function change({ id, guildId, options }, username) {
    const userId = options.getUser('member', true).id;
    const event = { eventId: id };
    const verb = options.getSubcommand();
    if (verb === 'give') {
      return () => writer.record(guildId, { userId, add: options.getInteger('amount', true), username }, event);
    }
    if (verb === 'take') {
      return () =>
        writer.record(guildId, { userId, add: -options.getInteger('amount', true), floor: 0, username }, event);
    }
    const level = options.getInteger('level');
    const xp = options.getInteger('xp');
    if ((level === null) === (xp === null)) return null;
    if (level !== null) return () => writer.setLevel(guildId, { userId, level, eventId: id });
    // Without an explicit level, the level is that of the XP.
    return () => writer.record(guildId, { userId, set: Number(xp), username, level: null }, event);
  }

  /** @param {Interaction} interaction */
  return async (interaction) => {
    const user = interaction.options.getUser('member', true);
    const target = interaction.options.getMember('member');
    const name = target?.displayName ?? user.displayName;
    const reply = (/** @type {string} */ content) =>
      interaction.reply({ content, flags: EPHEMERAL, allowedMentions: QUIET });
    if (user.bot) return reply('A bot has no XP.');
    const call = change(interaction, name);
    if (!call) return reply('Give a level or XP, one of both.');
    const result = await once(call, wait);
    if (!result) return undefined;
    const { xpBefore, levelBefore, xp, level, created } = result;
    const was = `${xpBefore} XP, level ${levelBefore}`;
    await attempt('/xp', () => reply(`${plainText(name)} had ${was}, and has ${xp} XP, level ${level} now.`));
    if (target) await setRoles(target, level);
    // setLevel stores no name, and a new member has none yet.
    if (created > 0) await writer.setProfiles(interaction.guildId, [{ userId: user.id, username: name }]);
    return undefined;
  };
}
