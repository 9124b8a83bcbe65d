import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { InvalidInputError } from '../../core/errors.ts';
import { parseRules } from '../../core/rules/parse-rules.ts';
import { MAX_FORM_KB } from '../forms.ts';
import type { Parts } from '../guild-page.ts';
import { fieldsOfRules, type RulesFields, STACKINGS, VOICE_BOXES } from './rules-form.ts';

/** What the page of the rules shows. */
export interface ShownRules {
  readonly notice?: string;
  readonly problem?: string;
  /** Fields of the form, and the text of the rules as JSON. */
  readonly fields: RulesFields;
  readonly json: string;
  /** Stands for the rules that are stored now. A save of others than those is refused. */
  readonly version: string;
}

/** Returns the rules that are stored, as JSON; null for none. */
export async function rulesText({ client, redisKeys }: Parts, guildId: string): Promise<string | null> {
  return (await client.hget(redisKeys.guild(guildId).config, 'rules')) || null;
}

/** Returns a short text that stands for rules. */
export function versionOf(text: string | null): string {
  return createHash('sha256')
    .update(text ?? '')
    .digest('hex')
    .slice(0, 16);
}

/** Returns the rules that are stored, as the page shows them; the defaults of a document without fields if there are none. */
export async function storedRules(parts: Parts, guildId: string): Promise<ShownRules> {
  const text = await rulesText(parts, guildId);
  const version = versionOf(text);
  if (!text) return { fields: fieldsOfRules(parseRules({})), json: '', version };
  try {
    return { fields: fieldsOfRules(parseRules(text)), json: jsonOf(JSON.parse(text)), version };
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    // Somebody wrote them past the checks.
    const problem = `The stored rules do not work: ${error.message}. Save others.`;
    return { fields: fieldsOfRules(parseRules({})), json: text, version, problem };
  }
}

/** Answers with the page. */
export function sendRules(
  { views }: Parts,
  res: Response,
  shown: ShownRules,
  status = shown.problem ? 400 : 200,
): void {
  const choices = { voiceBoxes: Object.entries(VOICE_BOXES), stackings: Object.entries(STACKINGS), maxKb: MAX_FORM_KB };
  views.send(res, 'rules', { title: 'XP rules and roles', isChanged: status === 409, ...shown, ...choices }, status);
}

/** Returns a document as a person reads it. */
export function jsonOf(document: unknown): string {
  return JSON.stringify(document, null, 2);
}
