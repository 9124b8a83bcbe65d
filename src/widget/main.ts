// The elements of docs/widget.md, for any web page.
import { GuildLeaderboard } from './leaderboard.ts';
import { GuildMember } from './member.ts';
import { GuildStats } from './stats.ts';

// A server has no registry.
const registry: CustomElementRegistry | undefined = globalThis.customElements;

for (const [name, element] of [
  ['guild-leaderboard', GuildLeaderboard],
  ['guild-member', GuildMember],
  ['guild-stats', GuildStats],
] as const) {
  if (!registry?.get(name)) registry?.define(name, element);
}
