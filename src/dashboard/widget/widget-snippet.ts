import { digits, withNoun } from '../../core/format-numbers.ts';
import { reservedSpace } from '../../service/http/site/widget-file.ts';
import { attributesOf, propertiesOf, type WidgetSettings } from './widget-form.ts';

/** Where an owner can put the code of the widget, by the names of the form. */
export const SNIPPET_TARGETS = {
  html: 'HTML',
  wordpress: 'WordPress',
  iframe: 'iframe',
  notion: 'Notion',
  obs: 'OBS',
} as const;

/** The target of a code: where an owner puts it. */
export type SnippetTarget = keyof typeof SNIPPET_TARGETS;

/** The service that the widget reads. */
export interface SnippetService {
  /** Its public address, an origin. */
  readonly apiUrl: string;
  readonly guildId: string;
  /** Whether the guild has a public page. */
  readonly hasPublicPage: boolean;
}

/** Stands in the code where a person enters an API key. */
const NO_KEY = 'gr_...';

/** Whether the widget is a part of a page of the site itself. At any other target, a page of the service shows it. */
export function isOnSite(target: SnippetTarget): boolean {
  return target === 'html' || target === 'wordpress';
}

/** Whether the code of a target can have an API key: OBS shows the public page itself, if the guild has a public page. */
export function takesKey(target: SnippetTarget, { hasPublicPage }: SnippetService): boolean {
  return !(target === 'obs' && hasPublicPage);
}

/**
 * Returns the code that a person copies: HTML, or an address.
 * @param apiKey the API key, or a text that stands for it; "" = the code reads public data.
 */
export function codeOf(
  target: SnippetTarget,
  settings: WidgetSettings,
  service: SnippetService,
  apiKey: string,
): string {
  if (isOnSite(target)) return snippetOf(settings, service, apiKey);
  const { apiUrl, guildId } = service;
  if (!takesKey(target, service)) return `${apiUrl}/g/${guildId}?overlay=1&limit=${settings['page-size']}`;
  const key = apiKey === '' ? {} : { 'api-key': apiKey };
  const fragment = new URLSearchParams({ guild: guildId, ...key, ...attributesOf(settings) });
  const address = `${apiUrl}/embed#${fragment}`;
  if (target !== 'iframe') return address;
  const height = Math.ceil(16 * heightOf(settings));
  const src = address.replaceAll('&', '&amp;');
  return `<iframe title="Leaderboard" width="100%" height="${height}" style="border: 0"\n  src="${src}"></iframe>`;
}

/** Returns the codes of all targets, by the ids of their elements: `code-TARGET` needs no API key, and `keyed-TARGET` has room for an API key. */
export function codesOf(settings: WidgetSettings, service: SnippetService): Readonly<Record<string, string>> {
  const targets = Object.keys(SNIPPET_TARGETS) as SnippetTarget[];
  const codes = targets.flatMap((target) => {
    const keyed = [`keyed-${target}`, codeOf(target, settings, service, NO_KEY)];
    return service.hasPublicPage ? [keyed, [`code-${target}`, codeOf(target, settings, service, '')]] : [keyed];
  });
  return Object.fromEntries(codes);
}

function snippetOf(settings: WidgetSettings, { apiUrl, guildId }: SnippetService, apiKey: string): string {
  const attributes = Object.entries(attributesOf(settings)).map(([name, value]) => ` ${name}="${value}"`);
  const properties = Object.entries(propertiesOf(settings)).map(([name, value]) => `${name}: ${value}`);
  return [
    '<style>',
    `  ${reservedSpace(heightOf(settings))}`,
    ...(properties.length > 0 ? [`  guild-leaderboard { ${properties.join('; ')} }`] : []),
    '</style>',
    `<script src="${apiUrl}/widget.js" defer></script>`,
    `<guild-leaderboard guild="${guildId}"${apiKey && ` api-key="${apiKey}"`}${attributes.join('')}></guild-leaderboard>`,
  ].join('\n');
}

/** Returns the height of a widget with a full page, in em, as docs/widget.md computes it. */
function heightOf(settings: WidgetSettings): number {
  const { layout, density, 'page-size': size } = settings;
  const tabs = 'boards' in attributesOf(settings) ? 3 : 0;
  if (layout === 'table') return 13.5 + 3.25 * size + tabs;
  const row = density === 'compact' ? 2.75 : 3.75;
  return 11.25 + row * size + tabs;
}

/** Visitors who look at the same time. */
const VISITORS = [1, 10, 100];
/** One read of the totals lasts this many refreshes. */
const TOTALS_EVERY = 5;

/** Returns the requests of visitors who look for an hour, and whether the quota allows fewer requests. */
export function costsOf({ refresh }: WidgetSettings, perHour: number) {
  const each = refresh === 0 ? 2 : Math.ceil(3600 / refresh) + Math.ceil(3600 / (TOTALS_EVERY * refresh));
  return VISITORS.map((visitors) => {
    const requests = visitors * each;
    const share = perHour > 0 ? Math.round((100 * requests) / perHour) : 100;
    const text = `${withNoun(requests, 'request')}, ${digits(share)} % of the quota`;
    return { visitors, text, isOver: requests > perHour };
  });
}
