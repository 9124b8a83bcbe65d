import * as z from 'zod';
import { InvalidInputError } from '../core/errors.ts';

/** Turns the rules in exports of other bots into a document of rules. `parseRules` checks its ids, multipliers and bounds. */

/** Bots whose exports have rules. */
export const RULE_SOURCES = ['polaris', 'lurkr', 'mee6'] as const;
/** The name of a bot of {@link RULE_SOURCES}. */
export type RuleSource = (typeof RULE_SOURCES)[number];

/** A document of rules, and lines about settings of the export that rules cannot express. */
export interface ExportedRules {
  readonly rules: object;
  readonly notices: readonly string[];
  /** The multiplier of all XP of the server, which is not part of the rules; undefined for 1. */
  readonly multiplier?: number;
}

/** Returns the bot whose export a document looks like; undefined when it looks like no export. */
export function sourceOfRules(document: unknown): RuleSource | undefined {
  const keys = Object.keys(Object(document));
  if (keys.includes('settings')) return 'polaris';
  if (keys.includes('role_rewards')) return 'mee6';
  return keys.includes('roleRewards') ? 'lurkr' : undefined;
}

/**
 * Returns the rules of an export: multipliers, reward roles, XP and cooldown of a message, and what gives no XP.
 * @param name of the file, for messages.
 * @throws InvalidInputError when the document is no export of the bot, or has no rules.
 */
export function rulesOfExport(source: RuleSource, document: unknown, name: string): ExportedRules {
  if (source === 'polaris') return ofPolaris(read(polarisExport, document, name));
  if (source === 'mee6') return ofMee6(read(mee6Page, document, name));
  return ofLurkr(read(lurkrPage, document, name), name);
}

const STACKING_OF_ROLES: Readonly<Record<string, string>> = { largest: 'max', add: 'sum', combine: 'product' };
const STACKING_OF_CHANNEL: Readonly<Record<string, string>> = { multiply: 'product', add: 'sum', largest: 'max' };

const boosts = z.array(z.object({ id: z.string(), boost: z.number() })).default([]);
/** A setting that is left out has Polaris's default. */
const polarisExport = z.object({
  settings: z.object({
    gain: z
      .object({ min: z.number().default(50), max: z.number().default(100), time: z.number().default(60) })
      .prefault({}),
    multipliers: z
      .object({
        roles: boosts,
        rolePriority: z.string().default('largest'),
        channels: boosts,
        channelStacking: z.string().default('multiply'),
      })
      .prefault({}),
    rewards: z
      .array(
        z.object({ id: z.string(), level: z.number(), keep: z.boolean().nullish(), noSync: z.boolean().nullish() }),
      )
      .default([]),
  }),
});

/** Returns the rules in the settings of Polaris, with a line for each setting that has no equal here. */
function ofPolaris({ settings: { gain, multipliers, rewards } }: z.output<typeof polarisExport>): ExportedRules {
  const { rolePriority, channelStacking } = multipliers;
  const notices: string[] = [];
  const stackingOf = (
    known: Readonly<Record<string, string>>,
    setting: string,
    value: string,
    unset: string,
  ): string => {
    const own = known[value];
    if (!own) notices.push(`${setting} "${value}" has no equal here: "${unset}" is used`);
    return own ?? unset;
  };
  const unsynced = rewards.filter(({ noSync }) => noSync).length;
  if (unsynced > 0)
    notices.push(`noSync has no equal here: rewards with it (${unsynced}) are given and taken as the others`);
  const banned = multipliers.roles.filter(({ boost }) => boost <= 0);
  const roles = multipliers.roles.filter(({ boost }) => boost > 0);
  const rules = {
    message: { xp: { min: gain.min, max: gain.max }, cooldown_ms: Math.round(gain.time * 1000) },
    ...(banned.length > 0 && { no_xp: { roles: banned.map(({ id }) => id) } }),
    multipliers: {
      roles: factorsOf(roles.map(({ id, boost }) => [id, boost])),
      // A multiplier of 0 does not become "no XP": a channel in a category with 0 can have a multiplier of its own.
      channels: factorsOf(multipliers.channels.map(({ id, boost }) => [id, boost])),
      role_stacking: stackingOf(STACKING_OF_ROLES, 'rolePriority', rolePriority, 'max'),
      stacking: stackingOf(STACKING_OF_CHANNEL, 'channelStacking', channelStacking, 'product'),
    },
    rewards: rewards.map(({ id, level, keep }) => ({ level, role: id, kept: keep === true })),
  };
  return { rules, notices };
}

const target = z.object({ id: z.string() });
const lurkrPage = z.object({
  multipliers: z
    .array(z.object({ multiplier: z.number(), targets: z.array(target).nullish(), type: z.string() }))
    .optional(),
  roleRewards: z.array(z.object({ level: z.number(), roles: z.array(target) })).optional(),
  xpGainInterval: z.number().optional(),
  xpGlobalMultiplier: z.number().optional(),
  xpPerMessageMax: z.number().optional(),
  xpPerMessageMin: z.number().optional(),
});

/** Returns the rules in a page of the API of Lurkr. @throws InvalidInputError when the page has none. */
function ofLurkr(page: z.output<typeof lurkrPage>, name: string): ExportedRules {
  const { multipliers = [], roleRewards = [], xpGainInterval, xpGlobalMultiplier = 1 } = page;
  const { xpPerMessageMin: min, xpPerMessageMax: max } = page;
  if (!page.multipliers && !page.roleRewards) {
    throw new InvalidInputError(
      `${name} has no rules, as the download of Lurkr's dashboard: save the leaderboard page of its API, https://api.lurkr.gg/v2/levels/GUILD`,
    );
  }
  const factors = (type: string) =>
    factorsOf(
      multipliers
        .filter((each) => each.type === type)
        .flatMap(({ multiplier, targets }) => (targets ?? []).map(({ id }) => [id, multiplier] as const)),
    );
  const rules = {
    message: {
      ...(min !== undefined && max !== undefined && { xp: { min, max } }),
      ...(xpGainInterval !== undefined && { cooldown_ms: xpGainInterval }),
    },
    multipliers: { roles: factors('Role'), channels: factors('Channel'), role_stacking: 'max', stacking: 'product' },
    rewards: roleRewards.flatMap(({ level, roles }) => roles.map(({ id }) => ({ level, role: id }))),
  };
  const notices = roleRewards.length > 0 ? ['the page does not say which rewards are replaced: all are kept'] : [];
  return withMultiplier(rules, notices, xpGlobalMultiplier);
}

const mee6Page = z.object({
  role_rewards: z.array(z.object({ rank: z.number(), role: z.object({ id: z.string() }) })).default([]),
  xp_per_message: z.tuple([z.number(), z.number()]).optional(),
  xp_rate: z.number().optional(),
});

/** MEE6 gives XP once a minute. */
const MEE6_COOLDOWN_MS = 60_000;

/** Returns the rules in a page of the API of MEE6. */
function ofMee6({ role_rewards, xp_per_message, xp_rate = 1 }: z.output<typeof mee6Page>): ExportedRules {
  const [min, max] = xp_per_message ?? [];
  const rules = {
    message: { ...(min !== undefined && { xp: { min, max } }), cooldown_ms: MEE6_COOLDOWN_MS },
    rewards: role_rewards.map(({ rank, role }) => ({ level: rank, role: role.id })),
  };
  const notices = role_rewards.length > 0 ? ['the page does not say which rewards are replaced: all are kept'] : [];
  return withMultiplier(rules, notices, xp_rate);
}

/** Returns rules with the multiplier of all XP, unless the multiplier is 1. */
function withMultiplier(rules: object, notices: readonly string[], multiplier: number): ExportedRules {
  return { rules, notices, ...(multiplier !== 1 && { multiplier }) };
}

/** Returns multipliers by id, with six decimals. If an id has several multipliers, the greatest counts, as with Lurkr. */
function factorsOf(pairs: readonly (readonly [id: string, factor: number])[]): Record<string, number> {
  const factors = new Map<string, number>();
  for (const [id, factor] of pairs) factors.set(id, Math.max(Number(factor.toFixed(6)), factors.get(id) ?? 0));
  return Object.fromEntries(factors);
}

/** Checks a document against the schema of a bot. @throws InvalidInputError that names the first wrong field. */
function read<T>(schema: z.ZodType<T>, document: unknown, name: string): T {
  const { data, error } = schema.safeParse(document);
  if (!error) return data;
  const [issue] = error.issues;
  throw new InvalidInputError(`${name}: ${issue?.path.join('.') || 'the document'}: ${issue?.message}`);
}
