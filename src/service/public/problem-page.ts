import type { Request } from 'express';
import { RefusedError } from '../../core/errors.ts';
import { ID_PATTERN } from '../../core/ranking/model.ts';
import type { Problem } from '../http/response/problem.ts';
import { languageOf } from './languages.ts';
import { styleOf } from './look.ts';
import { MissingProblem } from './missing-problem.ts';
import { iconOf, nameOfGuild } from './names-and-pictures.ts';
import { type PageWords, pageWordsOf } from './page-words.ts';
import { queryOf } from './queries.ts';
import { UndrawnProblem } from './undrawn.ts';
import { headingOf, renderTemplate, tabsOf } from './views.ts';

/**
 * Returns the page of a problem. If the problem can pass, the page reloads by itself. For an overlay the page is empty, because its text would be
 * seen in a video.
 * @param root relative address of the root of the service.
 */
export function problemPage(req: Request, problem: Problem, root: string): string {
  const words = pageWordsOf(languageOf(req));
  const { status } = problem;
  const isOverlay = req.query.overlay === '1' && (status === 404 || status === 429 || status >= 500);
  const [title, text] =
    problem instanceof UndrawnProblem ? ['There is no such picture', problem.detail] : texts(problem, words);
  const isLive = isOverlay || status === 503;
  const links = status === 404 || status === 400 ? linksOf(req, problem, root, words) : [];
  const shown = { title, text, links, root, words, isLive, isOverlay, isIndexed: false, previewTags: [] };
  if (!(problem instanceof MissingProblem) || isOverlay) return renderTemplate('problem', shown);
  return renderTemplate('problem', { ...shown, ...guildOf(req, problem, root, words) });
}

/** Returns the parts of the page of a guild around its ranking: title, colours, boards and search. */
function guildOf(req: Request, { guildId, board, guild }: MissingProblem, root: string, words: PageWords) {
  const query = { guildId, board, lang: words.language, isLangGiven: req.query.lang === words.language };
  const home = `${root}g/${guildId}`;
  return {
    heading: headingOf(nameOfGuild(guild), guildId),
    style: styleOf(guild.look),
    picture: iconOf(guild, guildId),
    tabs: tabsOf(
      guild.boards,
      query,
      home,
      words,
      guild.hasRewards ? { href: `${home}/rewards`, isHere: false } : undefined,
    ),
    back: home + queryOf({ ...query, board: guild.boards.find((name) => name === board) }),
    action: home,
    query,
  };
}

/**
 * Returns the links on the page of a missing page or a wrong address: to the page of the same member in the ranking of all time, and to the page of
 * the guild. Without a guild, the link leads to the first page of the service.
 */
function linksOf({ path, query }: Request, { code, status }: Problem, root: string, words: PageWords) {
  const [, , guildId = '', below = '', userId] = path.split('/');
  if (guildId === '') return [{ href: root, label: 'Guildrank' }];
  // A missing page does not lead to itself.
  const isItself = status === 404 && below === '' && query.board === undefined;
  if (!ID_PATTERN.test(guildId) || isItself) return [];
  const guild = `${root}g/${guildId}`;
  const lang = queryOf({ board: undefined, lang: words.language, isLangGiven: query.lang === words.language });
  // The path of a badge names no member.
  const hasOther = code === 'member_not_found' && userId !== undefined && query.board !== undefined;
  return [
    ...(hasOther ? [{ href: `${guild}/m/${userId}${lang}`, label: words.say('all') }] : []),
    { href: guild + lang, label: words.say('title') },
  ];
}

function texts({ code, status, detail, extra }: Problem, { say }: PageWords): [title: string, text: string] {
  if (extra.cause instanceof RefusedError) return [say('searchBusy'), say('later')];
  if (code === 'member_not_found') return [say('nothing'), say('unranked')];
  if (status === 404) return [say('nothing'), say('noPage')];
  if (status === 429) return [say('tooMany'), say('later')];
  if (status === 503) return [say('away'), say('later')];
  // Problems with parameters and methods are for developers, so they stay in English.
  return [status < 500 ? 'This address is not right' : 'Something went wrong', detail];
}
