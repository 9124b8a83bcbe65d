import type { EntryData, MemberData } from './api-data.ts';
import type { DataAddresses } from './data-addresses.ts';
import { el, part, setText } from './dom.ts';
import { isId } from './element.ts';
import { nameOf } from './name.ts';
import type { Source } from './source.ts';
import type { WidgetProblem } from './widget-problem.ts';
import type { WidgetWords } from './words.ts';

/** The state of the element that the search needs. */
export interface SearchState {
  readonly words: WidgetWords;
  readonly source: Source | undefined;
  readonly addresses: DataAddresses;
  readonly board: string;
  readonly isOn: boolean;
}

/**
 * Creates the search of members: an icon, a form over the title, and the result.
 * @param show shows a member in the list; undefined ends the search.
 */
export function createSearch(show: (member: EntryData | undefined) => void) {
  const toggle = el(
    'button',
    { class: 'icon', part: 'button', 'aria-controls': 'search' },
    el('span', { class: 'lens' }),
  );
  const input = el('input', { maxlength: '64', autocomplete: 'off', spellcheck: 'false', part: 'input' });
  const submit = part('button', 'button');
  const form = el('form', { id: 'search', part: 'search' }, input, submit);
  const text = el('p', { role: 'status' });
  const choices = el('ul', { class: 'choices' });
  const jump = part('button', 'button');
  const end = part('button', 'button', '×');
  const result = el('div', { class: 'found', part: 'result', hidden: '' }, text, el('div', {}, jump, end), choices);
  let state: SearchState;
  let searching: AbortController | undefined;
  let member: EntryData | undefined;

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

  /** Shows the members that were found: a single member with its facts, or several members, each as a button that shows the member in the list. */
  function answerFound(found: readonly (EntryData | MemberData)[]): void {
    const { words, board } = state;
    const [first] = found;
    choices.replaceChildren();
    if (!first) answer(words.say('noneFound'));
    else if (found.length === 1) {
      member = first;
      jump.hidden = false;
      answerAbout(nameOf(first), factsOf(first, words, board).join(', '));
    } else answer(words.say('members', { n: found.length }));
    for (const each of found.length > 1 ? found : []) {
      // A search that stands on a board still finds the ranks of all time.
      const rank = board ? [] : [` · ${words.say('rank', { n: each.rank })}`];
      const choice = part('button', 'button', el('bdi', {}, nameOf(each)), ...rank);
      choice.onclick = () => choose(each);
      choices.append(el('li', {}, choice));
    }
  }

  /** Asks the source in place of the last question. @param name returns the name of the member that is meant, as far as the name is known. */
  async function ask(
    name: () => string,
    questions: (source: Source, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    searching?.abort();
    const { words, source, addresses, board } = state;
    if (!source) return;
    searching = new AbortController();
    const { signal } = searching;
    try {
      await questions(source, signal);
    } catch (error) {
      if (signal.aborted) return;
      const problem = error as WidgetProblem;
      // A member of the guild is on a board only with XP there.
      if (board && problem.kind === 'missing') answerAbout(name(), words.say('empty'));
      else answer(problem.say(words, name()));
      // Public data limits searches apart from the rest.
      if (problem.kind === 'quota' && !addresses.findsNames) source.block(problem);
    }
  }

  /** Returns a member that was found among all time as the board has it. @throws WidgetProblem missing when the board does not have it. */
  async function onBoard(found: EntryData, source: Source, signal: AbortSignal): Promise<EntryData> {
    const { addresses, board } = state;
    if (!board) return found;
    return addresses.memberOf(await source.get(addresses.member(board, found.user_id), { signal })) ?? found;
  }

  function choose(found: EntryData): Promise<void> {
    return ask(
      () => nameOf(found),
      async (source, signal) => show(await onBoard(found, source, signal)),
    );
  }

  async function find(wanted: string): Promise<void> {
    const { words, addresses, board } = state;
    if (wanted === '') return;
    jump.hidden = true;
    choices.replaceChildren();
    if (!addresses.findsNames && !isId(wanted)) {
      searching?.abort();
      answer(words.say('missing', { id: wanted }));
      return;
    }
    let name = wanted;
    await ask(
      () => name,
      async (source, signal) => {
        const found = addresses.foundOf(await source.get(addresses.find(board, wanted), { signal }));
        const [only] = found.length === 1 && addresses.findsNames ? found : [];
        if (only) name = nameOf(only);
        answerFound(only ? [await onBoard(only, source, signal)] : found);
      },
    );
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

  function paint(newState: SearchState): void {
    state = newState;
    const { words, isOn, addresses } = state;
    toggle.hidden = !isOn;
    input.placeholder = words.say(addresses.findsNames ? 'findMember' : 'find');
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
function factsOf(member: EntryData | MemberData, words: WidgetWords, board: string): string[] {
  const xp = words.number(member.xp);
  return [
    words.say('rank', { n: member.rank }),
    words.say('level', { n: member.level }),
    board ? words.say('gained', { xp: `+${xp}` }) : `${xp} XP`,
    ...('daily_streak' in member ? claimsOf(member, words) : []),
  ];
}

/** Returns what is known about the daily claims of a member, in words. */
export function claimsOf({ daily_streak, last_daily_claim }: MemberData, words: WidgetWords): string[] {
  const facts: string[] = [];
  if (daily_streak) facts.push(words.say('streak', { n: daily_streak }));
  if (last_daily_claim) facts.push(words.say('claim', { date: words.date(last_daily_claim) }));
  return facts;
}
