/** The entry `guildrank-kit/rules`, for browsers too: the XP that a guild's rules give, and the roles of a level. It computes, and does no I/O. */

export * from '../core/rules/rules.ts';
