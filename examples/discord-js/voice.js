import { lineOf } from './failures.js';
import { parentsOf, rolesOf } from './levels.js';

/** XP for members in voice channels, each minute. */

const MINUTE_MS = 60_000;

/**
 * Returns the time to the next tick: the middle of a minute. So the clocks of two processes may differ by some seconds, and both mean the
 * same minute.
 * @param {number} now
 */
export function msToTick(now) {
  return MINUTE_MS - ((now + MINUTE_MS / 2) % MINUTE_MS);
}

/**
 * Returns a function that gives the XP of a minute to those in voice channels. A minute of a member counts once, also when two processes
 * run, or one starts anew.
 * @param {import('./levels.js').Levels} levels
 * @param {(line: string) => void} log
 */
export function createVoice({ gain, levelUp }, log) {
  /**
   * @param {ReturnType<typeof voicesOf>[number]} voice
   * @param {number} minute
   * @param {boolean} alone
   */
  async function give({ member, channel, state }, minute, alone) {
    const { guild, deaf, mute, suppress } = state;
    const award = await gain(
      guild.id,
      {
        ...{ userId: member.id, username: member.displayName, avatar: member.user.avatar },
        eventId: `voice:${member.id}:${minute}`,
      },
      {
        ...{ kind: 'voice', roles: rolesOf(member), channel: channel.id, parents: parentsOf(channel) },
        voice: {
          ...{ alone, deafened: Boolean(deaf), afk: channel.id === guild.afkChannelId },
          // Who may only listen on a stage is muted too.
          muted: Boolean(mute || suppress),
        },
      },
    );
    await levelUp(award, member, (text) => channel.send(text));
  }

  /**
   * @param {Iterable<import('discord.js').Guild>} guilds
   * @param {number} now milliseconds since 1970
   */
  return async (guilds, now) => {
    const minute = Math.floor(now / MINUTE_MS);
    const gains = [...guilds].flatMap((guild) => {
      const voices = voicesOf(guild);
      /** @type {Map<string, number>} */
      const people = new Map();
      for (const { channel } of voices) people.set(channel.id, (people.get(channel.id) ?? 0) + 1);
      return voices.map((voice) => give(voice, minute, people.get(voice.channel.id) === 1));
    });
    const results = await Promise.allSettled(gains);
    // Without Redis all of them fail in the same way: one line is enough.
    const lines = results.flatMap((result) => (result.status === 'rejected' ? [lineOf(result.reason)] : []));
    for (const line of new Set(lines)) log(`Voice: ${line}`);
  };
}

/**
 * Returns the people in the voice channels of a guild. Bots are none.
 * @param {import('discord.js').Guild} guild
 */
function voicesOf(guild) {
  return [...guild.voiceStates.cache.values()].flatMap((state) => {
    const { member, channel } = state;
    return member && channel && !member.user.bot ? [{ member, channel, state }] : [];
  });
}
