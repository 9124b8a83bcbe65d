import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Request, Response, Router } from 'express';
import { withNoun } from '../../core/format-numbers.ts';
import { parseRules } from '../../core/rules/parse-rules.ts';
import type { Rules } from '../../core/rules/parsed-rules.ts';
import { rulesOfExport, sourceOfRules } from '../../imports/export-rules.ts';
import { checkNesting } from '../../imports/nesting.ts';
import { readRulesFile } from '../../imports/read-rules-file.ts';
import { formOf, MAX_FORM_KB, showProblem } from '../forms.ts';
import type { Parts } from '../guild-page.ts';
import { inTurn, oneAtATime } from '../one-at-a-time.ts';
import { ask, isAnswered } from '../questions.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { receiveUpload } from '../upload.ts';
import { guildOf } from '../visit.ts';
import { RULES_PATH } from './rules-page.ts';
import { ChangedMeanwhile, jsonOf, readStoredRules, saveRules } from './stored-rules.ts';

const PATH = `${RULES_PATH}/json`;
/** Path of the form with a file, below a guild. */
export const RULES_UPLOAD = `${RULES_PATH}/file`;

/** Largest file. The export of a bot contains its members too, and its whole text is in memory. */
const MAX_FILE = 8 * 1024 * 1024;

const NOTICES: ReadonlyMap<string, string> = new Map([
  ['saved', 'Saved. Your bot follows the rules within a minute or so.'],
  ['removed', 'The rules are removed. Your bot decides by itself now.'],
]);

/** The messages and the entered text that the page shows beside the stored rules. */
interface Shown {
  readonly notice?: string;
  readonly problem?: string;
  /** A text that is not saved. */
  readonly json?: string;
}

/** Adds the page with all rules as JSON. It also reads rules from a file, and shows them before they are saved. */
export function addRulesFile(router: Router, parts: Parts): void {
  const readOnce = oneAtATime(
    'Already reading',
    'A file of this server is being read already. Try again in a moment.',
    5,
  );
  const readInTurn = inTurn();
  let folder: string | undefined;

  /** Runs `work`. If it is refused, shows the page again with the input. */
  const orShow = (res: Response, shown: Shown, work: () => Promise<void>): Promise<void> =>
    showProblem((problem, error) => {
      const status = error instanceof ChangedMeanwhile ? 409 : 400;
      return sendDocument(parts, res, { ...shown, problem }, status);
    }, work);

  router.get(PATH, (req, res) => sendDocument(parts, res, { notice: NOTICES.get(String(req.query.done)) ?? '' }));
  router.post(PATH, async (req, res) => {
    const { json = '' } = formOf(req);
    await orShow(res, { json }, async () => {
      checkNesting(json, 'The text');
      const rules = parseRules(json);
      const document = JSON.parse(json);
      if (await asksToReplace(parts, req, res, { document, rules })) return;
      await saveRules(parts, req, res, () => document);
      res.redirect(303, `/guilds/${guildOf(res)}${PATH}?done=saved`);
    });
  });
  router.post(`${RULES_PATH}/remove`, (req, res) =>
    orShow(res, {}, async () => {
      if (await asksToReplace(parts, req, res, null)) return;
      await saveRules(parts, req, res, () => null);
      res.redirect(303, `/guilds/${guildOf(res)}${PATH}?done=removed`);
    }),
  );

  router.post(RULES_UPLOAD, async (req, res) => {
    folder ??= temporaryFolder();
    const path = join(folder, randomUUID());
    const read = async (): Promise<void> => {
      const { files } = await receiveUpload(req, res, () => path, { maxBytes: MAX_FILE });
      const [{ name } = { name: '' }] = files;
      const { json, notices } = await readInTurn('all guilds', () => readRules(path));
      const begin = `These are the rules in ${name}. Nothing is saved yet: look at them, and save them.`;
      const further = notices.map((line) => ` Note: ${line}.`).join('');
      await sendDocument(parts, res, { json, notice: begin + further });
    };
    await orShow(res, {}, () => readOnce(guildOf(res), read)).finally(() => rm(path, { force: true }));
  });
}

/** Asks before the stored rules are replaced or removed. @param next the new rules; null to remove the rules. @returns whether it has asked. */
async function asksToReplace(
  parts: Parts,
  req: Request,
  res: Response,
  next: { readonly document: object; readonly rules: Rules } | null,
): Promise<boolean> {
  const guildId = guildOf(res);
  const { rules, json, version, problem } = await readStoredRules(parts, guildId);
  const isSame = json === (next ? jsonOf(next.document) : '');
  // No question if the form was made from other rules, because the save refuses it, or if the stored rules do not work, because nothing is lost.
  if (json === '' || isSame || problem !== '' || formOf(req).version !== version) return false;
  const present = contentsOf(rules);
  const question = {
    title: next ? 'Replace all rules?' : 'Remove all rules?',
    paragraphs: [
      next
        ? `The present rules have ${present}. The new rules have ${contentsOf(next.rules)}. You cannot undo this.`
        : `The rules have ${present}. You cannot undo this. Without rules, your bot decides by itself who earns how much XP, and gives no roles.`,
      'XP and levels that members have stay as they are. Keep a copy of the present rules, and you can save them here again.',
    ],
    presentRules: json,
    button: next ? 'Replace the rules' : 'Remove the rules',
    keep: 'Keep the present rules',
    back: `/guilds/${encodeURIComponent(guildId)}${PATH}`,
  };
  if (isAnswered(req, question)) return false;
  ask(parts, req, res, question);
  return true;
}

/** Returns in words what rules contain, such as "2 rewards, 1 multiplier, and 0 roles and 1 channel without XP". */
function contentsOf({ rewards, multipliers, noXp }: Rules): string {
  const factors = withNoun(multipliers.roles.size + multipliers.channels.size, 'multiplier');
  const excluded = `${withNoun(noXp.roles.length, 'role')} and ${withNoun(noXp.channels.length, 'channel')} without XP`;
  return `${withNoun(rewards.length, 'reward')}, ${factors}, and ${excluded}`;
}

async function sendDocument(parts: Parts, res: Response, shown: Shown, status = 200): Promise<void> {
  const { json, version, problem } = await readStoredRules(parts, guildOf(res));
  const data = {
    json,
    version,
    problem,
    ...shown,
    maxKb: MAX_FORM_KB,
    isChanged: status === 409,
    hasRules: json !== '',
  };
  parts.views.send(res, 'rules-file', { title: 'File and JSON', ...data }, status);
}

/** Reads a document of rules, or the export of a bot, for the page. The text of one file at a time is in memory. @throws InvalidInputError */
async function readRules(path: string) {
  const document = await readRulesFile(path, 'The file', MAX_FILE);
  const source = sourceOfRules(document);
  const { rules, notices } = source ? rulesOfExport(source, document, 'The file') : { rules: document, notices: [] };
  parseRules(rules);
  return { json: jsonOf(rules), notices };
}
