import type { Response } from 'express';
import * as z from 'zod';
import { CURVE_NAMES } from '../../core/ranking/curves.ts';
import { FORMAT_NAMES } from '../../imports/formats.ts';
import { LEVEL_CHOICES } from '../../imports/levels.ts';
import { formOf, parseForm, showProblem } from '../forms.ts';
import type { GuildPage, Parts } from '../guild-page.ts';
import { Refusal } from '../refusal.ts';
import { sentence } from '../sentences.ts';
import { receiveUpload } from '../upload.ts';
import { actorOf, guildOf } from '../visit.ts';

/** Seconds after which the page of a load that runs is loaded again. */
const REFRESH_S = '1';
/** Largest file, in MB. */
const MAX_MB = 50;

/** Returns the parser of a field that is one of the names, or empty. */
const anyOf = <T extends string>(names: readonly T[]) =>
  z
    .string()
    .default('')
    .refine((name) => ['', ...names].includes(name), { error: `Choose one of ${names.join(', ')}` })
    .transform((name) => (name === '' ? undefined : (name as T)));
const choiceForm = z.object({ format: anyOf(FORMAT_NAMES), curve: anyOf(CURVE_NAMES) });
const startForm = z
  .object({
    id: z.string(),
    mode: z.enum(['load', 'replace'], { error: 'Choose to load or to replace' }),
    confirm: z.string().default(''),
    levels: anyOf(LEVEL_CHOICES),
  })
  .refine(({ mode, confirm }) => mode === 'load' || confirm === 'yes', {
    error: 'Check the box to replace all members',
  });

/** Members of a file: first what would be loaded, then the load. */
export const importPage: GuildPage = {
  path: '/import',
  label: 'Import',
  uploads: ['/import'],
  addTo(router, parts) {
    const { auditLog, imports } = parts;

    router.get('/import', async (_req, res) => {
      await imports.dropOld(guildOf(res));
      sendState(parts, res);
    });

    router.post('/import', (req, res) => {
      const guildId = guildOf(res);
      const receive = async (path: string, signal: AbortSignal) => {
        const { fields, name } = await receiveUpload(req, res, path, MAX_MB * 1024 * 1024, signal);
        return { ...parseForm(choiceForm, fields), name: name || 'file' };
      };
      const show = (problem: string) => {
        const { checked } = imports.of(guildId);
        const waiting = checked ? ` Below is "${checked.name}", which you sent before.` : '';
        sendState(parts, res, sentence(problem) + waiting);
      };
      return showProblem(show, async () => {
        await imports.add(guildId, receive);
        res.redirect(303, `/guilds/${guildId}/import`);
      });
    });

    router.post('/import/start', (req, res) => {
      const guildId = guildOf(res);
      const show = (problem: string) => sendState(parts, res, problem);
      return showProblem(show, async () => {
        const { id, mode, levels } = parseForm(startForm, formOf(req));
        const { checked } = imports.of(guildId);
        if (checked?.id !== id) {
          const message = 'This is not the file that was checked last. Look at the import again.';
          throw new Refusal(409, 'Another file', message);
        }
        const replace = mode === 'replace';
        const actor = actorOf(req, res);
        const log = (what: string) => auditLog.note(guildId, actor, what, 'data');
        const onCurve = checked.curve ? ` with the curve ${checked.curve}` : '';
        const what = `Began to ${replace ? 'replace all members by' : 'load'} "${checked.name}"${onCurve}`;
        const start = () => imports.start(guildId, id, { replace, levels }, log);
        await auditLog.change(guildId, actor, what, start);
        res.redirect(303, `/guilds/${guildId}/import`);
      });
    });

    router.post('/import/stop', (_req, res) => {
      imports.stop(guildOf(res));
      res.redirect(303, `/guilds/${guildOf(res)}/import`);
    });
    router.post('/import/discard', async (_req, res) => {
      await imports.discard(guildOf(res));
      res.redirect(303, `/guilds/${guildOf(res)}/import`);
    });
  },
};

/** Shows the form, the file that was checked, or the load. */
function sendState({ views, imports }: Parts, res: Response, problem = ''): void {
  const { checked, run } = imports.of(guildOf(res));
  const status = problem === '' ? 200 : 400;
  if (checked) {
    views.send(res, 'import-check', { title: 'Check the import', checked, problem }, status);
  } else if (run) {
    const isRunning = imports.isRunning(guildOf(res));
    if (isRunning) res.set('Refresh', REFRESH_S);
    views.send(res, 'import-run', { title: 'Import', run, isRunning, problem }, status);
  } else {
    const choices = { formats: FORMAT_NAMES, curves: CURVE_NAMES, megabytes: MAX_MB };
    views.send(res, 'import', { title: 'Import', ...choices, problem }, status);
  }
}
