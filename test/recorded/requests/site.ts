import { inTurn, lines, one, type Section, withKey } from './request.ts';

const PATHS = ['/docs', '/docs/docs.css', '/docs/docs.js', '/widget.js', '/api/v1/openapi.json'];
const NEARBY = [
  '/docs/',
  '/docs/x',
  '/Docs',
  '/docs/docs.html',
  '/docs.html',
  '/widget.js/',
  '/widget',
  '/api/v1/openapi.yaml',
];

/** Requests that need no key. */
export const site: Section = {
  health: ['/livez', '/readyz'].flatMap((path) => [
    one('GET', path),
    one('HEAD', path),
    one('POST', path),
    one('POST', path, withKey()),
    one('GET', `${path}/`),
    one('GET', `${path}?x=1`),
    one('GET', path, { 'If-None-Match': '*' }),
    one('GET', path, { Origin: 'https://a.example' }),
    one('GET', path, withKey()),
    one('GET', path.toUpperCase()),
  ]),
  documents: PATHS.flatMap((path) => [
    one('GET', path),
    one('HEAD', path),
    one('GET', `${path}?x=1`),
    one('GET', path, { 'If-None-Match': `<etag ${path}>` }),
    one('GET', path, { 'If-None-Match': `W/<etag ${path}>` }),
    one('GET', path, { 'If-None-Match': `"other", <etag ${path}>` }),
    one('GET', path, { 'If-None-Match': '*' }),
    one('GET', path, { 'If-None-Match': '"other"' }),
    one('HEAD', path, { 'If-None-Match': `<etag ${path}>` }),
    one('GET', path, { 'If-None-Match': `<etag ${path}>`, 'Cache-Control': 'no-cache' }),
    one('GET', path, { Origin: 'https://a.example', 'Accept-Encoding': 'gzip' }),
    one('GET', path, { Connection: 'close' }),
    lines(`GET ${path} HTTP/1.0`),
    one('GET', path, withKey()),
    one('GET', path, { 'x-api-key': 'wrong' }),
    one('GET', path, { Range: 'bytes=0-3' }),
    one('OPTIONS', path),
    one('POST', path),
    one('POST', path, withKey()),
    one('DELETE', path),
    inTurn(one('GET', path), one('GET', path, { 'If-None-Match': `<etag ${path}>` }), one('HEAD', path)),
  ]),
  'modules of the documentation': ['elements', 'operations', 'request', 'samples', 'schemas'].map((name) =>
    one('GET', `/docs/${name}.js`),
  ),
  'paths nearby': NEARBY.flatMap((path) => [one('GET', path), one('GET', path, withKey())]),
};
