/** Names of settings that bots export beside the members, and of fields with which a page describes itself. */
export const SETTINGS = {
  ofDocument: new Set([
    // Polaris.
    'settings',
    // MEE6.
    'role_rewards',
    'xp_rate',
    'xp_per_message',
    'guild',
    'page',
    // Lurkr.
    'roleRewards',
    'multipliers',
    'xpGainInterval',
    'xpGlobalMultiplier',
    'xpPerMessageMin',
    'xpPerMessageMax',
    // LevelUp, with one guild.
    'algorithm',
    'levelroles',
    // pandas, with orient="split".
    'columns',
  ]) as ReadonlySet<string>,
  /** LevelUp, with its guilds by their ids. */
  ofGuild: new Set(['algorithm', 'levelroles']) as ReadonlySet<string>,
} as const;
