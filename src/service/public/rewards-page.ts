import { xpForLevel } from '../../core/ranking/curves.ts';
import { colourOf, type PublicRewards } from '../../core/reads/public-page.ts';
import { inLine } from '../../pictures/text.ts';
import type { RenderedBody } from '../http/response/rendered-body.ts';
import { html } from './documents.ts';
import { nameOfGuild } from './names-and-pictures.ts';
import { type PageWords, pageWordsOf } from './page-words.ts';
import { queryOf, type RankingQuery } from './queries.ts';
import { previewTags, type Site } from './unfurl.ts';
import { headingOf } from './views.ts';

/** Levels of the table of the curve. */
const SAMPLE_LEVELS = [1, 2, 3, 5, 10, 15, 20, 30, 40, 50, 75, 100];

/** Renders what levels give in a guild and how its members earn XP. O(rules). */
export function renderRewards(query: RankingQuery, found: PublicRewards, site: Site): RenderedBody {
  const { guildId } = query;
  const words = pageWordsOf(query.lang);
  const heading = headingOf(nameOfGuild(found), guildId);
  const title = `${words.say('rewards')} · ${inLine(heading)}`;
  const rewards = rewardsOf(found, words);
  const sentences = sentencesOf(found, words);
  return html('rewards', query, found, site, {
    words,
    heading,
    title,
    base: `../${guildId}`,
    root: '../../',
    previewTags: previewTags(query, found, site, {
      title,
      siteName: words.say('title'),
      facts: sentences[0] ?? words.say('howToEarn'),
      rows: rewards.flatMap(({ level, roles }) => {
        // Readers of a chat cannot tell a role by its id.
        const named = roles.filter(({ isTold }) => isTold).map(({ name }) => name);
        return named.length > 0 ? [{ label: level, name: named.join(', ') }] : [];
      }),
      path: '/rewards',
      pictureText: `${inLine(heading)} · ${words.say('title')}`,
    }),
    isLive: false,
    back: `../${guildId}${queryOf(query)}`,
    rewards,
    sentences,
    multipliers: multipliersOf(found, words),
    levels: levelsOf(found, words),
  });
}

/** A role or a channel as the template shows it: its name, or its id if the bot has told no name. */
interface Named {
  readonly name: string;
  readonly isTold: boolean;
  /** Colour of the role as `#rrggbb`, "" for a role without a colour. */
  readonly colour: string;
}

function roleNamed({ roles }: PublicRewards, id: string): Named {
  const role = roles.find((each) => each.id === id);
  return { name: role?.name ? `@${role.name}` : id, isTold: Boolean(role?.name), colour: colourOf(role) ?? '' };
}

function channelNamed({ channels }: PublicRewards, id: string): Named {
  const channel = channels.find((each) => each.id === id);
  return { name: channel?.name ? `#${channel.name}` : id, isTold: Boolean(channel?.name), colour: '' };
}

/** Returns the levels that give roles, each with its roles. */
function rewardsOf(found: PublicRewards, words: PageWords) {
  const levels = [...new Set(found.rules.rewards.map(({ level }) => level))].sort((a, b) => a - b);
  return levels.map((level) => ({
    level: words.title('level', { n: level }),
    roles: found.rules.rewards
      .filter((reward) => reward.level === level)
      .map((reward) => ({
        ...roleNamed(found, reward.role),
        members: membersText(holdersOf(reward.role, levels, found), words),
      })),
  }));
}

function membersText(members: number | undefined, words: PageWords): string {
  return members === undefined ? '' : words.say('members', { n: members });
}

/**
 * Returns how many ranked members have a role; undefined if this is unknown. Several levels can give the same role. A reward that members keep gives
 * the role from its level on. Any other reward gives the role from its level on, up to the level of the next reward.
 * @param levels the levels of all rewards, ascending.
 */
function holdersOf(role: string, levels: readonly number[], { rules, reached }: PublicRewards): number | undefined {
  const own = rules.rewards.filter((reward) => reward.role === role);
  const keptFrom = Math.min(...own.flatMap(({ kept, level }) => (kept ? level : [])));
  const lost = new Set(own.map(({ level }) => level).filter((level) => level < keptFrom));
  const next = (level: number) => levels.find((each) => each > level) ?? Number.POSITIVE_INFINITY;
  const begins = [...lost, keptFrom];
  const ends = [...lost].map(next);
  const membersFrom = (level: number) => (level === Number.POSITIVE_INFINITY ? 0 : reached.get(level));
  const here = sumOf(begins.map(membersFrom));
  const gone = sumOf(ends.map(membersFrom));
  return here === undefined || gone === undefined ? undefined : here - gone;
}

/** Returns the sum of numbers; undefined if a number is unknown. */
function sumOf(numbers: readonly (number | undefined)[]): number | undefined {
  return numbers.reduce((sum, each) => (sum === undefined || each === undefined ? undefined : sum + each), 0);
}

/** Returns how XP is earned, in sentences. */
function sentencesOf({ rules, stats }: PublicRewards, words: PageWords): string[] {
  const { message, voice } = rules;
  const sentences: string[] = [];
  const most = (xp: typeof message.xp) => (typeof xp === 'number' ? xp : xp.max);
  const range = (xp: typeof message.xp) =>
    typeof xp === 'number' || xp.min === xp.max
      ? words.number(most(xp))
      : `${words.number(xp.min)}–${words.number(xp.max)}`;
  if (most(message.xp) > 0) {
    sentences.push(words.say('earnMessage', { xp: range(message.xp) }));
    if (message.cooldownMs > 0)
      sentences.push(words.say('earnCooldown', { time: words.seconds(message.cooldownMs / 1000) }));
    if (message.minChars > 1) sentences.push(words.say('earnLength', { n: message.minChars }));
  }
  if (most(voice.xp) > 0) {
    sentences.push(words.say('earnVoice', { xp: range(voice.xp) }));
    const none = (['alone', 'deafened', 'muted', 'afk'] as const).filter((state) => !voice.counts[state]);
    if (none.length > 0)
      sentences.push(words.say('earnVoiceNot', { states: words.list(none.map((state) => words.say(state))) }));
  }
  if (stats.xp_multiplier !== 1) sentences.push(words.say('earnAll', { factor: words.number(stats.xp_multiplier) }));
  return sentences;
}

/** Returns the roles and channels that multiply XP, and the roles and channels that give no XP. */
function multipliersOf(found: PublicRewards, words: PageWords) {
  const { multipliers, noXp } = found.rules;
  const times = (factor: number) => (factor === 0 ? words.say('noXp') : `${words.number(factor)}× XP`);
  return [
    ...[...multipliers.roles].map(([id, factor]) => ({ ...roleNamed(found, id), text: times(factor) })),
    ...[...multipliers.channels].map(([id, factor]) => ({ ...channelNamed(found, id), text: times(factor) })),
    ...noXp.roles.map((id) => ({ ...roleNamed(found, id), text: words.say('noXp') })),
    ...noXp.channels.map((id) => ({ ...channelNamed(found, id), text: words.say('noXp') })),
  ];
}

/** Returns the XP of some levels. */
function levelsOf({ curve }: PublicRewards, words: PageWords) {
  const levels = SAMPLE_LEVELS.filter((level) => level <= (curve.max ?? level)).map(
    (level) => [level, xpForLevel(curve, level)] as const,
  );
  return levels
    .filter(([, xp]) => xp <= Number.MAX_SAFE_INTEGER)
    .map(([level, xp]) => ({ level: words.number(level), xp: words.number(xp) }));
}
