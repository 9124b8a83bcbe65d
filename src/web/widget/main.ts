// The elements of docs/widget.md, for any web page.
import { GuildLeaderboard } from './leaderboard.ts';
import { GuildMember } from './member.ts';
import { GuildStats } from './stats.ts';

for (const [name, element] of [
  ['guild-leaderboard', GuildLeaderboard],
  ['guild-member', GuildMember],
  ['guild-stats', GuildStats],
] as const) {
  if (!customElements.get(name)) customElements.define(name, element);
}
