import type { Response, Router } from 'express';
import type * as z from 'zod';
import type { GuildConfigChange } from '../core/settings/guild-config.ts';
import { errorsOf, type FormErrors, formOf, parseForm, showProblem } from './forms.ts';
import type { Parts } from './guild-page.ts';
import { ask, isAnswered, type Question } from './questions.ts';
import { actorOf, guildOf } from './visit.ts';

/** The messages and entered values that a page with a form shows beside the stored values. */
export interface ShownForm {
  readonly notice?: string;
  readonly problem?: string;
  /** Messages about wrong fields, by the names of the fields. */
  readonly errors?: FormErrors;
  /** Fields of a refused form, which are shown again as they were entered. */
  readonly values?: Readonly<Record<string, string>>;
}

/** A form that changes the configuration of a guild, and the page that it stands on. */
interface ConfigForm {
  /** Path of the form below a guild. */
  readonly path: string;
  /** Path of its page. The browser comes back to it after a save. */
  readonly page: string;
  readonly schema: z.ZodType<{
    readonly change: GuildConfigChange;
    /** The change in words, for the audit log. */
    readonly what: string;
  }>;
  /** Returns the question to ask before a change that deletes or ends something; null for any other change. */
  question?(parts: Parts, guildId: string, change: GuildConfigChange): Promise<Question | null>;
  /** Answers with the page. */
  show(parts: Parts, res: Response, shown: ShownForm): Promise<void>;
}

/** Adds the route that saves a form. A form that is refused comes back with its input and the errors beside its fields. */
export function addConfigForm(router: Router, parts: Parts, form: ConfigForm): void {
  const { path, page, schema, show } = form;
  const { guildConfig, auditLog } = parts;
  router.post(path, (req, res) => {
    const guildId = guildOf(res);
    const values = formOf(req);
    const refuse = (problem: string, error: unknown) => show(parts, res, { problem, errors: errorsOf(error), values });
    return showProblem(refuse, async () => {
      const { change, what } = parseForm(schema, values);
      const question = await form.question?.(parts, guildId, change);
      if (question && !isAnswered(req, question)) return ask(parts, req, res, question);
      await auditLog.change(guildId, actorOf(req, res), what, () => guildConfig.update(guildId, change));
      res.redirect(303, `/guilds/${guildId}${page}?saved=1`);
    });
  });
}
