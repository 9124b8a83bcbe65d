// The entry guildrank-widget/vue: the elements in templates of Vue 3.
import type { HTMLAttributes, PublicProps } from 'vue';
import type { CamelCaseMarkup, GuildLeaderboard, GuildMember, GuildStats } from './index.js';

type ElementOf<E extends HTMLElement> = new () => E & { $props: CamelCaseMarkup<E> & HTMLAttributes & PublicProps };

declare module 'vue' {
  interface GlobalComponents {
    'guild-leaderboard': ElementOf<GuildLeaderboard>;
    'guild-member': ElementOf<GuildMember>;
    'guild-stats': ElementOf<GuildStats>;
  }
}
