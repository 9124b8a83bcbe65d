/** The entry `guildrank-kit/card`, for browsers too: the rank card of a member as a picture. It needs no connection. */

export * from '../pictures/card.ts';
