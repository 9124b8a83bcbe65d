import { el, part, setText } from './dom.ts';
import type { Stats } from './model.ts';
import type { Words } from './words.ts';

/** Creates the line with the totals of a guild, and a badge when XP is multiplied. */
export function createSummary() {
  const text = el('span');
  const badge = part('span', 'badge');
  const root = part('p', 'stats', text, ' ', badge);

  return {
    root,

    paint(stats: Stats | undefined, words: Words): void {
      badge.hidden = !stats || stats.xp_multiplier === 1;
      if (!stats) {
        setText(text, '\u00a0'); // Keeps the line.
        return;
      }
      const totals = [
        words.say('members', { n: stats.total_members }),
        `${words.compact(stats.total_xp)} XP`,
        words.say('average', { n: stats.average_level }),
      ];
      setText(text, totals.join(' · '));
      text.title = `${words.number(stats.total_xp)} XP`;
      setText(badge, `${words.number(stats.xp_multiplier)}× XP`);
    },
  };
}
