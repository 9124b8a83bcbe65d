import { plainText } from 'guildrank-kit/writer';

/** The texts that several commands share. */

/** The flag of a reply that only the caller sees. */
export const EPHEMERAL = 64;
/** Nobody is mentioned. */
export const QUIET = { parse: [] };

const HIDDEN = { left: 'you left this server', self: 'you asked for it', moderator: 'a moderator decided so' };

/**
 * @param {readonly import('guildrank-kit/reader').RankedMember[]} rows
 * @param {string} ownId
 */
export function table(rows, ownId) {
  return rows
    .map(({ rank, userId, username, level, xp }) => {
      const row = `${rank}. ${plainText(username)}: level ${level}, ${xp} XP`;
      return userId === ownId ? `**${row}**` : row;
    })
    .join('\n');
}

/**
 * Returns a card as text: a ranked member with those above and below it.
 * @param {import('guildrank-kit/reader').MemberCard} card
 */
export function cardText(card) {
  const { rank, hidden, level, xp, userId, above, below } = card;
  if (rank !== null)
    return table(
      [above, { ...card, rank }, below].filter((row) => row !== null),
      userId,
    );
  const why = (hidden ?? []).map((reason) => HIDDEN[reason]).join(', and ');
  return `You are hidden from the ranking: ${why}. You have level ${level} with ${xp} XP.`;
}
