import { InvalidInputError } from '../../core/errors.ts';
import { MAX_COOLDOWN_MS, type XpAmount } from '../../core/members/gain-limits.ts';
import type { Rules } from '../../core/rules/parsed-rules.ts';
import type { FormValues } from '../forms.ts';
import { FieldCheck } from './field-check.ts';
import { rowsOf } from './row-changes.ts';
import { CHANNEL, type IdKind, ROLE } from './rules-lines.ts';

/** Boxes of the form, with their texts: members who gain XP in voice although they are muted, for example. */
export const VOICE_BOXES = {
  alone: 'Members who are alone in the channel',
  muted: 'Members who are muted',
  deafened: 'Members who are deafened',
  afk: 'Members in the channel for people who are away',
} as const;

/** How multipliers combine, with their texts. */
export const STACKINGS = {
  max: 'Only the greatest counts',
  sum: 'Add what each has above 1',
  product: 'Multiply them',
} as const;

/** What happens to the role of a reward when a member reaches the next reward. */
export const REWARD_ENDS = {
  kept: 'Members keep it',
  replaced: 'The next reward replaces it',
} as const;

const MAX_COOLDOWN_S = MAX_COOLDOWN_MS / 1000;

/** Returns how members earn XP by some rules, as the fields of the form. */
export function earningFields({ message, voice, noXp }: Rules): FormValues {
  const checked = Object.entries(voice.counts).filter(([, counts]) => counts);
  return {
    ...ends('message', message.xp),
    cooldown_s: [String(message.cooldownMs / 1000)],
    min_chars: [String(message.minChars)],
    ...ends('voice', voice.xp),
    ...Object.fromEntries(checked.map(([name]) => [name, ['on']])),
    no_xp_roles: noXp.roles,
    no_xp_channels: noXp.channels,
  };
}

/** Returns the rewards of some rules as the fields of the form. */
export function rewardFields({ rewards }: Rules): FormValues {
  return {
    reward_level: rewards.map(({ level }) => String(level)),
    reward_role: rewards.map(({ role }) => role),
    reward_end: rewards.map(({ kept }) => (kept ? 'kept' : 'replaced')),
  };
}

/** Returns the multipliers of some rules as the fields of the form. */
export function multiplierFields({ multipliers }: Rules): FormValues {
  const { roles, channels, roleStacking, stacking } = multipliers;
  return {
    role: [...roles.keys()],
    role_multiplier: [...roles.values()].map(String),
    channel: [...channels.keys()],
    channel_multiplier: [...channels.values()].map(String),
    role_stacking: [roleStacking],
    stacking: [stacking],
  };
}

/** Returns the part of a document of rules that the form about earning XP makes. @throws WrongFieldsError which names all wrong fields. */
export function earningOf(values: FormValues): object {
  const form = new FieldCheck(values);
  const message = form.amount('message', 'XP for a message');
  const voice = form.amount('voice', 'XP for a tick of voice');
  const part = {
    message: {
      xp: message,
      cooldown_ms: form.take('cooldown_s', 'The cooldown', milliseconds, (cooldown_ms) => ({
        message: { cooldown_ms },
      })),
      min_chars: form.number('min_chars', 'The shortest message', (min_chars) => ({ message: { min_chars } })),
    },
    voice: {
      xp: voice,
      counts: Object.fromEntries(Object.keys(VOICE_BOXES).map((name) => [name, values[name] !== undefined])),
    },
    no_xp: {
      roles: form.ids('no_xp_roles', ROLE),
      channels: form.ids('no_xp_channels', CHANNEL),
    },
  };
  form.end();
  return part;
}

/** Returns the part of a document of rules that the form of rewards makes. Empty rows are left out. @throws WrongFieldsError which names all wrong fields. */
export function rewardsOf(values: FormValues): object {
  const form = new FieldCheck(values);
  const seen = new Set<string>();
  const rewards = rowsOf(values, ['reward_level', 'reward_role', 'reward_end']).flatMap(
    ([levelText, roleText, end], i) => {
      if (levelText === '' && roleText === '') return [];
      const level = form.number(
        `reward_level.${i}`,
        'The level',
        (level) => ({ rewards: [{ level, role: '1' }] }),
        levelText,
      );
      const role = form.id(`reward_role.${i}`, ROLE, roleText);
      const pair = `${level} ${role}`;
      if (seen.has(pair)) form.fail(`reward_level.${i}`, `Level ${level} gives this role already`);
      seen.add(pair);
      return [{ level, role, kept: end !== 'replaced' }];
    },
  );
  form.end();
  return { rewards };
}

/** Returns the part of a document of rules that the form of multipliers makes. Empty rows are left out. @throws WrongFieldsError which names all wrong fields. */
export function multipliersOf(values: FormValues): object {
  const form = new FieldCheck(values);
  const factors = (kind: IdKind) => {
    const { name } = kind;
    const found = new Map<string, unknown>();
    rowsOf(values, [name, `${name}_multiplier`]).forEach(([idText, text], i) => {
      if (idText === '' && text === '') return;
      const id = form.id(`${name}.${i}`, kind, idText);
      if (found.has(id)) form.fail(`${name}.${i}`, `This ${name} has a multiplier already`);
      const wrap = (factor: unknown) => ({ multipliers: { roles: { 1: factor } } });
      found.set(id, form.number(`${name}_multiplier.${i}`, 'The multiplier', wrap, text));
    });
    return Object.fromEntries(found);
  };
  const part = {
    multipliers: {
      roles: factors(ROLE),
      channels: factors(CHANNEL),
      role_stacking: form.take('role_stacking', 'This', String, (role_stacking) => ({
        multipliers: { role_stacking },
      })),
      stacking: form.take('stacking', 'This', String, (stacking) => ({ multipliers: { stacking } })),
    },
  };
  form.end();
  return part;
}

function ends(name: string, xp: XpAmount): FormValues {
  const { min, max } = typeof xp === 'number' ? { min: xp, max: xp } : xp;
  return { [`${name}_min`]: [String(min)], [`${name}_max`]: [String(max)] };
}

function milliseconds(seconds: string): number {
  if (/^\d{1,8}(\.\d{1,3})?$/.test(seconds) && Number(seconds) <= MAX_COOLDOWN_S)
    return Math.round(Number(seconds) * 1000);
  throw new InvalidInputError(
    `The cooldown must be a number of seconds from 0 to ${MAX_COOLDOWN_S} with at most three decimals, not "${seconds.slice(0, 80)}"`,
  );
}
