import type { PageLook } from '../../core/settings/page-look.ts';
import { cleaned, escapedMarkdown, fitted, isolated } from '../../pictures/text.ts';
import { accentsOf } from './look.ts';

/** What a preview of a link says. */
export interface Preview {
  readonly title: string;
  /** Where the page belongs to. */
  readonly place: string;
  readonly facts: string;
  /** Members in the order of the ranking. */
  readonly rows: readonly {
    readonly rank: string;
    readonly name: string;
    readonly level: string;
    readonly xp: string;
  }[];
}

/**
 * Discord's component embed: a layout that it shows instead of the usual preview of a link. Its types of components:
 * https://docs.discord.com/developers/link-previews/component-embeds
 */
const CONTAINER = 17;
const SECTION = 9;
const TEXT = 10;
const THUMBNAIL = 11;
const SEPARATOR = 14;
const ROW = 1;
const BUTTON = 2;
const LINK = 5;

/** Discord takes no more. Escapes such as \u003c count in full. */
const MAX_BYTES = 3000;
/** Members in the list. All in all there are seven components, and Discord takes 40. */
const MAX_MEMBERS = 10;

/**
 * Returns the component embed of a page as JSON for a script element, without any character of markup. It names as many members as fit; "" when
 * not even the title fits.
 * @param url public address of the page.
 */
export function componentEmbed(url: string, preview: Preview, look: PageLook): string {
  for (let members = Math.min(MAX_MEMBERS, preview.rows.length); members >= 0; members--) {
    const json = inScript(JSON.stringify({ component: containerOf(url, preview, look, members) }));
    if (Buffer.byteLength(json) <= MAX_BYTES) return json;
  }
  return '';
}

function containerOf(url: string, { title, place, facts, rows }: Preview, look: PageLook, members: number) {
  const head = { type: TEXT, content: `## ${plain(title)}\n${facts}` };
  const list = rows
    .slice(0, members)
    .map(({ rank, name, level, xp }) => `**${rank}.** ${plain(name)} · ${level} · ${xp} XP`);
  return {
    type: CONTAINER,
    accent_color: Number.parseInt(accentsOf(look).light.slice(1), 16),
    components: [
      // A section must have something beside its text.
      look.picture
        ? { type: SECTION, components: [head], accessory: { type: THUMBNAIL, media: { url: look.picture } } }
        : head,
      ...(list.length > 0 ? [{ type: SEPARATOR }, { type: TEXT, content: list.join('\n') }] : []),
      { type: ROW, components: [{ type: BUTTON, style: LINK, url, label: fitted(cleaned(place), 1, 60) }] },
    ],
  };
}

/** Returns a text of bounded width that Discord shows as it is, with a direction of its own. */
function plain(text: string): string {
  return isolated(escapedMarkdown(fitted(cleaned(text), 1, 40)));
}

/** Returns JSON without the characters that HTML looks at, but for the quotes around its texts. */
function inScript(json: string): string {
  const withoutQuotes = json.replace(/\\(.)/g, (pair, unit) => (unit === '"' ? '\\u0022' : pair));
  return withoutQuotes.replace(
    /[<>&'\u2028\u2029]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
