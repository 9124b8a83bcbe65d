import { createPrivacy, privacyCommand } from './privacy.js';

/**
 * The handlers of a levelling bot. They know nothing of a connection: bot.js gives them Discord's events, the tests made-up ones.
 *
 * @typedef {object} Options
 * @property {import('guildrank-writer').BotWriter} writer
 * @property {import('guildrank-writer/reader').GuildReader} reader
 * @property {ReturnType<typeof import('./card.js').cardDrawer>} [drawCard] without it, /rank answers in text
 * @property {ReadonlyMap<number, string>} [roles] level -> id of the role that it gives
 * @property {string} [dashboardUrl] address of Guildrank's dashboard
 * @property {readonly string[]} [archives] guild ids of ended seasons, such as 123.2026-s1
 */

const MESSAGE_XP = { min: 15, max: 25 };
const COOLDOWN_MS = 60_000;
/** XP for a streak of 1, 2, ... days. The last one counts for all longer streaks. */
const DAILY_XP = [100, 120, 140, 160, 180, 200, 300];
const TOP = 10;
const QUIET = { parse: [] };
/** The flag of a reply that only the caller sees. */
const EPHEMERAL = 64;

const HIDDEN = { left: 'you left this server', self: 'you asked for it', moderator: 'a moderator decided so' };

/** What Discord has to know of the commands. */
export const commands = [
  { name: 'rank', description: 'Shows your rank and the members around you' },
  { name: 'top', description: 'Shows the leaderboard' },
  { name: 'daily', description: 'Claims the XP of the day' },
  privacyCommand,
  {
    name: 'dashboard',
    description: 'Sends you a link to the dashboard of this server',
    // Manage Server: whoever opens the link manages the data.
    default_member_permissions: '32',
  },
].map((command) => ({ ...command, contexts: [0] }));

/** @param {Options} options */
export function createHandlers({ writer, reader, drawCard, roles = new Map(), dashboardUrl, archives = [] }) {
  const privacy = createPrivacy(writer, archives);

  /**
   * Gives a member the roles of the levels above `from`, up to `to`.
   * @param {import('discord.js').GuildMember | null} member
   * @param {number} from
   * @param {number} to
   */
  async function giveRoles(member, from, to) {
    const earned = [...roles].flatMap(([level, role]) => (level > from && level <= to ? [role] : []));
    if (member && earned.length > 0) await member.roles.add(earned);
  }

  /**
   * Gives the roles of a level-up, answers, and announces it, each whether or not another one fails: of many calls at once, exactly one
   * has the level-up, and it does not come again.
   * @param {import('guildrank-writer').Gain} gain
   * @param {import('discord.js').GuildMember | null} member
   * @param {string} userId
   * @param {(text: string) => Promise<unknown>} announce
   * @param {() => Promise<unknown>} answer
   */
  async function levelUp(gain, member, userId, announce, answer = async () => {}) {
    const isLevelUp = gain.level > gain.levelBefore && !gain.hidden;
    await allOf([
      async () => isLevelUp && giveRoles(member, gain.levelBefore, gain.level),
      answer,
      async () => isLevelUp && announce(`<@${userId}> is now level ${gain.level}!`),
    ]);
  }

  /** @type {Record<string, (interaction: import('discord.js').ChatInputCommandInteraction<'cached'>) => Promise<unknown>>} */
  const replies = {
    async rank(interaction) {
      const { guildId, user, member, locale } = interaction;
      const card = await reader.card(guildId, user.id);
      if (!card) return interaction.reply({ content: 'You have no XP yet. Write something!', flags: EPHEMERAL });
      const text = card.rank === null ? hiddenText(card) : table(rowsOf(card, card.rank), user.id);
      const avatarUrl = member.displayAvatarURL({ extension: 'png', size: 128 });
      const picture = await drawCard?.(card, { lang: locale, avatarUrl }).catch((error) => console.error(error));
      return interaction.reply({
        allowedMentions: QUIET,
        ...(picture && { files: [{ attachment: picture, name: 'rank.png', description: text.slice(0, 1024) }] }),
        ...((!picture || card.hidden) && { content: text }),
        ...(card.hidden && { flags: EPHEMERAL }),
      });
    },

    async top(interaction) {
      const { data, total } = await reader.page(interaction.guildId, 1, TOP);
      const content = data.length > 0 ? `${table(data, interaction.user.id)}\n${total} members` : 'Nobody has XP yet.';
      return interaction.reply({ content, allowedMentions: QUIET });
    },

    async daily(interaction) {
      const { guildId, user, member, channel } = interaction;
      const claim = await writer.claimDaily(guildId, {
        userId: user.id,
        reward: DAILY_XP,
        username: member.displayName,
      });
      const next = `<t:${Math.floor(claim.nextClaimAt.getTime() / 1000)}:R>`;
      if (!claim.claimed)
        return interaction.reply({ content: `You have claimed already. Come back ${next}.`, flags: EPHEMERAL });
      const answer = () => interaction.reply(`${claim.reward} XP, day ${claim.streak} in a row. Come back ${next}.`);
      return levelUp(claim, member, user.id, async (text) => channel?.send(text), answer);
    },

    async privacy(interaction) {
      return interaction.reply({ content: await privacy(interaction), flags: EPHEMERAL });
    },

    async dashboard(interaction) {
      if (!dashboardUrl) return interaction.reply({ content: 'This bot has no dashboard.', flags: EPHEMERAL });
      const options = { url: dashboardUrl, userId: interaction.user.id };
      const link = await writer.createDashboardLink(interaction.guildId, options);
      return interaction.reply({ content: `${link}\nIt works once, for 15 minutes.`, flags: EPHEMERAL });
    },
  };

  return {
    /** @param {import('discord.js').Message} message */
    async message(message) {
      if (!message.inGuild() || message.author.bot || message.system) return;
      const { guildId, author, member, channel } = message;
      const award = await writer.award(guildId, {
        userId: author.id,
        amount: MESSAGE_XP,
        cooldownMs: COOLDOWN_MS,
        username: member?.displayName ?? author.displayName,
      });
      await levelUp(award, member, author.id, (text) => channel.send(text));
    },

    /** @param {import('discord.js').Interaction} interaction */
    async interaction(interaction) {
      if (!interaction.isChatInputCommand() || !interaction.inCachedGuild()) return;
      await replies[interaction.commandName]?.(interaction);
    },

    /**
     * At the start, hides who left while the bot was away, and shows who came back.
     * @param {import('discord.js').Guild} guild
     */
    async ready(guild) {
      await guild.members.fetch();
      await writer.syncMembers(guild.id, guild.members.cache);
    },

    /**
     * A member who leaves keeps XP and profile, and is in no ranking.
     * @param {import('discord.js').GuildMember | import('discord.js').PartialGuildMember} member
     */
    async memberLeft(member) {
      await writer.hide(member.guild.id, [member.id], { reason: 'left' });
    },

    /**
     * A member who returns gets the place in the ranking back, and the roles, unless there is another reason to hide it.
     * @param {import('discord.js').GuildMember} member
     */
    async memberJoined(member) {
      const { changed } = await writer.unhide(member.guild.id, [member.id], { reason: 'left' });
      if (changed === 0) return;
      const known = await reader.member(member.guild.id, member.id);
      await giveRoles(member, 0, known?.level ?? 0);
    },
  };
}

/**
 * Does all steps in order, whether or not some fail. @throws the error of the first that failed.
 * @param {readonly (() => Promise<unknown>)[]} steps
 */
async function allOf(steps) {
  /** @type {unknown[]} */
  const errors = [];
  for (const step of steps) await step().catch((error) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

/**
 * Returns a member with those above and below it.
 * @param {import('guildrank-writer/reader').MemberCard} card
 * @param {number} rank
 */
function rowsOf(card, rank) {
  return [card.above, { ...card, rank }, card.below].filter((row) => row !== null);
}

/** @param {import('guildrank-writer/reader').MemberCard} card */
function hiddenText({ hidden, level, xp }) {
  const why = (hidden ?? []).map((reason) => HIDDEN[reason]).join(', and ');
  return `You are hidden from the ranking: ${why}. You have level ${level} with ${xp} XP.`;
}

/**
 * @param {readonly import('guildrank-writer/reader').RankedMember[]} rows
 * @param {string} ownId
 */
function table(rows, ownId) {
  return rows
    .map(({ rank, userId: id, username, level, xp }) => {
      const row = `${rank}. ${username.replace(/[\\*_~`|<>#\n]/g, '\\$&')}: level ${level}, ${xp} XP`;
      return id === ownId ? `**${row}**` : row;
    })
    .join('\n');
}
