import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Router } from 'express';
import { readWidgetFile } from '../service/http/site/widget-file.ts';

const SCRIPT = 'text/javascript; charset=utf-8';
const TYPES = {
  'logo.svg': 'image/svg+xml',
  'dashboard.css': 'text/css; charset=utf-8',
  'dashboard.js': SCRIPT,
  'widget-preview.js': SCRIPT,
  'widget.js': SCRIPT,
};

/**
 * Reads a file from the folder of the dashboard, or from a folder of the service for a file that service and dashboard serve.
 * @throws when the file is missing.
 */
function readAsset(name: string): Buffer {
  if (name === 'widget.js') return readWidgetFile().body;
  const folder = name === 'logo.svg' ? '../service/http/site' : './assets';
  return readFileSync(new URL(`${folder}/${name}`, import.meta.url));
}

/** The routes of the files, and their addresses by name. */
export type Assets = ReturnType<typeof loadAssets>;

/**
 * Loads the logo, the style sheet and the scripts of the pages, and the widget for its preview. The address of a file names its content, so browsers
 * keep it for ever.
 * @throws when a file is missing: the build has not copied it.
 */
export function loadAssets() {
  const routes = Router({ caseSensitive: true, strict: true });
  const paths: Record<string, string> = {};
  for (const [name, type] of Object.entries(TYPES)) {
    const body = readAsset(name);
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
