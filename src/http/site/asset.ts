import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';

/** A file of the service, or a text made at start: read once, sent many times. */
export interface Asset {
  readonly body: Buffer;
  readonly type: string;
  readonly etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

/** Reads a file. @throws when it is missing: the build has not copied it. */
export function assetFile(file: URL): Asset {
  const extension = file.pathname.slice(file.pathname.lastIndexOf('.') + 1);
  return asset(readFileSync(file), TYPES[extension] ?? 'text/plain');
}

/** Creates an asset; its tag is made from the content. */
export function asset(content: Buffer | string, type: string): Asset {
  const body = Buffer.from(content);
  return { body, type, etag: `"${createHash('sha1').update(body).digest('base64url')}"` };
}

/**
 * Answers GET and HEAD with the asset, or with 304 when the client has it.
 * @param route pattern for logs and metrics.
 */
export function sendAsset(route: string, { body, type, etag }: Asset, headers: Record<string, string>): RequestHandler {
  return (req, res) => {
    res.context.route = route;
    res.set({ 'X-Content-Type-Options': 'nosniff', 'X-Request-Id': res.context.requestId, ETag: etag, ...headers });
    if (req.fresh) res.status(304).end();
    else res.set({ 'Content-Type': type, 'Content-Length': String(body.length) }).end(body);
  };
}
