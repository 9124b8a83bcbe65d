import { Router } from 'express';
import { asset, assetFile, serve } from '../../src/service/http/site/asset.ts';
import { PAGE_HEADERS } from '../../src/service/http/site/static-routes.ts';

/** The content of the demo page. Everybody who opens the page can read the keys. */
export interface Demo {
  readonly guilds: readonly { readonly name: string; readonly guild: string; readonly key: string }[];
  /** Seconds between two requests of the widget. */
  readonly refreshS?: number;
  /** Makes a link that signs in to the dashboard, once. */
  readonly dashboardLink?: () => Promise<string>;
  /** Path of a guild's public page. */
  readonly publicPage?: string;
}

/** Returns routes with a page at /, which shows the widget for each guild. */
export function demoPage(demo: Demo): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const noStore = { 'Cache-Control': 'no-store' };
  serve(router, '/', asset(render(demo), 'text/html; charset=utf-8'), { ...PAGE_HEADERS, ...noStore });
  serve(router, '/demo.css', assetFile(new URL('demo.css', import.meta.url)), noStore);
  serve(router, '/demo.js', assetFile(new URL('demo.js', import.meta.url)), noStore);
  const { dashboardLink } = demo;
  if (dashboardLink) {
    router.get('/dashboard', async (_req, res) => {
      res.context.route = '/dashboard';
      res.set(noStore).redirect(303, await dashboardLink());
    });
  }
  return router;
}

function render({ guilds, refreshS = 2, dashboardLink, publicPage }: Demo): string {
  const [first] = guilds;
  const options = guilds.map(
    ({ name, guild, key }) => `<option value="${escaped(guild)}" data-key="${escaped(key)}">${escaped(name)}</option>`,
  );
  const link = (href: string, text: string) => `<a href="${escaped(href)}">${text}</a>`;
  const links = [link('docs', 'API documentation'), link('api/v1/openapi.json', 'openapi.json')];
  if (dashboardLink) links.unshift(link('dashboard', 'Dashboard'));
  if (publicPage) links.unshift(link(publicPage, 'Public page'));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Guildrank demo</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="demo.css">
<script src="widget.js" defer></script>
<script src="demo.js" defer></script>
</head>
<body>
<header>
  <h1>Guildrank</h1>
  <nav>${links.join(' ')}</nav>
</header>
<main>
  <div class="choices">
    <label>Server <select id="guild">${options.join('')}</select></label>
    <label>Theme <select id="theme"><option>auto<option>light<option>dark</select></label>
    <label>Direction <select id="direction"><option value="ltr">left to right<option value="rtl">right to left</select></label>
  </div>
  <guild-leaderboard guild="${escaped(first?.guild ?? '')}" api-key="${escaped(first?.key ?? '')}" refresh="${refreshS}"></guild-leaderboard>
  <h2>Put it on a page of yours</h2>
  <pre id="snippet" tabindex="0"></pre>
  <button type="button" data-copy="snippet">Copy the tag</button>
  <h2>Ask the API</h2>
  <pre id="curl" tabindex="0"></pre>
  <button type="button" data-copy="curl">Copy the command</button>
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
