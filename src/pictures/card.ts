import { checkFields } from '../core/check-fields.ts';
import { InvalidInputError, shownJson } from '../core/errors.ts';
import type { MemberCard } from '../core/reads/card.ts';
import { hueOf } from '../widget/name.ts';
import { drawCard } from './card-drawing.ts';
import { type CardLabels, createCardWords } from './card-words.ts';
import { checkCard } from './check-card.ts';
import { type CardTheme, coloursOf } from './colours.ts';

/** The package's entry `guildrank-kit/card`: the rank card of a member as a picture. It needs no connection, and runs in browsers too. */

/** The options of {@link rankCard}. */
export interface CardOptions {
  readonly theme: CardTheme;
  /** Language tag, such as `pt-BR`. Texts are in the languages of the widget, numbers in any. */
  readonly lang: string;
  /** Colour of bar and level as `#rgb` or `#rrggbb`; the colour of the widget unless given. The dark theme has a light tint of it. */
  readonly accent?: string;
  /**
   * Picture of the member: a data URL of PNG, JPEG, GIF or WebP, or an https URL. Not every program loads an https URL. Without a picture the card
   * has the first character of the name.
   */
  readonly avatar?: string;
  readonly labels?: CardLabels;
}

const COLOUR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;
const DATA_URL = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;
const HTTPS_URL = /^https:\/\/[^\s\p{C}"'<>\\`{}|^]{1,1000}$/u;

/**
 * Returns the rank card of a member as an SVG of 934 by 282 pixels, the same for the same input. It has no script, and refers to nothing but
 * the picture. It takes at most 15 kB, plus the picture of a data URL. Pure.
 * @param data as `reader.card` returns it.
 * @throws InvalidInputError for an unfit option, and for data that are no card.
 */
export function rankCard(data: MemberCard, options: CardOptions): string {
  checkFields(options, 'the options of rankCard', ['theme', 'lang', 'accent', 'avatar', 'labels']);
  checkCard(data);
  const { theme, lang, accent, avatar, labels = {} } = options;
  if (theme !== 'light' && theme !== 'dark')
    throw new InvalidInputError(`theme must be light or dark, not ${shownJson(theme)}`);
  if (accent !== undefined && !(typeof accent === 'string' && COLOUR.test(accent)))
    throw new InvalidInputError(`accent must be a colour such as #4f46e5, not ${shownJson(accent)}`);
  if (avatar !== undefined && !isPicture(avatar))
    throw new InvalidInputError(
      'avatar must be an https URL of at most 1,000 characters, or a data URL of PNG, JPEG, GIF or WebP in Base64',
    );
  return drawCard(data, createCardWords(lang, labels), coloursOf(theme, accent, hueOf(data.userId)), avatar);
}

function isPicture(url: unknown): boolean {
  return typeof url === 'string' && (DATA_URL.test(url) || (HTTPS_URL.test(url) && URL.canParse(url)));
}

export type { HideReason } from '../core/ranking/model.ts';
export type { CardProgress, MemberCard, RankedMember } from '../core/reads/card.ts';
export type { CardLabel, CardLabels } from './card-words.ts';
export type { CardTheme } from './colours.ts';
export { InvalidInputError };
