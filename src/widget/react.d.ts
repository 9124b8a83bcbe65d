// The entry guildrank-widget/react: the elements in JSX of React 19.
import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { GuildLeaderboard, GuildMember, GuildStats, HyphenatedMarkup } from './index.js';

type Props<E extends HTMLElement> = DetailedHTMLProps<HTMLAttributes<E>, E> & HyphenatedMarkup<E>;

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'guild-leaderboard': Props<GuildLeaderboard>;
      'guild-member': Props<GuildMember>;
      'guild-stats': Props<GuildStats>;
    }
  }
}
