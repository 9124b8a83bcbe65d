import { existsSync, readFileSync } from 'node:fs';
import { Router } from 'express';
import { type Asset, asset, serve, typeOf } from './asset.ts';
import { ICON_ADDRESS } from './icon.ts';
import { isPerson } from './is-person.ts';
import { readWidgetFile } from './widget-file.ts';

/** Headers of files that any site may load, whatever CORS_ORIGINS says of the data: they are the same for everyone. */
const SHARED = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, X-Request-Id',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};
/** Headers of a file that a browser asks for again each time. */
export const REVALIDATE = { 'Cache-Control': 'no-cache' };
const ONE_HOUR = { 'Cache-Control': 'public, max-age=3600' };
const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/**
 * Returns the headers of an HTML page: it runs only the service's own scripts and connects only to the service.
 * @param images sources of pictures.
 * @param frames sources of the pages that it shows in frames.
 */
export function pageHeaders(frameAncestors: string, images = 'data:', frames = "'none'"): Record<string, string> {
  const framing = frames === "'none'" ? '' : `frame-src ${frames}; `;
  return {
    ...REVALIDATE,
    'Content-Security-Policy':
      `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src ${images}; ${framing}` +
      `base-uri 'none'; form-action 'none'; frame-ancestors ${frameAncestors}; require-trusted-types-for 'script'`,
    // This header is for old browsers that do not know frame-ancestors.
    ...(frameAncestors === "'none'" && { 'X-Frame-Options': 'DENY' }),
    'Referrer-Policy': 'no-referrer',
  };
}

/** Headers of an HTML page that stands in no frame. */
export const PAGE_HEADERS = pageHeaders("'none'");

/** Files of the documentation page, in src/service/explorer. */
const DOCS_FILES = ['docs.css', 'docs.js', 'elements.js', 'operations.js', 'request.js', 'samples.js', 'schemas.js'];

/** Reads an OpenAPI document: the copy that the build puts beside the compiled code, or the document of the repository. */
function readDocument(name: string): Asset {
  const built = new URL(`../../../${name}`, import.meta.url);
  const file = existsSync(built) ? built : new URL(`../../../../docs/${name}`, import.meta.url);
  return asset(JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))), 'application/json; charset=utf-8');
}

/** Reads a file for browsers, with values in the place of the names in braces, such as `{icon}`. */
function webFile(name: string, values: Readonly<Record<string, string>> = {}): Asset {
  const text = readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
  const filled = Object.entries({ icon: ICON_ADDRESS, ...values }).reduce(
    (page, [key, value]) => page.replace(`{${key}}`, value),
    text,
  );
  return asset(filled, typeOf(name));
}

/** The values of the fields of the documentation page when the page opens: a valid API key, and the ids of its guild and of a member. */
export interface DocsFields {
  readonly key: string;
  readonly guildId: string;
  readonly userId: string;
}

const EMPTY_FIELDS: DocsFields = { key: '', guildId: '', userId: '' };

/**
 * Creates the documentation page.
 * @param fields for a demonstration, whose API key everybody may have. The page of a service has empty fields.
 */
export function docsPage({ key, guildId, userId } = EMPTY_FIELDS): Asset {
  const { path, integrity } = readWidgetFile();
  const ofWidget = { 'widget-path': path, 'widget-integrity': integrity };
  return webFile('service/explorer/docs.html', { ...ofWidget, key, 'guild-id': guildId, 'user-id': userId });
}

type Route = [path: string, asset: Asset, headers: Record<string, string>];

/**
 * Creates the routes that need no key: the first page, the API documents, the documentation page, the widget, and its page for frames.
 * @param embedOrigins the sites that may show that page in a frame; "*" allows all. Without any site, there is no page for frames.
 * @param onPage called for each request.
 */
export function staticRoutes(embedOrigins: readonly string[], onPage: () => void): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const widget = readWidgetFile();
  const script = asset(widget.body, typeOf('widget.js'));
  const routes: Route[] = [
    ['/api/v1/openapi.json', readDocument('openapi.json'), { ...SHARED, ...REVALIDATE }],
    ['/public/openapi.json', readDocument('public-openapi.json'), { ...SHARED, ...REVALIDATE }],
    ['/docs', docsPage(), PAGE_HEADERS],
    ...DOCS_FILES.map((name): Route => [`/docs/${name}`, webFile(`service/explorer/${name}`), REVALIDATE]),
    ['/widget.js', script, { ...SHARED, ...ONE_HOUR }],
    [`/${widget.path}`, script, { ...SHARED, ...FOR_EVER }],
  ];
  if (embedOrigins.length > 0) {
    // The site around the frame chooses where the pictures of members come from, by avatar-href.
    routes.push([
      '/embed',
      webFile('widget/embed/embed.html', { 'widget-path': widget.path }),
      pageHeaders(embedOrigins.join(' '), 'data: http: https:'),
    ]);
    routes.push(['/embed/embed.js', webFile('widget/embed/embed.js'), REVALIDATE]);
  }
  for (const route of routes) serve(router, ...route, onPage);
  // A person who opens the address of the service gets a page. A program gets the problem not_found.
  const home = Router({ caseSensitive: true, strict: true });
  const vary = { Vary: 'Accept, Accept-Encoding' };
  serve(home, '/', webFile('service/explorer/home.html'), { ...PAGE_HEADERS, ...vary }, onPage);
  router.get('/', (req, res, next) => {
    if (isPerson(req)) home(req, res, next);
    else next();
  });
  // The address is relative, because a proxy can serve the page below a path of its own.
  router.get('/docs/', (_req, res) => {
    onPage();
    res.context.route = '/docs/';
    res.set({ 'X-Content-Type-Options': 'nosniff', 'X-Request-Id': res.context.requestId, ...REVALIDATE });
    res.status(308).set('Location', '../docs').end();
  });
  return router;
}
