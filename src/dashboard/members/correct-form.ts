import * as z from 'zod';
import { digits } from '../../core/format-numbers.ts';
import type { Corrected, Correction, XpCorrection } from '../../core/members/correct.ts';
import { MAX_XP } from '../../core/ranking/curves.ts';
import { isAbove, MAX_USERNAME_BYTES } from '../../core/text-bounds.ts';
import { choice } from '../forms.ts';

/** The most bytes of the reason of a change. They leave room for the change in the entry of the audit log. */
const MAX_REASON_BYTES = 120;

/** The choices for the XP, the level and the name; "" leaves the value as it is. */
const XP_CHOICES = { '': 'Leave as it is', add: 'Add', take: 'Take away', set: 'Set to' };
const LEVEL_CHOICES = { '': 'Leave as it is', set: 'Set to', none: 'Let it follow XP' };
const NAME_CHOICES = { '': 'Leave as it is', set: 'Change to', none: 'Remove, and show the id' };
/** The choices of each field, for the page. */
export const CHOICES = { xp: XP_CHOICES, level: LEVEL_CHOICES, name: NAME_CHOICES };
type ValueField = keyof typeof CHOICES;

/** The change of a member that a person wants, and the reason. */
export interface CorrectionForm {
  /** Id of the correction. Each time that the page is shown, its form has a new id. */
  readonly once: string;
  readonly correction: Correction;
  readonly reason: string;
}

const text = z.string().trim().default('');

/** The parser of the reason of a change; "" for a change without a reason. */
export const reasonField = text.refine((reason) => !isAbove(reason, MAX_REASON_BYTES), {
  error: `The reason must have ${MAX_REASON_BYTES} bytes at most: shorten it`,
});

/** The form of a change of a member. A value without its choice is refused, and so is a choice without its value. */
export const correctionForm = z
  .object({
    id: z.string(),
    once: z.string().regex(/^[\w-]{43}$/, { error: 'Open this form again: it is not complete' }),
    xp_choice: choice(XP_CHOICES).default(''),
    xp: text,
    level_choice: choice(LEVEL_CHOICES).default(''),
    level: text,
    name_choice: choice(NAME_CHOICES).default(''),
    name: text,
    reason: reasonField,
  })
  .transform((form, context): CorrectionForm => {
    const refuse = (message: string, ...path: string[]): undefined =>
      void context.addIssue({ code: 'custom', message, path });
    /** Returns the value of a field whose choice needs a value. */
    const neededValue = (field: ValueField, label: string): string | undefined => {
      const chosen = form[`${field}_choice`];
      const value = form[field];
      if (chosen === '' && value !== '')
        return refuse(`${label}: choose what to do with ${value}, or leave it empty`, field);
      if (chosen === 'none' && value !== '') return refuse(`${label}: leave it empty to remove it, or set it`, field);
      if (chosen === '' || chosen === 'none') return undefined;
      return value === '' ? refuse(`${label}: enter a value, or leave it as it is`, field) : value;
    };
    const neededWhole = (field: ValueField, label: string): number | undefined => {
      const entered = neededValue(field, label);
      if (entered === undefined) return undefined;
      const number = Number(entered);
      if (/^\d{1,16}$/.test(entered) && number <= MAX_XP) return number;
      return refuse(`${label} must be a whole number from 0 to ${MAX_XP}, without separators`, field);
    };
    const amount = neededWhole('xp', 'XP');
    const level = neededWhole('level', 'Level');
    const name = neededValue('name', 'Name');
    if (isAbove(name ?? '', MAX_USERNAME_BYTES))
      refuse(`The name must have ${MAX_USERNAME_BYTES} bytes at most`, 'name');
    if (form.xp_choice === '' && form.level_choice === '' && form.name_choice === '' && context.issues.length === 0)
      refuse('Nothing was changed: choose what to do with XP, level or name');
    const correction: Correction = {
      userId: form.id,
      xp: xpCorrection(form.xp_choice, amount),
      level: form.level_choice === 'none' ? null : level,
      username: form.name_choice === 'none' ? null : name,
    };
    return { once: form.once, correction, reason: form.reason };
  });

function xpCorrection(chosen: keyof typeof XP_CHOICES, amount = 0): XpCorrection | undefined {
  if (chosen === 'set') return { set: amount };
  if (chosen === 'add') return { add: amount };
  return chosen === 'take' ? { take: amount } : undefined;
}

/** Returns a change in words, for the audit log. @param xpBefore XP of the member just before the change. */
export function describeCorrection(
  { userId, xp, level, username }: Correction,
  reason: string,
  xpBefore: number,
): string {
  const parts: string[] = [];
  if (xp) {
    if ('set' in xp) parts.push(`set the XP from ${digits(xpBefore)} to ${digits(xp.set)}`);
    else if ('add' in xp) parts.push(`added ${digits(xp.add)} XP to ${digits(xpBefore)}`);
    else parts.push(`took ${digits(xp.take)} XP of ${digits(xpBefore)}`);
  }
  if (level !== undefined) parts.push(level === null ? 'let the level follow XP' : `set the level to ${digits(level)}`);
  if (username !== undefined) parts.push(username === null ? 'removed the name' : `set the name to "${username}"`);
  return `Changed the member ${userId}${reason && ` (${reason})`}: ${parts.join(', ')}`;
}

/** Returns the undo of a change in words, for the audit log. */
export function describeUndo({ userId, xp, xpBefore, explicitLevel, username }: Corrected): string {
  const parts: string[] = [];
  if (xp > xpBefore) parts.push(`took ${digits(xp - xpBefore)} XP`);
  if (xp < xpBefore) parts.push(`gave ${digits(xpBefore - xp)} XP`);
  if (explicitLevel.before !== explicitLevel.after) parts.push('the level as before');
  if (username.before !== username.after) parts.push('the name as before');
  return `Undid a change of the member ${userId}: ${parts.join(', ') || 'nothing was left to undo'}`;
}
