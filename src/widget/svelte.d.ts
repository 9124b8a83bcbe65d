// The entry guildrank-widget/svelte: the elements in templates of Svelte 5.
import type { HTMLAttributes } from 'svelte/elements';
import type { GuildLeaderboard, GuildMember, GuildStats, HyphenatedMarkup } from './index.js';

type Props<E extends HTMLElement> = HTMLAttributes<E> & HyphenatedMarkup<E>;

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'guild-leaderboard': Props<GuildLeaderboard>;
    'guild-member': Props<GuildMember>;
    'guild-stats': Props<GuildStats>;
  }
}
