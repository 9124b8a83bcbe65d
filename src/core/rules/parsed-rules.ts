import type { XpAmount } from '../members/gain-limits.ts';

/** The parts of a guild's rules, as parse-rules.ts makes them from a document. */

/**
 * How several multipliers make one: the greatest; 1 plus the sum of what each adds to 1, not below 0; or their product. For example, 1.5 and 2
 * make 2, 2.5 or 3.
 */
export type Stacking = 'max' | 'sum' | 'product';

/** The states that can keep a member of a voice channel from XP. */
export interface VoiceState {
  /** No other member is in the channel. */
  readonly alone: boolean;
  readonly deafened: boolean;
  readonly muted: boolean;
  /** The channel is the channel that the guild has for absent members. */
  readonly afk: boolean;
}

/** A role that a member has from a level on. */
export interface Reward {
  readonly level: number;
  readonly role: string;
  /** Whether the member keeps the role when it reaches the level of another reward. */
  readonly kept: boolean;
}

/** The rules of a guild: how members gain XP, and which roles a level gives. */
export interface Rules {
  readonly message: {
    readonly xp: XpAmount;
    readonly cooldownMs: number;
    /** Characters that a message needs. */
    readonly minChars: number;
  };
  readonly voice: {
    /** XP of one tick: the bot chooses how often it gives a tick. */
    readonly xp: XpAmount;
    /** The states in which a member gains XP all the same. */
    readonly counts: VoiceState;
  };
  readonly noXp: {
    readonly roles: readonly string[];
    /** Channels, threads and categories. A channel or thread below one of these gives no XP either. */
    readonly channels: readonly string[];
  };
  readonly multipliers: {
    readonly roles: ReadonlyMap<string, number>;
    /** Channels, threads and categories. Of the multipliers around a message, only the nearest counts. */
    readonly channels: ReadonlyMap<string, number>;
    /** For the roles of one member. */
    readonly roleStacking: Stacking;
    /** For the multiplier of all roles together, and the multiplier of the channel. */
    readonly stacking: Stacking;
  };
  readonly rewards: readonly Reward[];
}
