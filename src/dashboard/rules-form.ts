import { parseRules } from '../bot/parse-rules.ts';
import type { Rules, XpAmount } from '../bot/rules-document.ts';
import { InvalidInputError } from '../errors.ts';

/** The fields of the form of rules, each as a text. A box that is not checked is left out. */
export type RulesFields = Readonly<Record<string, string>>;

/** Who gains XP in voice all the same: the boxes of the form, with their texts. */
export const VOICE_BOXES = {
  alone: 'alone in the channel',
  deafened: 'deafened',
  muted: 'muted',
  afk: 'in the channel for absent members',
} as const;

/** How multipliers combine, with their texts. */
export const STACKINGS = {
  max: 'the greatest counts',
  sum: 'add what each has above 1',
  product: 'multiply them',
} as const;

/** Returns rules as the fields of the form. */
export function fieldsOfRules({ message, voice, noXp, multipliers, rewards }: Rules): RulesFields {
  const lines = (pairs: Iterable<readonly [string, number]>) => [...pairs].map((pair) => pair.join(' ')).join('\n');
  const checked = Object.entries(voice.counts).filter(([, counts]) => counts);
  return {
    ...ends('message', message.xp),
    cooldown_s: String(message.cooldownMs / 1000),
    min_chars: String(message.minChars),
    ...ends('voice', voice.xp),
    ...Object.fromEntries(checked.map(([name]) => [name, 'on'])),
    no_xp_roles: noXp.roles.join('\n'),
    no_xp_channels: noXp.channels.join('\n'),
    role_multipliers: lines(multipliers.roles),
    channel_multipliers: lines(multipliers.channels),
    role_stacking: multipliers.roleStacking,
    stacking: multipliers.stacking,
    rewards: rewards.map(({ level, role, kept }) => `${level} ${role}${kept ? '' : ' replaced'}`).join('\n'),
  };
}

/** Returns the document of rules that the fields of the form make. @throws InvalidInputError which names the first wrong field. */
export function documentOfFields(fields: RulesFields): object {
  const text = (name: string): string => (fields[name] ?? '').trim();
  const amount = (name: string): unknown => {
    const [min, max] = [text(`${name}_min`), text(`${name}_max`)];
    if (min === max) return numberOr(min);
    return { min: numberOr(min), max: numberOr(max) };
  };
  const document = {
    message: {
      xp: amount('message'),
      cooldown_ms: milliseconds(text('cooldown_s')),
      min_chars: numberOr(text('min_chars')),
    },
    voice: {
      xp: amount('voice'),
      counts: Object.fromEntries(Object.keys(VOICE_BOXES).map((name) => [name, fields[name] !== undefined])),
    },
    no_xp: { roles: idsIn(text('no_xp_roles')), channels: idsIn(text('no_xp_channels')) },
    multipliers: {
      roles: factorsIn('Multipliers of roles', text('role_multipliers')),
      channels: factorsIn('Multipliers of channels', text('channel_multipliers')),
      role_stacking: text('role_stacking') || undefined,
      stacking: text('stacking') || undefined,
    },
    rewards: linesOf(text('rewards')).map(rewardOf),
  };
  parseRules(document);
  return document;
}

function ends(name: string, xp: XpAmount): RulesFields {
  const { min, max } = typeof xp === 'number' ? { min: xp, max: xp } : xp;
  return { [`${name}_min`]: String(min), [`${name}_max`]: String(max) };
}

/** Returns the number that a text is; undefined for none. Another text stays, and the parser of rules names it. */
function numberOr(text: string): unknown {
  if (text === '') return undefined;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function milliseconds(seconds: string): unknown {
  return /^\d+(\.\d{1,3})?$/.test(seconds) ? Math.round(Number(seconds) * 1000) : numberOr(seconds);
}

function idsIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean);
}

/** Returns the lines that are not empty, each with its number and its words. */
function linesOf(text: string): { readonly line: number; readonly words: readonly string[] }[] {
  return text
    .split('\n')
    .map((each, i) => ({ line: i + 1, words: each.trim().split(/\s+/) }))
    .filter(({ words }) => words[0] !== '');
}

function factorsIn(label: string, text: string): Record<string, unknown> {
  const factors = new Map<string, unknown>();
  for (const { line, words } of linesOf(text)) {
    const [id = '', factor] = words;
    if (factor === undefined || words.length > 2)
      throw new InvalidInputError(`${label}, line ${line}: write an id and a number, such as 400000000000000003 1.5`);
    if (factors.has(id)) throw new InvalidInputError(`${label}, line ${line}: ${id} has a multiplier above already`);
    factors.set(id, numberOr(factor));
  }
  return Object.fromEntries(factors);
}

function rewardOf({ line, words }: ReturnType<typeof linesOf>[number]): object {
  const [level = '', role, how = 'kept'] = words;
  if (role === undefined || words.length > 3 || !['kept', 'replaced'].includes(how))
    throw new InvalidInputError(
      `Roles of levels, line ${line}: write a level and a role id, such as 5 400000000000000005, and then "replaced" if a member loses it at the next one`,
    );
  return { level: numberOr(level), role, kept: how === 'kept' };
}
