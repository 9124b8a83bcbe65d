import { el, part, setText } from './dom.ts';
import type { Problem } from './problem.ts';
import type { Words } from './words.ts';

/** What the footer tells. Times are as `performance.now` counts. */
export interface FooterState {
  readonly words: Words;
  readonly problem: Problem | undefined;
  /** Whether the message of the problem stands in the middle of the card. */
  readonly isTold: boolean;
  readonly isLive: boolean;
  /** Time of the last answer. */
  readonly at: number | undefined;
  /** Time of the next try. */
  readonly resumeAt: number;
  readonly page: number;
  readonly last: number;
  readonly hasPager: boolean;
}

/** Creates the state of the data and the pager. @param step called with -1 or 1. */
export function createFooter(step: (by: number) => void) {
  const dot = el('span', { class: 'dot', 'aria-hidden': 'true' });
  const text = el('span', { role: 'status' });
  const time = el('span');
  const status = part('p', 'status', dot, el('span', {}, text, time));
  const button = (arrow: string, by: number) => {
    const node = el('button', { class: 'icon', part: 'button' }, el('span', { class: 'arrow' }, arrow));
    // A button that is disabled loses the focus, so these buttons only announce that they are disabled.
    node.onclick = () => {
      if (node.ariaDisabled !== 'true') step(by);
    };
    return node;
  };
  const previous = button('‹', -1);
  const next = button('›', 1);
  const place = el('span', { 'aria-live': 'polite' });
  const pager = part('div', 'pager', previous, place, next);
  const root = part('div', 'footer', status, pager);
  let state: FooterState;
  let ticker: ReturnType<typeof setInterval> | undefined;

  function tick(): void {
    const { problem, isLive } = state;
    time.ariaHidden = problem?.retryS === undefined ? null : 'true'; // A screen reader need not read the countdown.
    const shown = timeText();
    setText(time, text.textContent && shown ? ` · ${shown}` : shown);
    dot.hidden = !status.textContent || (!isLive && !problem);
  }

  /** Returns when the next try is, or else how old the data is. */
  function timeText(): string {
    const { words, problem, at, resumeAt } = state;
    const now = performance.now();
    if (problem?.retryS !== undefined) return words.say('nextTry', { time: words.clock((resumeAt - now) / 1000) });
    if (problem || at === undefined) return '';
    return words.say('updated', { ago: words.ago((now - at) / 1000) });
  }

  /** Returns whether the data is fresh. */
  function stateText(): string {
    const { words, problem, isTold, isLive } = state;
    if (problem) return isTold ? '' : words.say('stale');
    return isLive ? words.say('live') : '';
  }

  return {
    root,

    paint(newState: FooterState): void {
      state = newState;
      const { words, problem, page, last } = state;
      status.classList.toggle('is-trouble', problem !== undefined);
      setText(text, stateText());
      pager.hidden = !state.hasPager || last <= 1;
      previous.ariaLabel = words.say('previous');
      next.ariaLabel = words.say('following');
      previous.ariaDisabled = String(page <= 1);
      next.ariaDisabled = String(page >= last);
      setText(place, `${words.number(page)} / ${words.number(last)}`);
      tick();
    },

    /** Counts the seconds while somebody sees them. */
    run(isSeen: boolean): void {
      clearInterval(ticker);
      if (isSeen) ticker = setInterval(tick, 1000);
      tick();
    },
  };
}
