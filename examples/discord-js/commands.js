import { answerTo, attempts, once } from './failures.js';
import { createPrivacy, privacyCommand } from './privacy.js';
import { createSyncRoles, syncRolesCommand } from './sync-roles.js';
import { cardText, EPHEMERAL, QUIET, table } from './texts.js';
import { createXp, xpCommand } from './xp.js';

/** @typedef {import('discord.js').ChatInputCommandInteraction<'cached'>} Interaction */

/** XP for a streak of 1, 2, ... days. The last one counts for all longer streaks. */
const DAILY_XP = [100, 120, 140, 160, 180, 200, 300];
const TOP = 10;
/** The boards of a guild, and the time that each counts. */
const BOARDS = /** @type {const} */ ({ week: 'this week', month: 'this month' });

/** What Discord has to know of the commands. 32 is Manage Server, and type 3 a text. */
export const commands = [
  { name: 'rank', description: 'Shows your rank and the members around you' },
  {
    name: 'top',
    description: 'Shows the leaderboard',
    options: [
      {
        ...{ type: 3, name: 'board', description: 'All XP, or that of this week or month' },
        choices: ['all', ...Object.keys(BOARDS)].map((name) => ({ name, value: name })),
      },
    ],
  },
  { name: 'daily', description: 'Claims the XP of the day' },
  xpCommand,
  syncRolesCommand,
  privacyCommand,
  {
    name: 'dashboard',
    description: 'Sends you a link to the dashboard of this server',
    // Whoever opens the link manages the data.
    default_member_permissions: '32',
  },
].map((command) => ({ ...command, contexts: [0] }));

/**
 * Returns a function that answers the commands. A failure is one line in the log, and a short answer.
 * @param {Required<Pick<import('./handlers.js').Options, 'writer' | 'reader' | 'dashboardUrl' | 'archives' | 'log' | 'wait'>>
 *   & Pick<import('./handlers.js').Options, 'drawCard'>} options
 * @param {import('./levels.js').Levels} levels
 */
export function createCommands({ writer, reader, drawCard, dashboardUrl, archives, log, wait }, levels) {
  const attempt = attempts(log);

  /** @type {Record<string, (interaction: Interaction) => Promise<unknown>>} */
  const replies = {
    xp: createXp({ writer, wait, log }, levels),
    'sync-roles': createSyncRoles({ reader, log }, levels),
    privacy: createPrivacy({ writer, archives }, levels),

    async rank(interaction) {
      const { guildId, user, member, locale } = interaction;
      const card = await reader.card(guildId, user.id);
      if (!card) return interaction.reply({ content: 'You have no XP yet. Write something!', flags: EPHEMERAL });
      const text = cardText(card);
      const avatarUrl = member.displayAvatarURL({ extension: 'png', size: 128 });
      const picture = await attempt('Rank card', async () => drawCard?.(card, { lang: locale, avatarUrl }));
      return interaction.reply({
        allowedMentions: QUIET,
        ...(picture && { files: [{ attachment: picture, name: 'rank.png', description: text.slice(0, 1024) }] }),
        ...((!picture || card.hidden) && { content: text }),
        ...(card.hidden && { flags: EPHEMERAL }),
      });
    },

    async top(interaction) {
      const { guildId, user, options } = interaction;
      const choice = options.getString('board');
      const board = choice === 'week' || choice === 'month' ? choice : undefined;
      const { data, total } = await reader.page(guildId, 1, TOP, { board });
      const title = board ? `**XP of ${BOARDS[board]}**\n` : '';
      const nobody = board ? `Nobody gained XP ${BOARDS[board]}.` : 'Nobody has XP yet.';
      const count = total === 1 ? '1 member' : `${total} members`;
      const content = data.length > 0 ? `${title}${table(data, user.id)}\n${count}` : nobody;
      return interaction.reply({ content, allowedMentions: QUIET });
    },

    async daily(interaction) {
      const { id, guildId, user, member, channel } = interaction;
      const request = { userId: user.id, reward: DAILY_XP, username: member.displayName, eventId: id };
      const claim = await once(() => writer.claimDaily(guildId, request), wait);
      if (!claim) return;
      const next = `Come back <t:${Math.floor(claim.nextClaimAt.getTime() / 1000)}:R>.`;
      const answer = claim.claimed
        ? { content: `${claim.reward} XP, day ${claim.streak} in a row. ${next}` }
        : { content: `You have claimed already. ${next}`, flags: EPHEMERAL };
      await attempt('/daily', () => interaction.reply(answer));
      await levels.levelUp(claim, member, async (text) => channel?.send(text));
    },

    async dashboard(interaction) {
      if (!dashboardUrl) return interaction.reply({ content: 'This bot has no dashboard.', flags: EPHEMERAL });
      const options = { url: dashboardUrl, userId: interaction.user.id };
      const link = await writer.createDashboardLink(interaction.guildId, options);
      return interaction.reply({ content: `${link}\nIt works once, for 15 minutes.`, flags: EPHEMERAL });
    },
  };

  /** @param {import('discord.js').Interaction} interaction */
  return async (interaction) => {
    if (!interaction.isChatInputCommand() || !interaction.inCachedGuild()) return;
    await attempt(`/${interaction.commandName}`, async () => {
      try {
        await replies[interaction.commandName]?.(interaction);
      } catch (error) {
        // When this answer fails too, the line in the log has the cause.
        const answer = { content: answerTo(error), flags: EPHEMERAL };
        if (interaction.deferred) await interaction.editReply({ content: answer.content }).catch(() => {});
        else if (!interaction.replied) await interaction.reply(answer).catch(() => {});
        throw error;
      }
    });
  };
}
