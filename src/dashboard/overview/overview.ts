import { readUsage } from '../../core/access/usage-reader.ts';
import { type Overview, readOverview } from '../../core/guilds/overview.ts';
import { PageCommand, StatsCommand } from '../../core/reads/read-commands.ts';
import { BOARD_KINDS } from '../../core/store/redis-keys.ts';
import type { GuildPage, Parts } from '../guild-page.ts';
import { guildOf } from '../visit.ts';
import { dayChart, weekChart } from './request-charts.ts';

const TOP = 5;

/** The rankings whose first members the page can show: of all time, and the boards of the guild. */
const TOPS = { '': 'All time', week: 'This week', month: 'This month' } as const;

/** The counters, the quota, a chart of the requests, the first steps, and the first members of the ranking. */
export const overviewPage: GuildPage = {
  path: '',
  label: 'Overview',
  icon: 'house',
  addTo(router, parts) {
    router.get('/', async (req, res) => {
      const guildId = guildOf(res);
      await parts.guildConfig.renewTimeZone(guildId);
      const [overview, usage] = await Promise.all([
        readOverview(parts, parts.planQuotas, guildId),
        readUsage(parts, guildId, parts.now()),
      ]);
      const board = BOARD_KINDS.find((kind) => kind === req.query.top && overview.boards.includes(kind));
      const [{ value: top }, weekXp, hasRules] = await Promise.all([
        parts.commands.read(new PageCommand(guildId, 1, TOP, board)),
        xpOfWeek(parts, overview),
        parts.client.hexists(parts.redisKeys.guild(guildId).config, 'rules'),
      ]);
      const tops = Object.entries(TOPS).filter(([kind]) => kind === '' || overview.boards.includes(kind));
      const steps = firstSteps(overview, {
        hasPublicPages: parts.publicPages,
        hasRules: hasRules === 1,
        isUsed: usage.isUsed || usage.publicUse.data.week > 0,
      });
      const chart = req.query.requests === 'week' ? weekChart(usage) : dayChart(usage);
      const hasPage = parts.publicPages && overview.public_page;
      const publicUrl = hasPage ? `${parts.apiUrl}/g/${encodeURIComponent(guildId)}` : '';
      const today = new Date(parts.now()).toISOString();
      const shownTop = { top: top.data, board: board ?? '', tops };
      const data = { overview, weekXp, steps, ...shownTop, chart, publicUrl, publicUse: usage.publicUse, today };
      parts.views.send(res, 'overview', { title: 'Overview', ...data });
    });
  },
};

/** Returns the XP gained this week, by the board of the week; 0 for a guild without this board. One round trip. */
async function xpOfWeek({ commands }: Parts, { guild, boards }: Overview): Promise<bigint> {
  if (!boards.includes('week')) return 0n;
  const { value } = await commands.read(new StatsCommand(guild, 'week'));
  return BigInt(value.total_xp);
}

/** The facts about a guild on which its first steps depend, beside its overview. */
interface StepFacts {
  /** Whether the service has public pages. */
  readonly hasPublicPages: boolean;
  /** Whether rules of XP are stored. */
  readonly hasRules: boolean;
  /** Whether a widget or a program has asked for data. */
  readonly isUsed: boolean;
}

/** Returns the first steps of a new guild; empty when all steps are done. */
function firstSteps(overview: Overview, { hasPublicPages, hasRules, isUsed }: StepFacts) {
  const steps = [
    {
      label: 'Add your members',
      hint: 'Your bot adds them as they write, or you import them from another bot.',
      path: '/import',
      button: 'Import',
      isDone: overview.ranked > 0,
    },
    {
      label: 'Choose how XP is earned',
      hint: 'How much a message gives, and the roles that levels give.',
      path: '/settings/rules',
      button: 'Set up',
      isDone: hasRules,
    },
    {
      label: 'Turn on the public page',
      hint: 'A page of your leaderboard that everybody can open.',
      path: '/settings/public-page',
      button: 'Set up',
      isDone: overview.public_page,
    },
    {
      label: 'Put it on your site',
      hint: 'This step is done when a website first asks for your leaderboard.',
      path: '/widget',
      button: 'Set up',
      isDone: isUsed,
    },
  ];
  const offered = steps.filter(({ path }) => path !== '/settings/public-page' || hasPublicPages);
  return offered.every(({ isDone }) => isDone) ? [] : offered;
}
