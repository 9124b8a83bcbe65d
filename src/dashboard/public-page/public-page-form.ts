import * as z from 'zod';
import { parseTitle } from '../../core/settings/guild-config.ts';
import { INDEXINGS } from '../../core/settings/indexing.ts';
import { LOOK, LOOK_SETTINGS, type LookField, lookOf, parseLook } from '../../core/settings/page-look.ts';
import { parsed } from '../forms.ts';

const lookFields = Object.fromEntries(
  LOOK_SETTINGS.map((setting) => [LOOK[setting].field, parsed((text) => parseLook(setting, text.trim()))]),
) as Readonly<Record<LookField, ReturnType<typeof parsed<string>>>>;

/** The form of the public page: whether it is shown, its title, colours and picture. */
export const publicPageForm = z
  .object({
    // A browser leaves out a box that is not checked.
    public: z.string().optional(),
    avatars: z.string().optional(),
    title: parsed((text) => parseTitle(text.trim())),
    index: z.enum(INDEXINGS, { error: 'Choose what search engines may list' }).default('leaderboard'),
    rewards: z.string().optional(),
    ...lookFields,
  })
  .transform((form) => ({
    publicPage: form.public !== undefined,
    pageTitle: form.title,
    pageIndex: form.index,
    pageRewards: form.rewards !== undefined,
    avatars: form.avatars !== undefined,
    pageLook: lookOf(LOOK_SETTINGS.map((setting) => form[LOOK[setting].field])),
  }));

/** Returns a change of the public page in words. */
export function describePageChange({
  publicPage,
  pageTitle,
  pageIndex,
  pageRewards,
  avatars,
  pageLook,
}: z.infer<typeof publicPageForm>): string {
  const chosen = [
    pageTitle && `the title ${pageTitle}`,
    pageIndex !== 'leaderboard' && `search engines listing ${pageIndex}`,
    !pageRewards && 'no rewards',
    avatars && 'pictures of members',
    ...LOOK_SETTINGS.map((setting) => {
      const name = LOOK[setting].field.slice('page_'.length).replaceAll('_', ' ');
      return pageLook[setting] && `${name} ${pageLook[setting]}`;
    }),
  ].filter(Boolean);
  const state = `Switched the public page ${publicPage ? 'on' : 'off'}`;
  return chosen.length > 0 ? `${state}, with ${chosen.join(', ')}` : state;
}
