import type { Response } from 'express';
import { type Overview, readOverview } from '../../core/guilds/overview.ts';
import type { GuildConfigChange } from '../../core/settings/guild-config.ts';
import type { Indexing } from '../../core/settings/indexing.ts';
import { DEFAULT_COLOURS, type LookField } from '../../core/settings/page-look.ts';
import { addConfigForm, type ShownForm } from '../config-form.ts';
import type { GuildPage, Parts } from '../guild-page.ts';
import type { Question } from '../questions.ts';
import { guildOf } from '../visit.ts';
import { describePageChange, publicPageForm } from './public-page-form.ts';

/** The choices of pages that search engines may list, with their labels. */
const INDEXING_LABELS: readonly [value: Indexing, label: string][] = [
  ['leaderboard', 'The leaderboard alone'],
  ['members', 'The leaderboard and its members'],
  ['none', 'Nothing: the page is unlisted'],
];

const PATH = '/settings/public-page';

/** Colours of the public page, with their labels and their defaults. */
const PAGE_COLOURS = [
  ['page_accent', 'Accent', DEFAULT_COLOURS.accent],
  ['page_accent_dark', 'Accent, dark', DEFAULT_COLOURS.accentDark],
  ['page_background', 'Background', DEFAULT_COLOURS.background],
  ['page_background_dark', 'Background, dark', DEFAULT_COLOURS.backgroundDark],
] as const satisfies readonly (readonly [field: LookField, label: string, own: string])[];

/** The public page of the guild: on or off, its title and its look, with a preview. */
export const publicPagePage: GuildPage = {
  path: PATH,
  label: 'Public page',
  icon: 'globe',
  addTo(router, parts) {
    router.get(PATH, (req, res) =>
      sendPublicPage(parts, res, { notice: req.query.saved === '1' ? 'Your public page is saved.' : '' }),
    );
    const schema = publicPageForm.transform((change) => ({ change, what: describePageChange(change) }));
    addConfigForm(router, parts, { path: PATH, page: PATH, schema, question: closeQuestion, show: sendPublicPage });
  },
};

/** Returns the question before the public page is turned off; null unless this ends what visitors see. */
async function closeQuestion(
  parts: Parts,
  guildId: string,
  { publicPage }: GuildConfigChange,
): Promise<Question | null> {
  const present = await readOverview(parts, parts.planQuotas, guildId);
  if (!parts.publicPages || !present.public_page || publicPage) return null;
  return {
    title: 'Turn off the public page?',
    paragraphs: [
      `Visitors of ${publicUrlOf(parts, guildId)} find nothing there any more. The leaderboards on your sites that have no API Key, badges and overlays stop too.`,
      'The title, the colours and the picture are kept. If you turn the page on again, everything works as before.',
    ],
    button: 'Turn off the page',
    keep: 'Keep the page',
    back: `/guilds/${encodeURIComponent(guildId)}${PATH}`,
  };
}

function publicUrlOf({ apiUrl }: Parts, guildId: string): string {
  return `${apiUrl}/g/${encodeURIComponent(guildId)}`;
}

async function sendPublicPage(parts: Parts, res: Response, shown: ShownForm): Promise<void> {
  const guildId = guildOf(res);
  const overview = await readOverview(parts, parts.planQuotas, guildId);
  const { values } = shown;
  const look = Object.fromEntries(PAGE_COLOURS.map(([field]) => [field, overview[field]]));
  const data = {
    ...shown,
    isOn: values ? values.public !== undefined : overview.public_page,
    hasRewards: values ? values.rewards !== undefined : overview.page_rewards,
    hasAvatars: values ? values.avatars !== undefined : overview.avatars,
    indexings: INDEXING_LABELS,
    fields: {
      title: overview.page_title,
      index: overview.page_index,
      page_picture: overview.page_picture,
      ...look,
      ...values,
    },
    pageColours: PAGE_COLOURS,
    publicUrl: publicUrlOf(parts, guildId),
    isShown: parts.publicPages && overview.public_page,
    previewProblem: previewProblem(parts, overview),
  };
  parts.views.send(res, 'public-page', { title: 'Public page', ...data }, shown.problem ? 400 : 200);
}

/** Why there is no preview of the public page, and the setting with which the operator can change this; "" = no setting is needed. */
interface PreviewProblem {
  readonly text: string;
  readonly setting: string;
}

/** Returns why there is no preview of the public page; null when there is a preview. */
function previewProblem({ publicPages, embedOrigins, url }: Parts, { public_page }: Overview): PreviewProblem | null {
  if (!publicPages)
    return { text: 'This service shows no public pages yet, so nobody can open yours.', setting: 'PUBLIC_PAGES=1' };
  if (!public_page) return { text: 'Turn the page on and save it, and you see it here.', setting: '' };
  if (embedOrigins.includes('*') || embedOrigins.includes(url())) return null;
  const text =
    'Your page is on, and "View public page" above opens it. You see no preview here, because this service does not let the dashboard show it in a frame.';
  return { text, setting: `EMBED_ORIGINS=${[...embedOrigins, url()].join(',')}` };
}
