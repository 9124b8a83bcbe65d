import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { InvalidInputError } from '../../core/errors.ts';
import { parseRules } from '../../core/rules/parse-rules.ts';
import type { Rules } from '../../core/rules/parsed-rules.ts';
import { formOf } from '../forms.ts';
import type { Parts } from '../guild-page.ts';
import { inTurn } from '../one-at-a-time.ts';
import { actorOf, guildOf } from '../visit.ts';

/** The rules that are stored of a guild. */
export interface StoredRules {
  /** The rules as a document, which is empty if there are no rules or if they do not work. */
  readonly document: object;
  readonly rules: Rules;
  /** The rules as JSON for a person to read; "" for a guild without rules. */
  readonly json: string;
  /** A short text that identifies the stored rules. A form that was made from other rules is not saved. */
  readonly version: string;
  /** Why the stored rules do not work; "" if they do. */
  readonly problem: string;
}

/** A form is not saved, because it was made from other rules than the stored rules. */
export class ChangedMeanwhile extends InvalidInputError {}

const CHANGED =
  'Somebody changed the rules meanwhile, and nothing was saved. Your input is still here: save it again to put it in the place of the present rules';

/** Returns the stored rules as JSON; null for a guild without rules. */
async function rulesText({ client, redisKeys }: Parts, guildId: string): Promise<string | null> {
  return (await client.hget(redisKeys.guild(guildId).config, 'rules')) || null;
}

/** Returns a short text that identifies rules. */
function versionOf(text: string | null): string {
  return createHash('sha256')
    .update(text ?? '')
    .digest('hex')
    .slice(0, 16);
}

/** Reads the rules that are stored. O(1). @throws StoreUnavailableError */
export async function readStoredRules(parts: Parts, guildId: string): Promise<StoredRules> {
  const text = await rulesText(parts, guildId);
  const version = versionOf(text);
  const none = { document: {}, rules: parseRules({}), json: text ?? '', version };
  if (!text) return { ...none, problem: '' };
  try {
    const rules = parseRules(text);
    const document = JSON.parse(text);
    return { document, rules, json: jsonOf(document), version, problem: '' };
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    // A program has written rules to Redis without checking them.
    return { ...none, problem: `The stored rules do not work: ${error.message}. Save other rules in their place.` };
  }
}

const saveInTurn = inTurn();

/**
 * Stores rules, with an entry of the audit log. Saves of one guild come one after the other.
 * @param change returns the document to store, from the stored document; null to remove the rules.
 * @throws ChangedMeanwhile if other rules are stored than when the form was made. InvalidInputError for rules that do not work.
 */
export function saveRules(
  parts: Parts,
  req: Request,
  res: Response,
  change: (stored: object) => object | null,
): Promise<void> {
  const { guildConfig, auditLog } = parts;
  const guildId = guildOf(res);
  return saveInTurn(guildId, async () => {
    const stored = await readStoredRules(parts, guildId);
    const document = change(stored.document);
    if (document) parseRules(document);
    const text = document && JSON.stringify(document);
    // A form that is sent twice changes nothing the second time.
    if (versionOf(text) !== stored.version && stored.version !== formOf(req).version) {
      throw new ChangedMeanwhile(CHANGED);
    }
    const what = text ? 'Saved the rules of XP and roles' : 'Removed the rules of XP and roles';
    await auditLog.change(guildId, actorOf(req, res), what, () => guildConfig.setRules(guildId, text));
  });
}

/** Returns a document as a person reads it. */
export function jsonOf(document: unknown): string {
  return JSON.stringify(document, null, 2);
}
