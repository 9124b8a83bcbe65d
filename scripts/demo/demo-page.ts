import { readFileSync } from 'node:fs';
import { Router } from 'express';
import { addRoute, asset, assetFile, serve } from '../../src/service/http/site/asset.ts';
import { docsPage, PAGE_HEADERS, pageHeaders } from '../../src/service/http/site/static-routes.ts';
import { readTemplates } from '../../src/service/http/site/templates.ts';
import { snippetsOf } from './snippets.ts';

/** A guild of the demo as its page tells of it. Everybody who opens the page can read the key. */
export interface DemoServer {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly requestsPerHour: number;
  readonly members: number;
  readonly key: string;
}

/** The content of the demo page. */
export interface Demo {
  /** The servers, at least one. The page shows the first. */
  readonly servers: readonly DemoServer[];
  /** The member of the first server that the page takes for its visitor. */
  readonly visitor: { readonly id: string; readonly name: string };
  /** The roles that levels of the first server give, with colours such as `#16a34a`. */
  readonly rewards: readonly { readonly level: number; readonly name: string; readonly colour: string }[];
  /** URL of the Redis for bots; undefined when no bot reaches it. */
  readonly redisUrl: string | undefined;
  /** Makes a link that signs in to the dashboard, once. */
  readonly dashboardLink: () => Promise<string>;
}

/** Seconds between two requests of the widget. */
const REFRESH_S = 2;
/** The address at which bots look for a Redis when nobody tells them an address. */
const USUAL_REDIS = 'redis://127.0.0.1:6379';

const NO_STORE = { 'Cache-Control': 'no-store' };
/** The page shows rank cards, and a public page in a frame. */
const HEADERS = {
  ...pageHeaders("'none'", "'self' data:", "'self'"),
  ...NO_STORE,
  'X-Content-Type-Options': 'nosniff',
};

/** The dashboard has the design: its style sheet, its icons and its script for the buttons that copy. */
const DASHBOARD = new URL('../../src/dashboard/', import.meta.url);
const IMAGES = new URL('../../docs/images/', import.meta.url);
const LOGO = new URL('../../src/service/http/site/logo.svg', import.meta.url);

const numbers = new Intl.NumberFormat('en');

/** Returns routes with the demo page at /, its files, and the documentation of the API with filled fields at /docs. */
export function demoPage(demo: Demo): Router {
  const { servers, visitor, rewards, redisUrl, dashboardLink } = demo;
  const [server] = servers as readonly [DemoServer];
  const render = readTemplates(new URL('.', import.meta.url), DASHBOARD);
  const router = Router({ caseSensitive: true, strict: true });
  addRoute(router, '/', (req, res) => {
    // The visitor's own address of the service, in the code to copy.
    const url = `${req.protocol}://${req.host}`;
    const values = { url, guildId: server.id, key: server.key, redisUrl: redisUrl ?? USUAL_REDIS, visitor };
    const html = render('demo', {
      ...{ server, servers, visitor, rewards, refreshS: REFRESH_S, isReachable: redisUrl !== undefined, url },
      snippets: snippetsOf(values),
      number: (value: number) => numbers.format(value),
    });
    res.set({ ...HEADERS, 'X-Request-Id': res.context.requestId, 'Content-Type': 'text/html; charset=utf-8' });
    res.end(html);
  });
  const fields = { key: server.key, guildId: server.id, userId: visitor.id };
  serve(router, '/docs', docsPage(fields), { ...PAGE_HEADERS, ...NO_STORE });
  serve(router, '/demo.css', assetFile(new URL('demo.css', import.meta.url)), NO_STORE);
  for (const name of ['dashboard.css', 'dashboard.js']) {
    serve(router, `/${name}`, assetFile(new URL(`assets/${name}`, DASHBOARD)), NO_STORE);
  }
  serve(router, '/logo.svg', asset(readFileSync(LOGO), 'image/svg+xml'), NO_STORE);
  for (const name of ['dashboard-light.png', 'dashboard-dark.png']) {
    serve(router, `/${name}`, asset(readFileSync(new URL(name, IMAGES)), 'image/png'), NO_STORE);
  }
  addRoute(router, '/dashboard', async (_req, res) => {
    res.set(NO_STORE).redirect(303, await dashboardLink());
  });
  return router;
}
