import { el, part, setText } from './dom.ts';
import type { WidgetProblem } from './widget-problem.ts';
import type { WidgetWords } from './words.ts';

/** The state that the footer tells. Times are as `performance.now` counts. */
export interface FooterState {
  readonly words: WidgetWords;
  readonly problem: WidgetProblem | undefined;
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

/** Creates the state of the data and the pager. @param goTo called with the number of a page. */
export function createFooter(goTo: (page: number) => void) {
  const dot = el('span', { class: 'dot', 'aria-hidden': 'true' });
  const text = el('span', { role: 'status' });
  const time = el('span');
  const status = part('p', 'status', dot, el('span', {}, text, time));
  const button = (arrow: string, target: () => number) => {
    const node = el('button', { class: 'icon', part: 'button' }, el('span', { class: 'arrow' }, arrow));
    // A button that is disabled loses the focus, so these buttons only announce that they are disabled.
    node.onclick = () => {
      if (node.ariaDisabled !== 'true') goTo(target());
    };
    return node;
  };
  const first = button('«', () => 1);
  const previous = button('‹', () => state.page - 1);
  const next = button('›', () => state.page + 1);
  const last = button('»', () => state.last);
  const place = el('input', { type: 'number', min: '1', class: 'place', part: 'input' });
  const pages = el('span');
  // A form of its own, so that the keyboard of a phone has a key that sends the number: the keyboard for `inputmode="numeric"` has no such key on an
  // iPhone.
  const jump = el('form', { class: 'jump', novalidate: '' }, place, pages);
  jump.onsubmit = (event) => {
    event.preventDefault();
    const page = Math.min(state.last, Math.max(1, Math.floor(Number(place.value) || state.page)));
    place.value = String(page);
    goTo(page);
  };
  const announced = el('span', { class: 'quiet', 'aria-live': 'polite' });
  const pager = part('div', 'pager', first, previous, jump, next, last, announced);
  const root = part('div', 'footer', status, pager);
  let state: FooterState;
  let shownPage = 0;
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
      const { words, problem, page } = state;
      status.classList.toggle('is-trouble', problem !== undefined);
      setText(text, stateText());
      pager.hidden = !state.hasPager || state.last <= 1;
      first.ariaLabel = words.say('first');
      previous.ariaLabel = words.say('previous');
      next.ariaLabel = words.say('following');
      last.ariaLabel = words.say('last');
      place.ariaLabel = words.say('pageNumber');
      for (const node of [first, previous]) node.ariaDisabled = String(page <= 1);
      for (const node of [next, last]) node.ariaDisabled = String(page >= state.last);
      place.max = String(state.last);
      place.style.width = `${place.max.length + 3}ch`;
      if (page !== shownPage) place.value = String(page);
      shownPage = page;
      setText(pages, `/ ${words.number(state.last)}`);
      setText(announced, `${words.number(page)} / ${words.number(state.last)}`);
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
