import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Router } from 'express';
import { readWidgetFile } from '../service/http/site/widget-file.ts';

const SCRIPT = 'text/javascript; charset=utf-8';
const TYPES = {
  'dashboard.css': 'text/css; charset=utf-8',
  'dashboard.js': SCRIPT,
  'widget-preview.js': SCRIPT,
  'widget.js': SCRIPT,
};

/** The routes of the files, and their addresses by name. */
export type Assets = ReturnType<typeof loadAssets>;

/**
 * Loads the style sheet and the scripts of the pages, and the widget for its preview. The address of a file names its content, so browsers
 * keep it for ever.
 * @throws when a file is missing: the build has not copied it.
 */
export function loadAssets() {
  const routes = Router({ caseSensitive: true, strict: true });
  const paths: Record<string, string> = {};
  for (const [name, type] of Object.entries(TYPES)) {
    const isWidget = name === 'widget.js';
    const body = isWidget ? readWidgetFile().body : readFileSync(new URL(`./assets/${name}`, import.meta.url));
    const digest = createHash('sha256').update(body).digest('hex').slice(0, 16);
    const path = `/assets/${digest}/${name}`;
    paths[name] = path;
    routes.get(path, (_req, res) => {
      res.context.route = '/assets';
      res.set({ 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable' }).end(body);
    });
  }
  return { routes, paths };
}
