import type { Problem } from '../response/problem.ts';
import { renderTemplate } from './views.ts';
import { type Words, wordsOf } from './words.ts';

/** Returns the page of a problem. @param root relative address of the root of the service. */
export function problemPage(problem: Problem, root: string, lang: string): string {
  const words = wordsOf(lang);
  const [title, text] = texts(problem, words);
  return renderTemplate('problem', { title, text, root, words, isLive: false, isOverlay: false, head: undefined });
}

function texts({ status, detail }: Problem, { say }: Words): [title: string, text: string] {
  if (status === 404) return [say('nothing'), say('noPage')];
  if (status === 429) return [say('tooMany'), say('later')];
  if (status === 503) return [say('moment'), `${say('away')} ${say('later')}`];
  // Parameters and methods are for developers: they are told in English.
  return [status < 500 ? 'This address is not right' : 'Something went wrong', detail];
}
