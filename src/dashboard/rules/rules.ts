import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Request, Response, Router } from 'express';
import { InvalidInputError } from '../../core/errors.ts';
import { parseRules } from '../../core/rules/parse-rules.ts';
import { readDocument } from '../../imports/document.ts';
import { rulesOfExport, sourceOfRules } from '../../imports/export-rules.ts';
import { checkNesting } from '../../imports/nesting.ts';
import { formOf, showProblem } from '../forms.ts';
import type { Parts } from '../guild-page.ts';
import { inTurn, oneAtATime } from '../one-at-a-time.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { receiveUpload } from '../upload.ts';
import { actorOf, guildOf } from '../visit.ts';
import { documentOfFields, fieldsOfRules } from './rules-form.ts';
import { jsonOf, rulesText, type ShownRules, sendRules, storedRules, versionOf } from './rules-view.ts';

/** Path of the form with a file, below a guild. */
export const RULES_UPLOAD = '/settings/rules/file';

/** Largest file. The export of a bot has its members too, and its text is read at once. */
const MAX_FILE = 8 * 1024 * 1024;

/** A save of a form that was made from other rules than those that are stored. */
class ChangedMeanwhile extends InvalidInputError {}

const CHANGED =
  'The rules were changed meanwhile, and nothing was saved. Your input is still here: a second save replaces the present rules with it.';

const NOTICES: ReadonlyMap<string, string> = new Map([
  ['saved', 'The rules are saved. The bot follows them within a minute or so.'],
  ['removed', 'The guild has no rules now.'],
]);

/** Adds the page of the rules of XP and roles: a form, the same as JSON, and the rules of a file, which are shown before they are saved. */
export function addRules(router: Router, parts: Parts): void {
  const { guildConfig, auditLog } = parts;
  const readOnce = oneAtATime(
    'Already reading',
    'A file of this guild is being read already. Try again in a moment.',
    5,
  );
  const saveInTurn = inTurn();
  const readInTurn = inTurn();
  let folder: string | undefined;

  const save = (req: Request, res: Response, document: object | null): Promise<void> => {
    const guildId = guildOf(res);
    const text = document && JSON.stringify(document);
    return saveInTurn(guildId, async () => {
      const present = await rulesText(parts, guildId);
      // A form that is sent twice has changed nothing the second time.
      if (present !== text && versionOf(present) !== formOf(req).version) throw new ChangedMeanwhile(CHANGED);
      const what = text ? 'Saved the rules of XP and roles' : 'Removed the rules of XP and roles';
      await auditLog.change(guildId, actorOf(req, res), what, () => guildConfig.setRules(guildId, text));
      res.redirect(303, `/guilds/${guildId}/settings/rules?done=${text ? 'saved' : 'removed'}`);
    });
  };
  /** Runs `work`, and shows the page again, with its input, if that is refused. */
  const orShow = (res: Response, shown: Partial<ShownRules>, work: () => Promise<void>): Promise<void> =>
    showProblem(async (problem, error) => {
      const status = error instanceof ChangedMeanwhile ? 409 : 400;
      const stored = await storedRules(parts, guildOf(res));
      sendRules(parts, res, { ...stored, ...shown, problem }, status);
    }, work);

  router.get('/settings/rules', async (req, res) => {
    const notice = NOTICES.get(String(req.query.done)) ?? '';
    sendRules(parts, res, { notice, ...(await storedRules(parts, guildOf(res))) });
  });
  router.post('/settings/rules', async (req, res) => {
    const fields = formOf(req);
    await orShow(res, { fields }, () => save(req, res, documentOfFields(fields)));
  });
  router.post('/settings/rules/json', async (req, res) => {
    const { json = '' } = formOf(req);
    await orShow(res, { json }, async () => {
      checkNesting(json, 'The text');
      parseRules(json);
      await save(req, res, JSON.parse(json));
    });
  });
  router.post('/settings/rules/remove', (req, res) => orShow(res, {}, () => save(req, res, null)));

  router.post(RULES_UPLOAD, async (req, res) => {
    folder ??= temporaryFolder();
    const path = join(folder, randomUUID());
    const read = async (): Promise<void> => {
      const { files } = await receiveUpload(req, res, () => path, { maxBytes: MAX_FILE });
      const [{ name } = { name: '' }] = files;
      const { fields, json, notices } = await readInTurn('all guilds', () => readRules(path));
      const begin = `This is what ${name} has. Nothing is saved yet: look at it, and save the rules.`;
      const further = notices.map((line) => ` Note: ${line}.`).join('');
      const version = versionOf(await rulesText(parts, guildOf(res)));
      sendRules(parts, res, { fields, json, version, notice: begin + further });
    };
    await orShow(res, {}, () => readOnce(guildOf(res), read)).finally(() => rm(path, { force: true }));
  });
}

/** Reads a document of rules, or the export of a bot, for the page. The text of one file at a time is in memory. @throws InvalidInputError */
async function readRules(path: string) {
  const document = await readDocument(path, 'The file', MAX_FILE);
  const source = sourceOfRules(document);
  const { rules, notices } = source ? rulesOfExport(source, document, 'The file') : { rules: document, notices: [] };
  return { fields: fieldsOfRules(parseRules(rules)), json: jsonOf(rules), notices };
}
