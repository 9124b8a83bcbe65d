import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { InvalidInputError, RefusedError } from '../../core/errors.ts';
import { type ExportResult, exportText } from '../../imports/export.ts';
import { startWith } from '../../imports/text-bytes.ts';
import { formOf, showProblem } from '../forms.ts';
import type { GuildPage } from '../guild-page.ts';
import { memberPictures } from '../member-pictures.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import { notFound, RefusedPage } from '../refused-page.ts';
import { messageForPerson, sentence } from '../sentences.ts';
import { actorOf, guildOf } from '../visit.ts';
import { addCorrections } from './correct.ts';
import { addListOfCorrections, LIST_UPLOAD } from './correct-list.ts';
import { readMemberList } from './member-lists.ts';
import { readOneMember } from './one-member.ts';

/** Changes of a member, by the word in the address. */
const CHANGES = {
  hide: {
    title: 'Hide this member?',
    text: 'leaves the ranking, the totals and the API. The XP and the profile stay, and the member goes on earning.',
    button: 'Hide the member',
    keep: 'Cancel',
    past: 'Hid',
    notice: 'Member hidden.',
  },
  unhide: {
    title: 'Show this member again?',
    text: 'comes back into the ranking with all XP, unless the member has left the server or wants to be hidden.',
    button: 'Show the member again',
    keep: 'Keep it hidden',
    past: 'Showed again',
    notice: 'Member shown again.',
  },
  remove: {
    title: 'Remove this member?',
    text: 'is erased, with the XP, the profile and the streak. You cannot undo this. If the member writes again, the XP begins at 0.',
    button: 'Remove the member',
    keep: 'Keep the member',
    past: 'Removed',
    notice: 'Member removed.',
  },
} as const;

type Change = keyof typeof CHANGES;

/** The data that the page of the members shows. */
interface ShownList {
  /** The text that was searched for. */
  readonly text: string;
  readonly hits: readonly { readonly userId: string }[];
  readonly list: Awaited<ReturnType<typeof readMemberList>>;
  readonly notice: string;
  readonly problem: string;
}

/** Throws the failure of a search. If the search can be repeated soon, the page says when. */
function refuseSearch(error: unknown): never {
  if (!(error instanceof RefusedError && error.code === 'search_busy')) throw error;
  const { seconds } = error.params as { readonly seconds: number };
  throw new RefusedPage(503, 'Not available just now', sentence(messageForPerson(error) ?? ''), seconds);
}

function tooManySearches(seconds: number): RefusedPage {
  const message = `Too many searches came from your address. Try again in ${seconds} s.`;
  return new RefusedPage(429, 'Too many searches', message, seconds);
}

/**
 * Shows the ranked and the hidden members as lists, and a single member by its id, to change, hide, show again or remove it. Also exports all members
 * as a file.
 */
export const membersPage: GuildPage = {
  path: '/members',
  label: 'Members',
  icon: 'users',
  uploads: [LIST_UPLOAD],
  addTo(router, parts) {
    const { writer, members: stored, auditLog, views } = parts;

    /**
     * Returns the member and the change of a page.
     * @throws RefusedPage for a user who is not a member, and for an unknown change. The id stands in no path, because ".." is a valid id.
     */
    const asked = async ({ params: { change } }: Request<{ change: string }>, res: Response, id = '') => {
      const member = await readOneMember(parts, guildOf(res), id);
      if (!member || !Object.hasOwn(CHANGES, change)) throw notFound();
      return { member, change: change as Change };
    };

    /** Returns the members that a search finds by name or id. A hidden member is found only by its id, even if there are too many names to search. */
    const search = async (guildId: string, text: string): Promise<readonly { readonly userId: string }[]> => {
      const byId = await readOneMember(parts, guildId, text);
      try {
        const hits = await parts.search.find(guildId, text);
        return hits.length === 0 && byId ? [byId] : hits;
      } catch (error) {
        if (byId && error instanceof RefusedError) return [byId];
        if (error instanceof InvalidInputError)
          throw new InvalidInputError('Enter a name or an id with 1 to 100 characters that can be seen');
        return refuseSearch(error);
      }
    };

    const sendList = async (res: Response, shown: ShownList, status = shown.problem === '' ? 200 : 404) => {
      const { hits, list } = shown;
      const userIds = hits.length > 0 ? hits.map(({ userId }) => userId) : list.rows.map((row) => row.user_id);
      const pictures = await memberPictures(parts, res, guildOf(res), userIds);
      views.send(res, 'members', { title: 'Members', ...shown, pictures }, status);
    };
    router.get('/members', async (req, res, next) => {
      const text = String(req.query.find ?? '').trim();
      if (text === '') return next();
      const waitMs = parts.searchLimiter.take(req.ip);
      if (waitMs > 0) throw tooManySearches(Math.ceil(waitMs / 1000));
      const show = async (hits: ShownList['hits'], problem: string, status?: number) => {
        const list = await readMemberList(parts, stored, guildOf(res), false, 1);
        await sendList(res, { text, hits, list, notice: '', problem }, status);
      };
      const refuse = (problem: string) => show([], problem, 400);
      await showProblem(refuse, async () => {
        const hits = await search(guildOf(res), text);
        const [only] = hits;
        if (only && hits.length === 1) return res.redirect(303, `/guilds/${guildOf(res)}/members?id=${only.userId}`);
        const nobody = 'Nobody in the ranking has this name or id, and nobody hidden has this id.';
        await show(hits, hits.length > 0 ? '' : nobody);
      });
    });
    router.get('/members', async (req, res) => {
      const id = String(req.query.id ?? '').trim();
      const [done] = Object.entries(CHANGES).find(([change]) => change === req.query.done) ?? [];
      const member = id === '' ? undefined : await readOneMember(parts, guildOf(res), id);
      const problem = id !== '' && !member && !done ? 'No member has this id, ranked or hidden.' : '';
      const notice = done === undefined ? '' : noticeOf(done as Change, member?.hidden ?? false);
      if (member) {
        const pictures = await memberPictures(parts, res, guildOf(res), [member.userId]);
        return views.send(res, 'member', { title: 'Member', member, pictures, notice });
      }
      const isHidden = req.query.list === 'hidden';
      const list = await readMemberList(parts, stored, guildOf(res), isHidden, Number(req.query.page));
      await sendList(res, { text: id, hits: [], list, notice, problem });
    });

    const exportOnce = oneAtATime(
      'Already exporting',
      'The members of this server are being exported already. Try again in a moment.',
      30,
    );
    router.get('/members/export.csv', async (_req, res) => {
      const guildId = guildOf(res);
      await exportOnce(guildId, async () => {
        const result: ExportResult = { members: 0, hidden: 0, revision: '', curve: undefined };
        const text = exportText(stored.readAll(guildId), 'csv', result);
        // The first members are read before the answer begins, so that a page can report a failure.
        const first = await text.next();
        res.set({
          'Content-Type': 'text/csv; charset=utf-8',
          'Content-Disposition': `attachment; filename="${guildId}.csv"`,
        });
        await pipeline(startWith(first.value ?? '', text), res);
      });
    });

    addCorrections(router, parts);
    addListOfCorrections(router, parts);

    router.get('/members/:change', async (req, res) => {
      const { member, change } = await asked(req, res, String(req.query.id));
      views.send(res, 'member-change', { ...CHANGES[change], member, change });
    });
    router.post('/members/:change', async (req, res) => {
      const { member, change } = await asked(req, res, formOf(req).id);
      const { userId } = member;
      const guildId = guildOf(res);
      await auditLog.change(guildId, actorOf(req, res), `${CHANGES[change].past} the member ${userId}`, async () => {
        await writer[change](guildId, [userId]);
      });
      const query = new URLSearchParams({ done: change, ...(change !== 'remove' && { id: userId }) });
      res.redirect(303, `/guilds/${guildId}/members?${query}`);
    });
  },
};

/** Returns what the page says after a change. */
function noticeOf(change: Change, isHidden: boolean): string {
  if (change === 'unhide' && isHidden) return 'The member stays hidden for another reason.';
  return CHANGES[change].notice;
}
