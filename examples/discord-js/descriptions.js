import { attempts } from './failures.js';

/** Tells the service what a server, its roles and its channels are called, so that its pages show names instead of ids. */

/** A change comes with others: a role that is moved changes the position of each role below. */
const OTHER_CHANGES_MS = 5000;

/** @param {import('discord.js').Guild} guild */
function descriptionOf(guild) {
  const roles = [...guild.roles.cache.values()].filter(({ id }) => id !== guild.id);
  const channels = [...guild.channels.cache.values()].flatMap((channel) => (channel.isThread() ? [] : [channel]));
  return {
    name: guild.name,
    icon: guild.icon,
    roles: roles
      .sort((a, b) => b.position - a.position)
      .map(({ id, name, color, position }) => ({ id, name, color, position })),
    channels: channels
      .sort((a, b) => a.rawPosition - b.rawPosition)
      .map(({ id, name, type, parentId }) => ({ id, name, type, parent: parentId })),
  };
}

/** @param {Required<Pick<import('./handlers.js').Options, 'writer' | 'log' | 'wait'>>} options */
export function createDescriptions({ writer, log, wait }) {
  const attempt = attempts(log);
  /** Ids of guilds that have changed and are not described yet. */
  const changed = new Set();

  /**
   * Describes a guild, for the start.
   * @param {import('discord.js').Guild} guild
   */
  async function describe(guild) {
    await attempt(`Description of guild ${guild.id}`, () => writer.describeGuild(guild.id, descriptionOf(guild)));
  }

  /**
   * Describes a guild some seconds after it, a role or a channel has changed.
   * @param {import('discord.js').Guild} guild
   */
  async function describeChange(guild) {
    if (changed.has(guild.id)) return;
    changed.add(guild.id);
    await wait(OTHER_CHANGES_MS);
    changed.delete(guild.id);
    await describe(guild);
  }

  return { describe, describeChange };
}
