import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { ID_PATTERN } from '../../core/ranking/model.ts';
import { MemberRead } from '../../core/reads/reader.ts';
import { type ExportResult, exportText } from '../../imports/export.ts';
import { startWith } from '../../imports/text-bytes.ts';
import { formOf } from '../forms.ts';
import type { GuildPage } from '../guild-page.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import { notFound } from '../refusal.ts';
import { actorOf, guildOf } from '../visit.ts';
import { readMemberList, reasonsOf } from './member-lists.ts';

/** Changes of a member, by the word in the address. */
const CHANGES = {
  hide: {
    title: 'Hide this member?',
    text: 'leaves the ranking, the totals and the API. The XP and the profile stay, and the member goes on earning.',
    button: 'Hide the member',
    past: 'Hid',
    notice: 'Member hidden.',
  },
  unhide: {
    title: 'Show this member again?',
    text: 'comes back into the ranking with all XP, unless the member has left the server or wants to be hidden.',
    button: 'Show the member again',
    past: 'Showed again',
    notice: 'Member shown again.',
  },
  remove: {
    title: 'Remove this member?',
    text: 'is erased, with the XP, the profile and the streak. You cannot undo this. If the member writes again, the bot starts anew.',
    button: 'Remove the member',
    past: 'Removed',
    notice: 'Member removed.',
  },
} as const;

type Change = keyof typeof CHANGES;

/** Members as lists, ranked and hidden, and by their id: hide, show again, remove. And all of them as a file. */
export const membersPage: GuildPage = {
  path: '/members',
  label: 'Members',
  icon: 'users',
  addTo(router, parts) {
    const { writer, members: stored, auditLog, views } = parts;

    /** Returns what is known of a member; undefined for a user who is none. */
    const find = async (guildId: string, userId: string) => {
      if (!ID_PATTERN.test(userId)) return undefined;
      const [{ members }, { value: ranked }] = await Promise.all([
        stored.read(guildId, [userId]),
        parts.commands.read(new MemberRead(guildId, userId)),
      ]);
      const [member] = members;
      return member && { ...member, reasons: reasonsOf(member), rank: ranked?.rank, shownLevel: ranked?.level };
    };
    /** Returns the member and the change of a page, or there is no such page. The id is in no path, because ".." is an id. */
    const asked = async ({ params: { change } }: Request<{ change: string }>, res: Response, id = '') => {
      const member = await find(guildOf(res), id);
      if (!member || !Object.hasOwn(CHANGES, change)) throw notFound();
      return { member, change: change as Change };
    };

    router.get('/members', async (req, res) => {
      const id = String(req.query.id ?? '').trim();
      const [done] = Object.entries(CHANGES).find(([change]) => change === req.query.done) ?? [];
      const member = id === '' ? undefined : await find(guildOf(res), id);
      const problem =
        id !== '' && !member && !done
          ? 'No member has this id, ranked or hidden. To find a member by name, type a part of the name while you see the list.'
          : '';
      const notice = done === undefined ? '' : noticeOf(done as Change, member?.hidden ?? false);
      if (member) return views.send(res, 'member', { title: 'Member', member, notice });
      const list = await readMemberList(
        parts,
        stored,
        guildOf(res),
        req.query.list === 'hidden',
        Number(req.query.page),
      );
      views.send(res, 'members', { title: 'Members', id, list, notice, problem }, problem === '' ? 200 : 404);
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
        // Read before the answer begins, so that a failure can be told on a page.
        const first = await text.next();
        res.set({
          'Content-Type': 'text/csv; charset=utf-8',
          'Content-Disposition': `attachment; filename="${guildId}.csv"`,
        });
        await pipeline(startWith(first.value ?? '', text), res);
      });
    });

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
