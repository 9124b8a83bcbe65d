import type { Request } from 'express';
import type { Problem } from '../response/problem.ts';
import { languageOf } from './languages.ts';
import { renderTemplate } from './views.ts';
import { type Words, wordsOf } from './words.ts';

/**
 * Returns the page of a problem. Where the problem can pass, the page asks again by itself. For an overlay it shows nothing, because it would stand
 * in a video.
 * @param root relative address of the root of the service.
 */
export function problemPage(req: Request, problem: Problem, root: string): string {
  const words = wordsOf(languageOf(req));
  const { status } = problem;
  const isOverlay = req.query.overlay === '1' && (status === 404 || status === 429 || status >= 500);
  const [title, text] = texts(problem, words);
  const isLive = isOverlay || status === 503;
  return renderTemplate('problem', { title, text, root, words, isLive, isOverlay, head: undefined });
}

function texts({ status, detail }: Problem, { say }: Words): [title: string, text: string] {
  if (status === 404) return [say('nothing'), say('noPage')];
  if (status === 429) return [say('tooMany'), say('later')];
  if (status === 503) return [say('away'), say('later')];
  // Parameters and methods are for developers: they are told in English.
  return [status < 500 ? 'This address is not right' : 'Something went wrong', detail];
}
