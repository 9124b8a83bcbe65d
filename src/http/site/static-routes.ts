import { type RequestHandler, Router } from 'express';
import { openApiDocument } from '../openapi/document.ts';
import { methodNotAllowed } from '../response/problem.ts';
import { type Asset, asset, assetFile, sendAsset } from './asset.ts';

/** For what other sites may load into their pages, whatever CORS_ORIGINS says of the data: it is the same for everyone. */
const SHARED = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, X-Request-Id',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};
const ALWAYS_ASK = { 'Cache-Control': 'no-cache' };
const AN_HOUR = { 'Cache-Control': 'public, max-age=3600' };

/** A page that runs nothing but the service's own scripts, talks to nothing but the service, and stands in no frame. */
export const PAGE_HEADERS = {
  ...ALWAYS_ASK,
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
};

/** What is served without a key: the API document, the page that shows it, and the widget. */
export function pages(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const document = asset(JSON.stringify(openApiDocument()), 'application/json; charset=utf-8');
  serve(router, '/api/v1/openapi.json', document, { ...SHARED, ...ALWAYS_ASK });
  serve(router, '/docs', webFile('docs.html'), PAGE_HEADERS);
  serve(router, '/docs/docs.css', webFile('docs.css'), ALWAYS_ASK);
  serve(router, '/docs/docs.js', webFile('docs.js'), ALWAYS_ASK);
  serve(router, '/widget.js', webFile('widget.js'), { ...SHARED, ...AN_HOUR });
  return router;
}

function webFile(name: string): Asset {
  return assetFile(new URL(`../../web/${name}`, import.meta.url));
}

/** Serves an asset at a path; other methods than GET, HEAD and OPTIONS are refused. */
export function serve(router: Router, path: string, asset: Asset, headers: Record<string, string>): void {
  const refuse: RequestHandler = (_req, res) => {
    res.context.route = path;
    throw methodNotAllowed();
  };
  router
    .route(path)
    .get(sendAsset(path, asset, headers))
    .all(refuse);
}
