import { InvalidInputError } from '../../core/errors.ts';
import type { Parts } from '../guild-page.ts';
import { siteOrigin } from './site-address.ts';
import { isOnSite, SNIPPET_TARGETS, type SnippetTarget } from './widget-snippet.ts';

/** Sites of Notion, which show its pages. */
const NOTION = /^https:\/\/(?:[\w-]+\.)*notion\.(?:so|com|site)$/;
/** The site of Notion to add to EMBED_ORIGINS. */
export const NOTION_SITE = 'https://www.notion.so';

/** Returns whether pages of Notion may show pages of the service. */
export function isNotionAllowed(embedOrigins: readonly string[]): boolean {
  return embedOrigins.some((origin) => origin === '*' || NOTION.test(origin));
}

/** Returns the targets whose code works: in a frame, the target may show pages of the service, or the code reads the overlay of the public page. */
export function usableTargets({ embedOrigins }: Pick<Parts, 'embedOrigins'>, hasPublicPage: boolean): SnippetTarget[] {
  const hasFrames = embedOrigins.length > 0;
  return (Object.keys(SNIPPET_TARGETS) as SnippetTarget[]).filter((target) => {
    if (isOnSite(target)) return true;
    if (target === 'notion') return isNotionAllowed(embedOrigins);
    return hasFrames || (target === 'obs' && hasPublicPage);
  });
}

/**
 * Returns the name and the origin of a key for a target. A widget in a web page sends the origin of the site, and a widget in a frame sends the
 * origin of the service.
 * @param site the address of the site, as a person enters it.
 * @throws InvalidInputError that says what to change, also when the service does not let the site read data or show its page.
 */
export function keyForTarget(
  target: SnippetTarget,
  site: string,
  { apiUrl, corsOrigins, embedOrigins }: Pick<Parts, 'apiUrl' | 'corsOrigins' | 'embedOrigins'>,
): { readonly name: string; readonly origin: string } {
  if (!isOnSite(target) && embedOrigins.length === 0)
    throw new InvalidInputError(
      'This service lets no other site show your leaderboard in a frame yet: ask its operator to set EMBED_ORIGINS',
    );
  if (target === 'notion' && !isNotionAllowed(embedOrigins))
    throw new InvalidInputError(
      `Notion may not show your leaderboard yet: ask the operator of this service to add ${NOTION_SITE} to EMBED_ORIGINS`,
    );
  if (target === 'notion' || target === 'obs') return { name: SNIPPET_TARGETS[target], origin: apiUrl };
  const origin = siteOrigin(site);
  const isAllowed = (allowed: readonly string[]) => allowed.includes('*') || allowed.includes(origin);
  if (target === 'iframe' && !isAllowed(embedOrigins))
    throw new InvalidInputError(
      `${origin} may not show your leaderboard in a frame yet: ask the operator of this service to add ${origin} to EMBED_ORIGINS`,
    );
  if (isOnSite(target) && origin !== apiUrl && !isAllowed(corsOrigins))
    throw new InvalidInputError(
      `${origin} may not read your leaderboard yet: ask the operator of this service to add ${origin} to CORS_ORIGINS`,
    );
  return { name: new URL(origin).host.slice(0, 64), origin: isOnSite(target) ? origin : apiUrl };
}
