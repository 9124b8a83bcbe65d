import type { Response } from 'express';
import * as z from 'zod';
import { InvalidInputError } from '../../core/errors.ts';
import { CURVE_NAMES } from '../../core/ranking/curves.ts';
import { FIELD_WORDS, type FieldWord } from '../../imports/fields.ts';
import { FORMAT_NAMES } from '../../imports/formats.ts';
import { LEVEL_CHOICES } from '../../imports/level-check.ts';
import { formOf, parseForm, showProblem } from '../forms.ts';
import type { GuildPage, Parts } from '../guild-page.ts';
import { CURVE_CHOICES } from '../levels/curve-names.ts';
import { RefusedPage } from '../refused-page.ts';
import { sentence } from '../sentences.ts';
import { receiveUpload } from '../upload.ts';
import { actorOf, guildOf } from '../visit.ts';

/** Seconds after which the page of a running import is loaded again. */
const REFRESH_S = '1';
/** Largest upload, in MB. */
const MAX_MB = 50;
const LIMITS = { maxBytes: MAX_MB * 1024 * 1024, maxFiles: 100 };
const FIELD_WORD_LIST = Object.keys(FIELD_WORDS) as readonly FieldWord[];
/** What the fields are called on the page, in their order there. */
const FIELD_LABELS: readonly (readonly [word: FieldWord, label: string])[] = [
  ['xp', 'XP'],
  ['id', 'User id'],
  ['name', 'Name'],
  ['level', 'Level'],
  ['streak', 'Daily streak'],
  ['claim', 'Last daily claim'],
  ['avatar', 'Avatar'],
  ['hidden', 'Hidden'],
  ['guild', 'Server'],
];

/** Returns the parser of a field that is one of the names, or empty. */
const anyOf = <T extends string>(names: readonly T[]) =>
  z
    .string()
    .default('')
    .refine((name) => ['', ...names].includes(name), { error: `Choose one of ${names.join(', ')}` })
    .transform((name) => (name === '' ? undefined : (name as T)));
const choiceForm = z.object({
  format: anyOf(FORMAT_NAMES),
  curve: anyOf(CURVE_NAMES),
});
/** Longest name of a field, as a form sends it back. */
const LONGEST_FIELD = 1000;
const fieldsForm = z.object({
  id: z.string(),
  ...Object.fromEntries(FIELD_WORD_LIST.map((word) => [`field_${word}`, z.string().max(LONGEST_FIELD).default('')])),
}) as unknown as z.ZodType<{ readonly id: string } & Readonly<Record<`field_${FieldWord}`, string>>>;
const otherFieldsForm = z.object({ id: z.string(), reading: z.coerce.number() });
const serverForm = z.object({ id: z.string(), source_guild: z.string().min(1, { error: 'Choose the server' }) });
const startForm = z
  .object({
    id: z.string(),
    mode: z.enum(['import', 'replace'], { error: 'Choose to import or to replace' }),
    confirm: z.string().default(''),
    levels: anyOf(LEVEL_CHOICES),
    rules: z.string().default(''),
  })
  .refine(({ mode, confirm }) => mode === 'import' || confirm === 'yes', {
    error: 'Check the box to replace all members',
  });

/** Imports the members of files: the pages show first what would be imported, and then the import. */
export const importPage: GuildPage = {
  path: '/import',
  label: 'Import',
  icon: 'upload',
  uploads: ['/import'],
  addTo(router, parts) {
    const { auditLog, imports } = parts;

    router.get('/import', async (_req, res) => {
      await imports.dropOld(guildOf(res));
      sendState(parts, res);
    });

    router.post('/import', (req, res) => {
      const guildId = guildOf(res);
      const receive = async (pathOf: (number: number) => string, signal: AbortSignal) => {
        const { fields, files } = await receiveUpload(req, res, pathOf, LIMITS, signal);
        const { format, curve } = parseForm(choiceForm, fields);
        const [first] = files;
        const name = files.length > 1 ? `${files.length} files` : first?.name || 'file';
        return { format, curve, name, files };
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

    router.post('/import/other-fields', (req, res) => {
      const guildId = guildOf(res);
      return showProblem(
        (problem) => sendState(parts, res, problem),
        async () => {
          const { id, reading } = parseForm(otherFieldsForm, formOf(req));
          await imports.askFields(guildId, id, reading);
          res.redirect(303, `/guilds/${guildId}/import`);
        },
      );
    });

    router.post('/import/fields', (req, res) => {
      const guildId = guildOf(res);
      return showProblem(
        (problem) => sendState(parts, res, problem),
        async () => {
          const form = parseForm(fieldsForm, formOf(req));
          const named = FIELD_WORD_LIST.map((word) => [word, form[`field_${word}`]] as const).filter(
            ([, name]) => name !== '',
          );
          if (!named.some(([word]) => word === 'xp')) throw new InvalidInputError('Choose the field with the XP');
          await imports.answer(guildId, form.id, { map: Object.fromEntries(named) });
          res.redirect(303, `/guilds/${guildId}/import`);
        },
      );
    });

    router.post('/import/server', (req, res) => {
      const guildId = guildOf(res);
      return showProblem(
        (problem) => sendState(parts, res, problem),
        async () => {
          const { id, source_guild: sourceGuild } = parseForm(serverForm, formOf(req));
          await imports.answer(guildId, id, { sourceGuild });
          res.redirect(303, `/guilds/${guildId}/import`);
        },
      );
    });

    router.get('/import/refused.csv', (_req, res) => {
      const { run } = imports.of(guildOf(res));
      if (!run?.summary) throw new RefusedPage(404, 'No such file', 'No import of this server has ended a moment ago.');
      res.attachment('refused.csv').type('text/csv').send(run.refusedCsv);
    });

    router.post('/import/start', (req, res) => {
      const guildId = guildOf(res);
      const show = (problem: string) => sendState(parts, res, problem);
      return showProblem(show, async () => {
        const { id, mode, levels, rules } = parseForm(startForm, formOf(req));
        const { checked } = imports.of(guildId);
        if (checked?.id !== id) {
          const message = 'This is not the file that was checked last. Look at the import again.';
          throw new RefusedPage(409, 'Another file', message);
        }
        const replace = mode === 'replace';
        const actor = actorOf(req, res);
        const log = (what: string) => auditLog.note(guildId, actor, what, 'data');
        const onCurve = checked.curve ? ` with the curve ${checked.curve}` : '';
        const what = `Began to ${replace ? 'replace all members by' : 'import'} "${checked.name}"${onCurve}`;
        const start = () => imports.start(guildId, id, { replace, levels, withRules: rules === 'yes' }, log);
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

/** Shows the form, the file that was checked, or the import. */
function sendState({ views, imports }: Parts, res: Response, problem = ''): void {
  const { unread, checked, run } = imports.of(guildOf(res));
  const status = problem === '' ? 200 : 400;
  if (unread?.guilds) {
    views.send(res, 'import-server', { title: 'Choose the server', unread, guilds: unread.guilds, problem }, status);
  } else if (unread) {
    const shown = { title: 'Name the fields', unread, words: FIELD_LABELS };
    views.send(res, 'import-fields', { ...shown, problem: problem || unread.problem }, status);
  } else if (checked) {
    views.send(res, 'import-check', { title: 'Check the import', checked, words: FIELD_LABELS, problem }, status);
  } else if (run) {
    const isRunning = imports.isRunning(guildOf(res));
    if (isRunning) res.set('Refresh', REFRESH_S);
    views.send(res, 'import-run', { title: 'Import', run, isRunning, problem }, status);
  } else {
    const choices = { formats: FORMAT_NAMES, curves: CURVE_CHOICES, megabytes: MAX_MB };
    views.send(res, 'import', { title: 'Import', ...choices, problem }, status);
  }
}
