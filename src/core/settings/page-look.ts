import { InvalidInputError } from '../errors.ts';

const colour = <Field extends string>(field: Field, name: string) => ({
  field,
  pattern: /^(?:#[0-9a-f]{6})?$/i,
  rule: `The ${name} of the public page is a colour such as #4f46e5, or empty`,
});

/** How a public page looks: the field of each setting in a guild's config, and its rule. The order is the order in command-public.lua. */
export const LOOK = {
  /** Colour of links, bars and the open tab, as `#rrggbb`. */
  accent: colour('page_accent', 'accent'),
  /** The same in the dark theme; "" = a light tint of `accent`. */
  accentDark: colour('page_accent_dark', 'dark accent'),
  /** Colour of the page around the leaderboard, as `#rrggbb`. */
  background: colour('page_background', 'background'),
  backgroundDark: colour('page_background_dark', 'dark background'),
  /** https address of a picture beside the title, such as the icon of the server. */
  picture: {
    field: 'page_picture',
    // The host goes into a Content-Security-Policy, so it has nothing but letters, digits, dots and hyphens.
    pattern: /^(?:https:\/\/[a-z0-9.-]{1,253}(?::\d{1,5})?\/[^\s\p{C}"'<>\\`{}|^]{0,500})?$/iu,
    rule: 'The picture of the public page is an https address of at most 500 characters after its host, or empty',
  },
} as const;

/** The look of a public page, as its owner has chosen it. "" = the owner has chosen nothing. */
export type PageLook = { readonly [Setting in keyof typeof LOOK]: string };
/** A field of the config that stores a part of the look. */
export type LookField = (typeof LOOK)[keyof PageLook]['field'];

/** The colours of a page whose owner has chosen no colours, as page.css has them. */
export const DEFAULT_COLOURS = {
  accent: '#4f46e5',
  accentDark: '#aab0fb',
  background: '#eceef3',
  backgroundDark: '#0b0c0f',
} as const satisfies Partial<PageLook>;

export const LOOK_SETTINGS = Object.keys(LOOK) as readonly (keyof PageLook)[];

/** Returns whether a text can be stored as this setting. */
function fitsLook(setting: keyof PageLook, text: string): boolean {
  return LOOK[setting].pattern.test(text) && (setting !== 'picture' || text === '' || URL.canParse(text));
}

/** Parses a text as this setting. @throws InvalidInputError with the rule that it breaks. */
export function parseLook(setting: keyof PageLook, text: string): string {
  if (fitsLook(setting, text)) return text;
  throw new InvalidInputError(LOOK[setting].rule);
}

/**
 * Returns a look from the stored fields, in the order of {@link LOOK}. An unfit value counts as "", because other programs can write to Redis too.
 */
export function lookOf(stored: readonly (string | null)[]): PageLook {
  const settings = LOOK_SETTINGS.map((setting, at) => {
    const text = stored[at] ?? '';
    return [setting, fitsLook(setting, text) ? text : ''];
  });
  return Object.fromEntries(settings) as PageLook;
}
