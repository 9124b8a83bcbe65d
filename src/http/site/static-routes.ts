import { type RequestHandler, Router } from 'express';
import { openApiDocument } from '../openapi/document.ts';
import { methodNotAllowed } from '../response/problem.ts';
import { type Asset, asset, assetFile, sendAsset } from './asset.ts';

/** Headers of files that any site may load, whatever CORS_ORIGINS says of the data: they are the same for everyone. */
const SHARED = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, X-Request-Id',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};
const REVALIDATE = { 'Cache-Control': 'no-cache' };
const ONE_HOUR = { 'Cache-Control': 'public, max-age=3600' };

/** Headers of an HTML page: it runs only the service's own scripts, connects only to the service, and stands in no frame. */
export const PAGE_HEADERS = {
  ...REVALIDATE,
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
};

/** Creates the routes that need no key: the API document, the documentation page and the widget. @param onPage called for each request. */
export function staticRoutes(onPage: () => void): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get(['/api/v1/openapi.json', '/docs', '/docs/docs.css', '/docs/docs.js', '/widget.js'], (_req, _res, next) => {
    onPage();
    next();
  });
  const document = asset(JSON.stringify(openApiDocument()), 'application/json; charset=utf-8');
  serve(router, '/api/v1/openapi.json', document, { ...SHARED, ...REVALIDATE });
  serve(router, '/docs', webFile('docs/docs.html'), PAGE_HEADERS);
  serve(router, '/docs/docs.css', webFile('docs/docs.css'), REVALIDATE);
  serve(router, '/docs/docs.js', webFile('docs/docs.js'), REVALIDATE);
  serve(router, '/widget.js', webFile('widget.js'), { ...SHARED, ...ONE_HOUR });
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
