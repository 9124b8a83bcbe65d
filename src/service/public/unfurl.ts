import { hash } from 'node:crypto';
import type { PublicMember, PublicPage, PublicRewards } from '../../core/reads/public-page.ts';
import { inLine, isolated } from '../../pictures/text.ts';
import { CARD_SIZE } from './member-card.ts';
import { iconOf } from './names-and-pictures.ts';
import { type MemberQuery, type PageQuery, queryOf, type RankingQuery } from './queries.ts';
import { TOP_SIZE } from './top-drawing.ts';
import { shorten } from './views.ts';

/** The content of the preview of a link. */
export interface Preview {
  readonly title: string;
  /** What the page belongs to, in words: the leaderboard, or the server of a member. */
  readonly siteName: string;
  readonly facts: string;
  /** The first names of the page: members after their ranks, or roles after their levels. */
  readonly rows: readonly { readonly label: string; readonly name: string }[];
  /** Path of the page below the page of the guild, such as "/rewards"; "" = the page of the guild. */
  readonly path: string;
  /** A description of the picture; if left out, the description of the page. */
  readonly pictureText?: string;
}

/** A tag of a page's head: `<meta name="…" content="…">`, or with `property`. */
type Tag = readonly [kind: 'property' | 'name', name: string, content: string | number];

/** Facts about the service that its pages need. */
export interface Site {
  /** Public address of the service without a slash at its end; "" = PUBLIC_URL is not set. */
  readonly url: string;
  /** Whether it draws pictures of the first members. */
  readonly hasPictures: boolean;
  /** The sites that may show its pages in a frame, as a content security policy names them. */
  readonly frameAncestors: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Rows that a description names. */
const NAMED = 3;
const MAX_NAME = 32;

/**
 * Returns the tags of a page for programs that show a preview of its link. If the public address of the service is unknown, the tags contain no
 * addresses.
 */
export function previewTags(
  query: PageQuery | MemberQuery | RankingQuery,
  found: PublicPage | PublicMember | PublicRewards,
  site: Site,
  preview: Preview,
): Tag[] {
  const { facts, rows, path } = preview;
  const title = inLine(preview.title);
  const siteName = inLine(preview.siteName);
  const guild = `${site.url}/g/${query.guildId}`;
  const url = site.url && guild + path + queryOf(query);
  const names = rows.slice(0, NAMED).map(({ label, name }) => `${label} ${isolated(shorten(name, MAX_NAME))}`);
  const description = [facts, ...names].join(' · ');
  // Programs keep a picture by its address, so the address changes with what the picture shows.
  const version = `v=${versionOf(found)}`;
  const isMember = 'userId' in query;
  const drawn = `${guild}${isMember ? `${path}/card.png` : '/top.png'}${queryOf(query, version)}`;
  const size = isMember ? CARD_SIZE : TOP_SIZE;
  const hasDrawn = site.hasPictures && site.url !== '';
  const picture = hasDrawn ? drawn : (iconOf(found, query.guildId) ?? '');
  const tags: Tag[] = [
    ['name', 'description', description],
    ['property', 'og:type', isMember ? 'profile' : 'website'],
    ['property', 'og:site_name', siteName],
    ['property', 'og:title', title],
    ['property', 'og:description', description],
    ['property', 'og:url', url],
    ['property', 'og:image', picture],
    ['property', 'og:image:type', hasDrawn ? 'image/png' : ''],
    ['property', 'og:image:width', hasDrawn ? size.width : ''],
    ['property', 'og:image:height', hasDrawn ? size.height : ''],
    ['property', 'og:image:alt', hasDrawn ? (preview.pictureText ?? description) : ''],
    ['name', 'twitter:card', hasDrawn ? 'summary_large_image' : 'summary'],
    ['name', 'twitter:title', title],
    ['name', 'twitter:description', description],
    ['name', 'twitter:image', picture],
    ['name', 'theme-color', found.look.accent],
  ];
  return tags.filter(([, , content]) => content !== '');
}

/**
 * Returns a text that changes whenever the picture changes. The revision alone is not enough, because a new Redis can reach the same revision again.
 */
function versionOf(found: PublicPage | PublicMember | PublicRewards): string {
  const { revision, title, look, about, period } = found;
  const shown = [revision, totalOf(found), title, about.name, about.icon, period?.from, ...Object.values(look)];
  return hash('sha1', shown.join('\n'), 'base64url').slice(0, 10);
}

function totalOf(found: PublicPage | PublicMember | PublicRewards): number {
  if ('page' in found) return found.page.total;
  return 'total' in found ? found.total : found.stats.total_members;
}
