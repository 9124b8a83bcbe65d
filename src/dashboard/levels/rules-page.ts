import type { Response, Router } from 'express';
import type { Rules } from '../../core/rules/parsed-rules.ts';
import { errorsOf, type FormErrors, type FormValues, MAX_FORM_KB, showProblem, valuesOf } from '../forms.ts';
import type { Parts } from '../guild-page.ts';
import { guildOf } from '../visit.ts';
import { type Choices, readChoices } from './choices.ts';
import { changedRows, type RowGroup } from './row-changes.ts';
import { ChangedMeanwhile, readStoredRules, saveRules } from './stored-rules.ts';

/** Most names in all lists of a page together. A page that would have more names takes ids instead, so that it stays small. */
const MAX_OFFERED = 20_000;

/** Path of the rules below a guild. */
export const RULES_PATH = '/settings/rules';

/** A page with a form that makes one part of the rules. */
export interface RulesPage {
  /** Path of the page and of its form, below a guild. */
  readonly path: string;
  /** Name of its template. */
  readonly template: string;
  readonly title: string;
  /** Rows that its buttons add, sort and remove. */
  readonly rows: Readonly<Record<string, RowGroup>>;
  /** Returns the fields of the form from rules. */
  fields(rules: Rules): FormValues;
  /** Returns the part of the document of rules that the form makes. @throws WrongFieldsError */
  part(values: FormValues): object;
  /** Returns what the template needs beside the fields of the form. */
  more?(context: RulesContext): Promise<object> | object;
}

/** The data from which a page of rules is made. */
export interface RulesContext {
  readonly parts: Parts;
  readonly guildId: string;
  /** The rules that are stored. */
  readonly rules: Rules;
  readonly choices: Choices;
  /** Fields of the address. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Fields of the form as they are shown. */
  readonly values: FormValues;
}

/** The messages and entered values that a page shows beside the stored rules. */
interface Shown {
  readonly notice?: string;
  readonly problem?: string;
  readonly errors?: FormErrors;
  /** Fields that were entered and are not saved. */
  readonly values?: FormValues | undefined;
  /** The version of the rules from which the fields were made, if it is not the present version. */
  readonly version?: string | undefined;
  /** Replaces the result of `more` of the page. */
  readonly more?: object;
}

/** Adds a page of rules: shows it, changes the rows of its form, and saves its part of the rules. */
export function addRulesPage(router: Router, parts: Parts, page: RulesPage): void {
  router.get(page.path, (req, res) =>
    sendRulesPage(parts, res, page, {
      notice: req.query.saved === '1' ? 'Saved. Your bot follows the rules within a minute or so.' : '',
    }),
  );
  router.post(page.path, (req, res) => {
    const values = valuesOf(req);
    const changed = changedRows(values, page.rows);
    if (changed) return sendRulesPage(parts, res, page, { values: changed, version: values.version?.[0] });
    const refuse = (problem: string, error: unknown) =>
      sendRulesPage(
        parts,
        res,
        page,
        { values, problem, errors: errorsOf(error) },
        error instanceof ChangedMeanwhile ? 409 : 400,
      );
    return showProblem(refuse, async () => {
      const part = page.part(values);
      await saveRules(parts, req, res, (stored) => ({ ...stored, ...part }));
      res.redirect(303, `/guilds/${guildOf(res)}${page.path}?saved=1`);
    });
  });
}

/** Answers with a page of rules. */
export async function sendRulesPage(
  parts: Parts,
  res: Response,
  page: RulesPage,
  shown: Shown,
  status = 200,
): Promise<void> {
  const guildId = guildOf(res);
  const [stored, choices] = await Promise.all([readStoredRules(parts, guildId), readChoices(parts, guildId)]);
  const { rules, version, problem } = stored;
  const { query } = res.req;
  const values = shown.values ?? page.fields(rules);
  const hasNames = choices.roles.length > 0 || choices.groups.length > 0;
  const isLong = Math.max(...Object.values(values).map(({ length }) => length)) * sizeOf(choices) > MAX_OFFERED;
  const context: RulesContext = { parts, guildId, rules, choices, query, values };
  const data = {
    title: page.title,
    version,
    problem,
    ...shown,
    values,
    choices,
    hasNames,
    isLong,
    byId: query.by === 'id' || !hasNames || isLong,
    action: `/guilds/${guildId}${page.path}`,
    maxKb: MAX_FORM_KB,
    isUnsaved: shown.values !== undefined && !shown.problem,
    isChanged: status === 409,
    ...(await page.more?.(context)),
    ...shown.more,
  };
  parts.views.send(res, page.template, data, status);
}

/** Returns how many roles and channels there are to choose from. */
function sizeOf({ roles, groups }: Choices): number {
  return groups.reduce((sum, { channels }) => sum + channels.length, roles.length);
}
