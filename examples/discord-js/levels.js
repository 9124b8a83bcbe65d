import { parseRules, rewardRoles, xpFor } from 'guildrank-kit/rules';
import { attempts, once } from './failures.js';

/**
 * The rules of a guild, and what follows from them: XP, roles, announcements.
 *
 * @typedef {ReturnType<typeof createLevels>} Levels
 * @typedef {import('discord.js').GuildMember} GuildMember
 * @typedef {import('guildrank-kit/rules').Rules} Rules
 */

/** How long the rules of a guild are kept. */
const RULES_MS = 60_000;

/** @param {Required<Pick<import('./handlers.js').Options, 'writer' | 'reader' | 'log' | 'wait' | 'now'>>} options */
export function createLevels({ writer, reader, log, wait, now }) {
  const attempt = attempts(log);
  const unset = parseRules({});
  /** @type {Map<string, { until: number, rules: Promise<Rules> }>} */
  const known = new Map();

  /**
   * Returns the rules of a guild, those of the last minute.
   * @param {string} guildId
   */
  function rulesOf(guildId) {
    const kept = known.get(guildId);
    if (kept && now() < kept.until) return kept.rules;
    const rules = reader.rules(guildId).then((stored) => stored ?? unset);
    known.set(guildId, { until: now() + RULES_MS, rules });
    // A failure is not kept.
    rules.catch(() => known.delete(guildId));
    return rules;
  }

  /**
   * Gives the XP that the rules have for a message or a minute of voice.
   * @param {string} guildId
   * @param {{ userId: string, username: string, avatar: string | null, eventId: string }} request the event is counted once, by all processes together.
   * @param {Parameters<typeof xpFor>[1]} event
   * @returns the award; null when there is none, or another process has it.
   */
  function gain(guildId, request, event) {
    const call = async () => {
      const { reason, ...xp } = xpFor(await rulesOf(guildId), event);
      return reason === null ? writer.award(guildId, { ...request, ...xp }) : null;
    };
    return once(call, wait);
  }

  /**
   * Returns the roles that a member lacks at a level, and the rewards that it has too many.
   * @param {GuildMember} member
   * @param {number} level
   */
  async function roleChange(member, level) {
    return rewardRoles(await rulesOf(member.guild.id), level, rolesOf(member));
  }

  /**
   * Gives a member the roles of its level, and takes the rewards that it has no more. Other roles stay. One role that Discord refuses
   * keeps no other one back.
   * @param {GuildMember} member
   * @param {number} level
   */
  async function setRoles(member, level) {
    await attempt(`Roles of member ${member.id}`, async () => {
      const { add, remove } = await roleChange(member, level);
      for (const role of add) await attempt(`Role ${role} of member ${member.id}`, () => member.roles.add(role));
      for (const role of remove) await attempt(`Role ${role} of member ${member.id}`, () => member.roles.remove(role));
    });
  }

  /**
   * Does what a new level brings: the roles, then the announcement of a level-up, unless the member is hidden. Each is done whether or not
   * the other one fails: of many calls at once, exactly one has the level-up, and it does not come again.
   * @param {import('guildrank-kit/writer').Gain | null} change
   * @param {GuildMember | null} member
   * @param {(text: string) => Promise<unknown>} announce
   */
  async function levelUp(change, member, announce) {
    if (!change || !member || change.level === change.levelBefore) return;
    await setRoles(member, change.level);
    if (change.hidden || change.level < change.levelBefore) return;
    await attempt('Level-up', () => announce(`<@${member.id}> is now level ${change.level}!`));
  }

  return { gain, roleChange, setRoles, levelUp };
}

/** @param {GuildMember | null} member */
export function rolesOf(member) {
  return member ? [...member.roles.cache.keys()] : [];
}

/**
 * Returns the ids of what holds a channel, the nearest first: the channel of a thread, its category.
 * @param {{ readonly parent?: unknown }} channel
 * @returns {string[]}
 */
export function parentsOf(channel) {
  const parent = /** @type {import('discord.js').GuildBasedChannel | null | undefined} */ (channel.parent);
  return parent ? [parent.id, ...parentsOf(parent)] : [];
}
