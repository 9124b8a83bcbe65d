import { el, part, setText } from './dom.ts';
import { isId } from './element.ts';
import type { Member } from './model.ts';
import { nameOf } from './name.ts';
import type { Problem } from './problem.ts';
import type { Source } from './source.ts';
import type { Words } from './words.ts';

/**
 * Creates the search by member id: an icon, a form over the title, and the result.
 * @param show shows a member in the list; undefined ends the search.
 */
export function createSearch(show: (member: Member | undefined) => void) {
  const toggle = el(
    'button',
    { class: 'icon', part: 'button', 'aria-controls': 'search' },
    el('span', { class: 'lens' }),
  );
  const input = el('input', { maxlength: '64', autocomplete: 'off', spellcheck: 'false', part: 'input' });
  const submit = part('button', 'button');
  const form = el('form', { id: 'search', part: 'search' }, input, submit);
  const text = el('p', { role: 'status' });
  const jump = part('button', 'button');
  const end = part('button', 'button', '×');
  const result = el('div', { class: 'found', part: 'result', hidden: '' }, text, el('div', {}, jump, end));
  let source: Source | undefined;
  let board: string;
  let words: Words;
  let searching: AbortController | undefined;
  let member: Member | undefined;

  function open(isOpen: boolean): void {
    form.hidden = !isOpen;
    toggle.ariaExpanded = String(isOpen);
    if (isOpen) input.focus();
  }
  function cancel(): void {
    searching?.abort();
    result.hidden = true;
    open(false);
  }
  function close(): void {
    cancel();
    show(undefined);
    toggle.focus();
  }
  function answer(...parts: (Node | string)[]): void {
    result.hidden = false;
    text.replaceChildren(...parts);
  }
  function answerAbout(name: string, facts: string): void {
    answer(el('strong', {}, el('bdi', {}, name)), `: ${facts}`);
  }
  async function find(id: string): Promise<void> {
    searching?.abort();
    if (id === '' || !source) return;
    jump.hidden = true;
    if (!isId(id)) {
      answer(words.say('missing', { id }));
      return;
    }
    searching = new AbortController();
    const { signal } = searching;
    try {
      member = (await source.get(`${board}/members/${id}`, { signal })) as Member;
      answerAbout(nameOf(member), factsOf(member, words, board).join(', '));
      jump.hidden = false;
    } catch (error) {
      if (signal.aborted) return;
      const problem = error as Problem;
      // A member of the guild is on a board only with XP there.
      if (board && problem.kind === 'missing') answerAbout(id, words.say('empty'));
      else answer(problem.say(words, id));
      if (problem.kind === 'quota') source.block(problem);
    }
  }
  open(false);
  toggle.onclick = () => open(form.hidden === true);
  end.onclick = close;
  jump.onclick = () => show(member);
  form.onkeydown = ({ key }) => {
    if (key === 'Escape') close();
  };
  form.onsubmit = (event) => {
    event.preventDefault();
    find(input.value.trim());
  };

  function paint(newWords: Words, newSource: Source | undefined, newBoard: string, isOn: boolean): void {
    words = newWords;
    source = newSource;
    board = newBoard;
    toggle.hidden = !isOn;
    input.placeholder = words.say('find');
    for (const node of [toggle, input]) {
      node.ariaLabel = input.placeholder;
      node.title = input.placeholder;
    }
    setText(submit, words.say('search'));
    setText(jump, words.say('show'));
    end.ariaLabel = words.say('close');
    if (!isOn) cancel();
  }
  return { toggle, form, result, paint, cancel };
}

/** Returns what the result tells about a member. */
function factsOf(member: Member, words: Words, board: string): string[] {
  const xp = words.number(member.xp);
  return [
    words.say('rank', { n: member.rank }),
    words.say('level', { n: member.level }),
    board ? words.say('gained', { xp: `+${xp}` }) : `${xp} XP`,
    ...claimsOf(member, words),
  ];
}

/** Returns what is known about the daily claims of a member, in words. */
export function claimsOf({ daily_streak, last_daily_claim }: Member, words: Words): string[] {
  const facts: string[] = [];
  if (daily_streak) facts.push(words.say('streak', { n: daily_streak }));
  if (last_daily_claim) facts.push(words.say('claim', { date: words.date(last_daily_claim) }));
  return facts;
}
