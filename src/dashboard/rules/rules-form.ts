import { InvalidInputError } from '../../core/errors.ts';
import { MAX_COOLDOWN_MS, type XpAmount } from '../../core/members/limits.ts';
import { parseRules } from '../../core/rules/parse-rules.ts';
import type { Reward, Rules } from '../../core/rules/rules-document.ts';
import { CHANNEL, factorsIn, idsIn, numberOr, ROLE, rewardsIn } from './rules-lines.ts';

/** The fields of the form of rules, each as a text. A box that is not checked is left out. */
export type RulesFields = Readonly<Record<string, string>>;

/** Who gains XP in voice all the same: the boxes of the form, with their texts. */
export const VOICE_BOXES = {
  alone: 'alone in the channel',
  deafened: 'deafened',
  muted: 'muted',
  afk: 'in the channel for absent members',
} as const;

const MAX_COOLDOWN_S = MAX_COOLDOWN_MS / 1000;

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
    rewards: rewards.map(lineOfReward).join('\n'),
  };
}

function lineOfReward({ level, role, kept }: Reward): string {
  const line = `${level} ${role}`;
  return kept ? line : `${line} replaced`;
}

/** The texts of the fields that hold one value, by their paths in the document. */
const FIELDS: Readonly<Record<string, string>> = {
  'message.xp': 'Messages, XP',
  'message.xp.min': 'Messages, XP, at least',
  'message.xp.max': 'Messages, XP, at most',
  'message.min_chars': 'Characters that one needs',
  'voice.xp': 'Voice, XP of a tick',
  'voice.xp.min': 'Voice, XP of a tick, at least',
  'voice.xp.max': 'Voice, XP of a tick, at most',
  'multipliers.role_stacking': 'Several roles of a member',
  'multipliers.stacking': 'Roles and channel together',
};

/** Returns the document of rules that the fields of the form make. @throws InvalidInputError which names the first wrong field, and its line. */
export function documentOfFields(fields: RulesFields): object {
  const text = (name: string): string => (fields[name] ?? '').trim();
  const names = new Map(Object.entries(FIELDS));
  const amount = (name: string): unknown => {
    const min = numberOr(text(`${name}_min`));
    const max = numberOr(text(`${name}_max`));
    if (typeof min === 'number' && typeof max === 'number' && min > max) {
      const field = FIELDS[`${name}.xp.min`];
      throw new InvalidInputError(`${field}: ${min} is above ${max}, the most that one gives`);
    }
    return min === max ? min : { min, max };
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
    no_xp: {
      roles: idsIn(ROLE, 'Roles without XP', text('no_xp_roles')),
      channels: idsIn(CHANNEL, 'Channels without XP', text('no_xp_channels')),
    },
    multipliers: {
      roles: factorsIn(ROLE, 'Multipliers of roles', text('role_multipliers'), names),
      channels: factorsIn(CHANNEL, 'Multipliers of channels', text('channel_multipliers'), names),
      role_stacking: text('role_stacking') || undefined,
      stacking: text('stacking') || undefined,
    },
    rewards: rewardsIn(text('rewards'), names),
  };
  try {
    parseRules(document);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    // The parser names a value by its path in the document, which the form does not show.
    throw new InvalidInputError(error.message.replace(/^\S+/, (path) => names.get(path) ?? path));
  }
  return document;
}

function ends(name: string, xp: XpAmount): RulesFields {
  const { min, max } = typeof xp === 'number' ? { min: xp, max: xp } : xp;
  return { [`${name}_min`]: String(min), [`${name}_max`]: String(max) };
}

function milliseconds(seconds: string): unknown {
  if (seconds === '') return undefined;
  if (/^\d{1,8}(\.\d{1,3})?$/.test(seconds) && Number(seconds) <= MAX_COOLDOWN_S)
    return Math.round(Number(seconds) * 1000);
  throw new InvalidInputError(
    `Seconds between two that count must be a number from 0 to ${MAX_COOLDOWN_S} with three decimals at most, not "${seconds.slice(0, 80)}"`,
  );
}
