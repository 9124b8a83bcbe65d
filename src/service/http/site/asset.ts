import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { RequestHandler, Router } from 'express';
import { chooseEncoding, type Encoding } from '../response/encoding.ts';
import { methodNotAllowed } from '../response/problem.ts';

/** The bytes of an asset as they are sent, with a tag of their own. */
interface Representation {
  readonly body: Buffer;
  readonly etag: string;
}

/** A file of the service, or a text made at start: read and compressed once, sent many times. */
export interface Asset extends Representation {
  readonly type: string;
  readonly compressed: Promise<Readonly<Record<Encoding, Representation>>>;
}

/** The codings of an asset. The coding that makes smaller files comes first. */
const ENCODINGS = ['br', 'gzip'] as const;

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

/** Compressed assets by their tag, so that a process that creates several applications compresses an asset once. */
const compressedByTag = new Map<string, Asset['compressed']>();

/** Reads a file. @throws when it is missing: the build has not copied it. */
export function assetFile(file: URL): Asset {
  return asset(readFileSync(file), typeOf(file.pathname));
}

/** Returns the media type of a file name. */
export function typeOf(name: string): string {
  return TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain';
}

/** Creates an asset; its tag is made from the content. */
export function asset(content: Buffer | string, type: string): Asset {
  const body = Buffer.from(content);
  const tag = createHash('sha1').update(body).digest('base64url');
  const compressed = compressedByTag.get(tag) ?? compress(body, tag);
  compressedByTag.set(tag, compressed);
  return { body, type, etag: `"${tag}"`, compressed };
}

/** Compresses in the thread pool: the best quality takes 70 ms for the widget. */
async function compress(body: Buffer, tag: string): Asset['compressed'] {
  const [br, gz] = await Promise.all([promisify(brotliCompress)(body), promisify(gzip)(body, { level: 9 })]);
  return { br: { body: br, etag: `"${tag}-br"` }, gzip: { body: gz, etag: `"${tag}-gzip"` } };
}

/** Serves an asset at a path, in the coding that the client likes best; 304 when the client has it. @param onRequest called for each request. */
export function serve(
  router: Router,
  path: string,
  asset: Asset,
  headers: Record<string, string>,
  onRequest = () => {},
): void {
  addRoute(router, path, async (req, res) => {
    onRequest();
    const encoding = chooseEncoding(req.headers['accept-encoding'], ENCODINGS);
    const { body, etag } = encoding ? (await asset.compressed)[encoding] : asset;
    res.set({ 'X-Content-Type-Options': 'nosniff', 'X-Request-Id': res.context.requestId, ETag: etag });
    res.set({ Vary: 'Accept-Encoding', ...headers });
    if (req.fresh) res.status(304).end();
    else {
      if (encoding) res.set('Content-Encoding', encoding);
      res.set({ 'Content-Type': asset.type, 'Content-Length': String(body.length) }).end(body);
    }
  });
}

/** Adds a route, named for logs and metrics. Other methods than GET, HEAD and OPTIONS are refused. */
export function addRoute(router: Router, path: string, ...handlers: readonly RequestHandler[]): void {
  router
    .route(path)
    .all((_req, res, next) => {
      res.context.route = path;
      next();
    })
    .get(...handlers)
    .all(() => {
      throw methodNotAllowed();
    });
}
