import { Random } from './samples.ts';

/** The cases of conformance/rules.json: XP and reward roles by rules, as a naive model computes them. */

type Json = Record<string, unknown>;

/** Documents of rules. Each field is left out by one of them at least. */
const DOCUMENTS: readonly Json[] = [
  {},
  { message: { xp: 10, cooldown_ms: 0, min_chars: 5 }, voice: { xp: { min: 1, max: 4 } } },
  { message: { xp: 0 }, voice: { xp: 7, counts: { alone: true, muted: true } } },
  { voice: { xp: 7, counts: { deafened: true, afk: true } }, no_xp: { roles: ['r1', 'r2'], channels: ['c1', 'cat2'] } },
  { multipliers: { roles: { r1: 2, r2: 1.5, r3: 0.5 }, channels: { c1: 3, cat1: 0.25, t1: 1.1 } } },
  ...['max', 'sum', 'product'].flatMap((roleStacking) =>
    ['max', 'sum', 'product'].map((stacking) => ({
      multipliers: {
        roles: { r1: 1.333333, r2: 0.666667, r3: 0.000001, r4: 2 },
        channels: { c1: 1.000001, cat1: 0.2, cat2: 500 },
        role_stacking: roleStacking,
        stacking,
      },
    })),
  ),
  { multipliers: { roles: { r1: 0, r2: 5 }, channels: { c1: 0, cat1: 2 }, role_stacking: 'max', stacking: 'max' } },
  { multipliers: { roles: { r1: 1000, r2: 1000, r3: 0.1, r4: 0.1 }, role_stacking: 'product' } },
  { multipliers: { roles: { r1: 0.3, r2: 0.4 }, channels: { c1: 0.3 }, role_stacking: 'sum', stacking: 'sum' } },
  {
    rewards: [
      { level: 5, role: 'r1' },
      { level: 10, role: 'r2', kept: false },
      { level: 10, role: 'r3', kept: true },
      { level: 20, role: 'r4', kept: false },
    ],
  },
  {
    rewards: [
      { level: 0, role: 'r1', kept: false },
      { level: 3, role: 'r2', kept: false },
      { level: 1, role: 'r3', kept: false },
      { level: 9, role: 'r1', kept: false },
    ],
  },
];

/** Documents that are refused, and the field that the message begins with. */
const REFUSED: readonly (readonly [unknown, string])[] = [
  [[], 'The rules'],
  [null, 'The rules'],
  [{ messages: {} }, 'messages'],
  [{ $schema: {} }, '$schema'],
  [{ message: 5 }, 'message'],
  [{ message: null }, 'message'],
  [{ message: { cooldown: 5 } }, 'message.cooldown'],
  [{ message: { xp: -1 } }, 'message.xp'],
  [{ message: { xp: 1.5 } }, 'message.xp'],
  [{ message: { xp: '15' } }, 'message.xp'],
  [{ message: { xp: 1_000_000_001 } }, 'message.xp'],
  [{ message: { xp: { min: 1 } } }, 'message.xp.max'],
  [{ message: { xp: { max: 1 } } }, 'message.xp.min'],
  [{ message: { xp: { min: 6, max: 5 } } }, 'message.xp.min'],
  [{ message: { xp: { min: 1, max: 2, mean: 1 } } }, 'message.xp.mean'],
  [{ message: { cooldown_ms: 31_536_000_001 } }, 'message.cooldown_ms'],
  [{ message: { min_chars: 10_001 } }, 'message.min_chars'],
  [{ voice: { counts: { idle: true } } }, 'voice.counts.idle'],
  [{ voice: { counts: { afk: 1 } } }, 'voice.counts.afk'],
  [{ no_xp: { roles: 'r1' } }, 'no_xp.roles'],
  [{ no_xp: { roles: ['r1', 5] } }, 'no_xp.roles[1]'],
  [{ no_xp: { channels: ['a b'] } }, 'no_xp.channels[0]'],
  [{ multipliers: { roles: [] } }, 'multipliers.roles'],
  [{ multipliers: { roles: { r1: '2' } } }, 'multipliers.roles.r1'],
  [{ multipliers: { roles: { r1: 1000.000001 } } }, 'multipliers.roles.r1'],
  [{ multipliers: { roles: { r1: 0.1234567 } } }, 'multipliers.roles.r1'],
  [{ multipliers: { channels: { c1: -1 } } }, 'multipliers.channels.c1'],
  [{ multipliers: { channels: { 'a b': 1 } } }, 'A key of multipliers.channels'],
  [{ multipliers: { stacking: 'add' } }, 'multipliers.stacking'],
  [{ multipliers: { role_stacking: 1 } }, 'multipliers.role_stacking'],
  [{ rewards: {} }, 'rewards'],
  [{ rewards: [{ role: 'r1' }] }, 'rewards[0].level'],
  [{ rewards: [{ level: 5 }] }, 'rewards[0].role'],
  [{ rewards: [{ level: 1_000_001, role: 'r1' }] }, 'rewards[0].level'],
  [{ rewards: [{ level: 5, role: 'r1', kept: 'yes' }] }, 'rewards[0].kept'],
  [{ rewards: [{ level: 5, role: 'r1', keep: true }] }, 'rewards[0].keep'],
];

const ROLES = ['r1', 'r2', 'r3', 'r4', 'other'];
const PLACES = [['c1', 'cat1'], ['c2', 'cat1'], ['t1', 'c1', 'cat2'], ['c3', 'cat2'], ['c4'], ['cat1']] as const;
const STATES = ['alone', 'deafened', 'muted', 'afk'];

/** Returns the text of conformance/rules.json. */
export function rulesText(): string {
  const random = new Random(21);
  const xp: Json[] = [];
  const rewards: Json[] = [];
  for (const [rules, document] of DOCUMENTS.entries()) {
    for (let n = 0; n < 25; n++) {
      const [channel, ...parents] = random.pick(PLACES);
      const place = { roles: random.some(ROLES, random.below(5)), channel, ...(parents.length > 0 && { parents }) };
      const states = random.some(STATES, random.below(3)).map((state) => [state, random.below(4) > 0] as const);
      const event =
        random.below(3) > 0
          ? { kind: 'message', ...place, ...(random.below(3) > 0 && { chars: random.below(9) }) }
          : { kind: 'voice', ...place, ...(states.length > 0 && { voice: Object.fromEntries(states) }) };
      xp.push({ rules, event, ...naiveXp(document, event) });
    }
    for (let n = 0; document.rewards && n < 40; n++) {
      const level = random.below(24);
      const roles = random.some(ROLES, random.below(6));
      rewards.push({ rules, level, roles, ...naiveRewards(document.rewards as never, level, roles) });
    }
  }
  const refused = REFUSED.map(([document, field]) => ({ document, field }));
  const lists = Object.entries({ rules: DOCUMENTS, xp, rewards, refused }).map(
    ([name, list]) => `"${name}":[\n${list.map((each) => JSON.stringify(each)).join(',\n')}\n]`,
  );
  return `{${lists.join(',')}}\n`;
}

/** A number as a fraction of whole numbers. */
type Fraction = readonly [over: bigint, under: bigint];
const fraction = (factor: number): Fraction => [BigInt(factor.toFixed(6).replace('.', '')), 1_000_000n];

function naiveXp(document: Json, event: Json): Json {
  const part = (name: string) => (document[name] ?? {}) as Json;
  const none = (reason: string) => ({ amount: 0, factor: 0, cooldown_ms: 0, reason });
  const isVoice = event.kind === 'voice';
  const amount = isVoice ? (part('voice').xp ?? 0) : (part('message').xp ?? { min: 15, max: 25 });
  if (amount === 0) return none('off');
  const roles = event.roles as string[];
  const places = [event.channel, ...((event.parents ?? []) as string[])] as string[];
  const {
    roles: byRole = {},
    channels: byChannel = {},
    role_stacking = 'max',
    stacking = 'product',
  } = part('multipliers');
  const own = roles.map((role) => (byRole as Record<string, number>)[role]).filter((factor) => factor !== undefined);
  const nearest = places
    .map((place) => (byChannel as Record<string, number>)[place])
    .find((each) => each !== undefined);
  const { roles: bannedRoles = [], channels: bannedChannels = [] } = part('no_xp') as Record<string, string[]>;
  const ofRoles = own.length > 0 ? naiveStack(own.map(fraction), String(role_stacking)) : undefined;
  if (roles.some((role) => bannedRoles.includes(role)) || own.includes(0) || ofRoles?.[0] === 0n) return none('role');
  const all = naiveStack(
    [...(ofRoles ? [ofRoles] : []), ...(nearest === undefined ? [] : [fraction(nearest)])],
    String(stacking),
  );
  if (places.some((place) => bannedChannels.includes(place)) || nearest === 0 || all[0] === 0n) return none('channel');
  const factor = Math.min(Number(all[0]) / Number(all[1]), 1000);
  if (!isVoice) {
    const { cooldown_ms = 60_000, min_chars = 0 } = part('message');
    if (event.chars !== undefined && Number(event.chars) < Number(min_chars)) return none('length');
    return { amount, factor, cooldown_ms, reason: null };
  }
  const counts = (part('voice').counts ?? {}) as Json;
  const state = STATES.find((each) => (event.voice as Json | undefined)?.[each] && !counts[each]);
  return state ? none(state) : { amount, factor, cooldown_ms: 0, reason: null };
}

/** Combines two multipliers. */
function stackedWith([over, under]: Fraction, [a, b]: Fraction, stacking: string): Fraction {
  if (stacking === 'product') return [over * a, under * b];
  if (stacking === 'sum') return [over * b + a * under - under * b, under * b];
  return a * under > over * b ? [a, b] : [over, under];
}

/** Combines multipliers, and rounds to millionths. */
function naiveStack(factors: readonly Fraction[], stacking: string): Fraction {
  const [first = [1n, 1n], ...others] = factors;
  const [over, under] = others.reduce((stacked, factor) => stackedWith(stacked, factor, stacking), first);
  const millionths = over < 0n ? 0n : (2_000_000n * over) / under;
  return [(millionths + 1n) / 2n, 1_000_000n];
}

function naiveRewards(
  rewards: readonly { level: number; role: string; kept?: boolean }[],
  level: number,
  roles: string[],
) {
  const highest = rewards.reduce((most, reward) => (reward.level <= level ? Math.max(most, reward.level) : most), -1);
  const isDue = (role: string) =>
    rewards.some(
      (each) => each.role === role && each.level <= level && (each.kept !== false || each.level === highest),
    );
  const all = [...new Set(rewards.map(({ role }) => role))];
  return {
    add: all.filter((role) => isDue(role) && !roles.includes(role)),
    remove: all.filter((role) => !isDue(role) && roles.includes(role)),
  };
}
