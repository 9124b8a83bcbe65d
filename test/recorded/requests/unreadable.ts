import { get, HOST, lines, one, raw, type Section, target, withKey } from './request.ts';

const STATS = target('/stats');
const KEY = 'x-api-key: <key guild>';

/** Requests that Node's parser refuses. */
export const unreadable: Section = {
  'no HTTP': [
    lines('nonsense'),
    lines('GET'),
    lines('GET / HTTP'),
    lines('GET / HTTP/2.0'),
    lines('GET / HTTP/1.2', `Host: ${HOST}`),
    lines('GET / HTTP/0.9'),
    lines('get / HTTP/1.1', `Host: ${HOST}`),
    lines('BREW / HTTP/1.1', `Host: ${HOST}`),
    lines('HEAD'),
    lines('PRI * HTTP/2.0', '', 'SM'),
    { requests: ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'] },
  ],
  'bad targets': [
    one('GET', `${STATS} x`, withKey()),
    one('GET', `/caf\xe9`, withKey()),
    one('GET', `/a\x00b`, withKey()),
    one('GET', `/a\tb`, withKey()),
    one('GET', '', withKey()),
  ],
  'bad headers': [
    lines(`GET ${STATS} HTTP/1.1`, `Host: ${HOST}`, 'no colon'),
    lines(`GET ${STATS} HTTP/1.1`, `Host: ${HOST}`, 'name : value', KEY),
    lines(`GET ${STATS} HTTP/1.1`, `Host: ${HOST}`, KEY, ' folded'),
    lines(`GET ${STATS} HTTP/1.1`, `Host: ${HOST}`, 'x-other: a\x00b', KEY),
    lines(`GET ${STATS} HTTP/1.1`, `Host: ${HOST}`, 'x-other: a\x01b', KEY),
    lines(`HEAD ${STATS} HTTP/1.1`, `Host: ${HOST}`, 'no colon'),
    lines(`GET ${STATS} HTTP/1.1`, `Host: ${HOST}`, 'Content-Length: x', KEY),
    lines(`GET ${STATS} HTTP/1.1`, `Host: ${HOST}`, 'Content-Length: 1', 'Content-Length: 2', KEY),
    lines(`POST ${STATS} HTTP/1.1`, `Host: ${HOST}`, KEY, 'Content-Length: 5', 'Transfer-Encoding: chunked'),
    lines(`POST ${STATS} HTTP/1.1`, `Host: ${HOST}`, KEY, 'Transfer-Encoding: gzip'),
    { requests: [`GET ${STATS} HTTP/1.1\nHost: ${HOST}\n${KEY}\n\n`] },
    { requests: [`\r\n\r\nGET ${STATS} HTTP/1.1\r\nHost: ${HOST}\r\n${KEY}\r\n\r\n`] },
  ],
  'too much': [
    get('/stats', 'guild', { 'x-padding': 'a'.repeat(17_000) }),
    one('HEAD', STATS, withKey('guild', { 'x-padding': 'a'.repeat(17_000) })),
    one('GET', `${STATS}?${'a'.repeat(17_000)}`, withKey()),
    get('/stats', 'guild', Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x-${i}`, 'a']))),
  ],
  'after a request that was fine': [
    { requests: [raw('GET', STATS, withKey()), 'nonsense\r\n\r\n'] },
    { requests: [raw('GET', STATS, withKey()), `GET ${STATS} HTTP/1.1\r\nno colon\r\n\r\n`] },
  ],
};

/** Requests that never arrive whole. They are sent at the same time, beside the others: none of them is counted. */
export const unfinished: Section = {
  'that end within the head': [
    { requests: ['GET'] },
    { requests: [`GET ${STATS} HTTP/1.1\r\nHost: ${HOST}\r\n`] },
    { requests: [`HEAD ${STATS} HTTP/1.1\r\nHost: ${HOST}\r\n`] },
    { requests: [raw('GET', STATS), 'GET '] },
  ],
};
