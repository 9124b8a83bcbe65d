import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Request, Response, Router } from 'express';
import * as z from 'zod';
import { digits, withNoun } from '../../core/format-numbers.ts';
import { formOf, parseForm, showProblem } from '../forms.ts';
import type { Parts } from '../guild-page.ts';
import { RefusedPage } from '../refused-page.ts';
import { sentence } from '../sentences.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { receiveUpload } from '../upload.ts';
import { actorOf, guildOf, sessionOf } from '../visit.ts';
import { reasonField } from './correct-form.ts';
import { type CorrectionList, CorrectionLists, type ListRun } from './correction-lists.ts';
import { MAX_LISTED } from './read-list.ts';

/** Path of the form with a file, below a guild. */
export const LIST_UPLOAD = '/members/list';

/** Largest file, in MB. */
const MAX_MB = 2;

const startForm = z.object({ id: z.string(), reason: reasonField });

/**
 * Adds the page that changes many members by a CSV file. It first shows what the file will do, offers the earlier values as a file, and then makes
 * the changes. Other people who are signed in to the guild do not see the file.
 */
export function addListOfCorrections(router: Router, parts: Parts): void {
  const { auditLog, views } = parts;
  const lists = new CorrectionLists(parts);
  let folder: string | undefined;
  const ownerOf = (res: Response): string => `${guildOf(res)} ${sessionOf(res).id}`;
  const pathOf = (res: Response): string => `/guilds/${guildOf(res)}${LIST_UPLOAD}`;

  const sendList = (res: Response, problem = ''): void => {
    const list = lists.of(ownerOf(res));
    const title = list && !list.run ? 'Check the changes' : 'Change members by a file';
    const data = { title, list, most: MAX_LISTED, megabytes: MAX_MB, problem };
    views.send(res, list ? 'correct-list-check' : 'correct-list', data, problem === '' ? 200 : 400);
  };
  const sendFile = (res: Response, name: string, textOf: (list: CorrectionList) => string): void => {
    const list = lists.of(ownerOf(res));
    if (!list) throw new RefusedPage(404, 'No such file', 'Your file is not kept any more: choose it again.');
    res.attachment(name).type('text/csv').send(textOf(list));
  };

  router.get('/members/list', (_req, res) => sendList(res));
  router.get('/members/list/earlier.csv', (_req, res) =>
    sendFile(res, `${guildOf(res)}-earlier.csv`, ({ earlier }) => earlier),
  );
  router.get('/members/list/refused.csv', (_req, res) => sendFile(res, 'refused.csv', ({ refused }) => refused));

  router.post(LIST_UPLOAD, async (req, res) => {
    folder ??= temporaryFolder();
    const path = join(folder, randomUUID());
    const show = (problem: string): void => {
      const waiting = lists.of(ownerOf(res));
      sendList(res, sentence(problem) + (waiting ? ` Below is "${waiting.name}", which you sent before.` : ''));
    };
    const receive = async (): Promise<void> => {
      const { files } = await receiveUpload(req, res, () => path, { maxBytes: MAX_MB * 1024 * 1024 });
      await lists.add(ownerOf(res), guildOf(res), path, files[0]?.name || 'The file');
      res.redirect(303, pathOf(res));
    };
    await showProblem(show, receive).finally(() => rm(path, { force: true }));
  });

  router.post('/members/list/start', (req, res) =>
    showProblem(
      (problem) => sendList(res, problem),
      async () => {
        const { id, reason } = parseForm(startForm, formOf(req));
        const change = (list: CorrectionList, make: () => Promise<ListRun>) => log(req, res, list, reason, make);
        await lists.run(ownerOf(res), guildOf(res), id, change);
        res.redirect(303, pathOf(res));
      },
    ),
  );

  router.post('/members/list/discard', (_req, res) => {
    lists.discard(ownerOf(res));
    res.redirect(303, pathOf(res));
  });

  /** Makes the changes of a list. The audit log gets an entry before them, and an entry after them that says how the run ended. */
  const log = async (
    req: Request,
    res: Response,
    { name, preview }: CorrectionList,
    reason: string,
    make: () => Promise<ListRun>,
  ): Promise<void> => {
    const guildId = guildOf(res);
    const actor = actorOf(req, res);
    const all = withNoun(preview.corrections.length, 'member');
    const begin = `Began to change ${all}${reason && ` (${reason})`} by "${name}"`;
    const { done, passedOver, problem } = await auditLog.change(guildId, actor, begin, make);
    const end = problem && `: ${problem}`;
    await auditLog.note(guildId, actor, `Changed ${digits(done - passedOver)} of ${all} by "${name}"${end}`, 'data');
  };
}
