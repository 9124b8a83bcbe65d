import type { Command } from 'commander';
import type { Overview } from '../core/guilds/overview.ts';
import { LOOK, LOOK_SETTINGS, type PageLook, parseLook } from '../core/settings/page-look.ts';
import { asArgument } from './arguments.ts';

/** The options of `guild set` for colours and picture of the public page. An empty value takes one back. */
export interface LookOptions {
  readonly pageAccent?: string;
  readonly pageAccentDark?: string;
  readonly pageBackground?: string;
  readonly pageBackgroundDark?: string;
  readonly pagePicture?: string;
}

/** Adds the options of the look to a command. */
export function addLookOptions(command: Command): Command {
  return command
    .option(
      '--page-accent <colour>',
      'colour of links and bars on the public page, such as #4f46e5',
      parserOf('accent'),
    )
    .option(
      '--page-accent-dark <colour>',
      'the same colour in the dark theme; empty = a light tint',
      parserOf('accentDark'),
    )
    .option('--page-background <colour>', 'colour of the public page around the leaderboard', parserOf('background'))
    .option('--page-background-dark <colour>', 'the same colour in the dark theme', parserOf('backgroundDark'))
    .option(
      '--page-picture <url>',
      'https address of a picture beside the title of the public page',
      parserOf('picture'),
    );
}

function parserOf(setting: keyof PageLook): (text: string) => string {
  return asArgument((text) => parseLook(setting, text));
}

/** Returns the options with those of the look as one, if there are any. */
export function gatherLook<T>(options: T & LookOptions) {
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

/** Returns the lines of `guild show` for what is chosen. */
export function lookLines(overview: Overview): string[] {
  return LOOK_SETTINGS.map((setting) => LOOK[setting].field)
    .filter((field) => overview[field] !== '')
    .map((field) => `${field.replaceAll('_', ' ').padEnd(20)} ${overview[field]}`);
}
