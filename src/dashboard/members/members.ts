import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { ID_PATTERN } from '../../core/ranking/model.ts';
import { MemberRead } from '../../core/reads/reader.ts';
import { type ExportResult, exportText } from '../../imports/export.ts';
import { startWith } from '../../imports/text-bytes.ts';
import { formOf } from '../forms.ts';
import type { GuildPage } from '../guild-page.ts';
import { memberPictures } from '../member-pictures.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import { notFound } from '../refusal.ts';
import { actorOf, guildOf } from '../visit.ts';
import { readMemberList, reasonsOf } from './member-lists.ts';

/** Changes of a member, by the word in the address. */
const CHANGES = {
  hide: {
    title: 'Hide a member',
    text: 'leaves the ranking, the totals and the API. XP and profile stay, and the member gains on.',
    button: 'Hide the member',
    done: 'Hid',
  },
  unhide: {
    title: 'Show a member again',
    text: 'comes back into the ranking, with all XP, unless it has left the server or hides itself.',
    button: 'Show the member again',
    done: 'Put back',
  },
  remove: {
    title: 'Remove a member',
    text: 'is erased, with XP, profile and streak. This cannot be taken back. The bot can create the member anew.',
    button: 'Remove the member',
    done: 'Removed',
  },
} as const;

type Change = keyof typeof CHANGES;

/** Members as lists, ranked and hidden, and by their id: hide, show again, remove. And all of them as a file. */
export const membersPage: GuildPage = {
  path: '/members',
  label: 'Members',
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
      const done = Object.values(CHANGES).find(({ done }) => done === req.query.done);
      const member = id === '' ? undefined : await find(guildOf(res), id);
      const problem = id !== '' && !member && !done ? 'There is no member with this id, ranked or hidden.' : '';
      let notice = '';
      if (done === CHANGES.unhide && member?.hidden) notice = 'The member stays hidden for another reason.';
      else if (done) notice = `${done.done} the member.`;
      const list = member
        ? undefined
        : await readMemberList(parts, stored, guildOf(res), req.query.list === 'hidden', Number(req.query.page));
      const shown = member ? [member.userId] : (list?.rows ?? []).map((row) => row.user_id);
      const pictures = await memberPictures(parts, res, guildOf(res), shown);
      const data = { title: 'Members', id, member, list, pictures, notice, problem };
      views.send(res, 'members', data, problem === '' ? 200 : 404);
    });

    const exportOnce = oneAtATime(
      'Already exporting',
      'The members of this guild are being exported already. Try again later.',
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
      const { done } = CHANGES[change];
      await auditLog.change(guildId, actorOf(req, res), `${done} the member ${userId}`, async () => {
        await writer[change](guildId, [userId]);
      });
      const query = new URLSearchParams({ done, ...(change !== 'remove' && { id: userId }) });
      res.redirect(303, `/guilds/${guildId}/members?${query}`);
    });
  },
};
