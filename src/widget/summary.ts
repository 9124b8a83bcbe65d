import type { StatsData } from './api-data.ts';
import { el, part, setText } from './dom.ts';
import { type PeriodData, periodFacts } from './period.ts';
import type { WidgetWords } from './words.ts';

/** Returns the average level; empty for a ranking without members. */
function average({ total_members, average_level }: StatsData, words: WidgetWords): string[] {
  return total_members > 0 ? [words.say('average', { n: average_level })] : [];
}

/** Creates the line with the totals of a guild, and a badge when XP is multiplied. */
export function createSummary() {
  const text = el('span');
  const badge = part('span', 'badge');
  const root = part('p', 'stats', text, ' ', badge);

  return {
    root,

    /** @param isGained whether the totals are the totals of a board. @param period what the board counts, as far as it is known. */
    paint(stats: StatsData | undefined, words: WidgetWords, isGained = false, period?: PeriodData | null): void {
      badge.hidden = !stats || stats.xp_multiplier === 1;
      if (!stats) {
        setText(text, '\u00a0'); // Keeps the line.
        return;
      }
      const xpText = (xp: string) => (isGained ? words.say('gained', { xp: `+${xp}` }) : `${xp} XP`);
      const totals = [
        words.say('members', { n: stats.total_members }),
        xpText(words.compact(stats.total_xp)),
        // A board shows the time that it counts instead.
        ...(period ? periodFacts(period, words, Date.now()) : average(stats, words)),
      ];
      setText(text, totals.join(' · '));
      text.title = xpText(words.number(stats.total_xp));
      setText(badge, `${words.number(stats.xp_multiplier)}× XP`);
    },
  };
}
