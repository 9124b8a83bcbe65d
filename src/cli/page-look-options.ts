import { type Command, Option } from 'commander';
import type { Overview } from '../core/guilds/overview.ts';
import { INDEXINGS } from '../core/settings/indexing.ts';
import { LOOK, LOOK_SETTINGS, type PageLook, parseLook } from '../core/settings/page-look.ts';
import { asArgument, parseSwitch } from './arguments.ts';

/** The options of `guild set` for colours and picture of the public page. An empty value restores the default. */
export interface PageLookOptions {
  readonly pageAccent?: string;
  readonly pageAccentDark?: string;
  readonly pageBackground?: string;
  readonly pageBackgroundDark?: string;
  readonly pagePicture?: string;
}

/** Adds the options of the look to a command, and the options of what search engines and readers see on the public page. */
export function addPageLookOptions(command: Command): Command {
  return command
    .option(
      '--page-accent <colour>',
      'colour of links and bars on the public page, such as #4f46e5',
      parserOf('accent'),
    )
    .option(
      '--page-accent-dark <colour>',
      'colour of links and bars in the dark theme; empty = a lighter tint of --page-accent',
      parserOf('accentDark'),
    )
    .option('--page-background <colour>', 'colour of the public page around the leaderboard', parserOf('background'))
    .option(
      '--page-background-dark <colour>',
      'colour around the leaderboard in the dark theme',
      parserOf('backgroundDark'),
    )
    .option(
      '--page-picture <url>',
      'https address of a picture beside the title of the public page',
      parserOf('picture'),
    )
    .addOption(
      new Option(
        '--page-index <what>',
        'what search engines may list of the public page: the leaderboard, its members too, or nothing',
      ).choices(INDEXINGS),
    )
    .option(
      '--page-rewards <on|off>',
      'whether the public page says what levels give and how members earn XP',
      parseSwitch,
    );
}

function parserOf(setting: keyof PageLook): (text: string) => string {
  return asArgument((text) => parseLook(setting, text));
}

/** Returns the options with all options of the look in one field `pageLook`, which is left out if none was given. */
export function gatherLook<T>(options: T & PageLookOptions) {
  const { pageAccent, pageAccentDark, pageBackground, pageBackgroundDark, pagePicture, ...others } = options;
  const named = Object.entries({
    accent: pageAccent,
    accentDark: pageAccentDark,
    background: pageBackground,
    backgroundDark: pageBackgroundDark,
    picture: pagePicture,
  }).filter(([, value]) => value !== undefined);
  const pageLook: Partial<PageLook> = Object.fromEntries(named);
  return { ...others, ...(named.length > 0 && { pageLook }) };
}

/** Returns the lines of `guild show` for the parts of the look that are set. */
export function lookLines(overview: Overview): string[] {
  const { page_index: index, page_rewards: rewards } = overview;
  const chosen = LOOK_SETTINGS.map((setting) => LOOK[setting].field)
    .filter((field) => overview[field] !== '')
    .map((field) => [field, overview[field]] as const);
  return [
    ...chosen,
    ...(index === 'leaderboard' ? [] : [['page_index', index] as const]),
    ...(rewards ? [] : [['page_rewards', 'off'] as const]),
  ].map(([field, value]) => `${field.replaceAll('_', ' ').padEnd(20)} ${value}`);
}
