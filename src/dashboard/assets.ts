import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type RequestHandler, Router } from 'express';
import { readWidgetFile } from '../web/widget-file.ts';

const SCRIPT = 'text/javascript; charset=utf-8';
const FILES = {
  'dashboard.css': 'text/css; charset=utf-8',
  'dashboard.js': SCRIPT,
  'widget-preview.js': SCRIPT,
} as const;

export type AssetName = keyof typeof FILES | 'widget.js';

/** The style sheet and the scripts of the pages, and the widget for its preview. The address of a file names its content, so browsers keep it for ever. */
export class Assets {
  readonly routes: Router = Router({ caseSensitive: true, strict: true });
  private readonly paths = new Map<AssetName, string>();

  /** @throws when a file is missing: the build has not copied it. */
  constructor() {
    this.add('widget.js', readWidgetFile().body, SCRIPT);
    for (const name of Object.keys(FILES) as (keyof typeof FILES)[]) {
      const body = readFileSync(new URL(`./assets/${name}`, import.meta.url));
      this.add(name, body, FILES[name]);
    }
  }

  /** Returns the address of a file. */
  pathOf(name: AssetName): string {
    return this.paths.get(name) ?? '';
  }

  private add(name: AssetName, body: Buffer, type: string): void {
    const digest = createHash('sha256').update(body).digest('hex').slice(0, 16);
    const path = `/assets/${digest}/${name}`;
    this.paths.set(name, path);
    const send: RequestHandler = (_req, res) => {
      res.context.route = '/assets';
      res.set({ 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable' }).end(body);
    };
    this.routes.get(path, send);
  }
}
