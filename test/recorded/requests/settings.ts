import { get, head, inTurn, one, pipelined, type Section, type Sent, target, withKey } from './request.ts';

const PAGE = '/leaderboard?limit=2';
const ORIGINS = ['https://a.example', 'https://b.example:8443', 'https://c.example', 'https://A.example', 'null', ''];
const stats = (guild: string): string => target('/stats', guild);

/** With a list of allowed origins. */
export const origins: Section = {
  'without an origin': [
    get('/stats'),
    get('/members/nobody'),
    one('GET', stats('guild')),
    one('OPTIONS', stats('guild')),
  ],
  'an origin': ORIGINS.flatMap((Origin) => [
    get('/stats', 'guild', { Origin }),
    get('/stats', 'guild', { Origin, 'If-None-Match': `<etag ${stats('guild')}>` }),
    head('/stats', 'guild', { Origin }),
    get('/leaderboard?limit=0', 'guild', { Origin }),
    one('GET', stats('guild'), { Origin }),
    one('GET', '/nowhere', { Origin }),
    one('OPTIONS', stats('guild'), { Origin, 'Access-Control-Request-Method': 'GET' }),
    get('/stats', 'limited', { Origin }),
  ]),
  'documents, for every origin': [one('GET', '/widget.js', { Origin: 'https://c.example' }), one('GET', '/docs')],
  health: [one('GET', '/livez', { Origin: 'https://a.example' })],
};

/** With answers that may be reused for a time, and with none kept in memory. */
export const caching: Section = {
  answers: [
    get(PAGE),
    get('/members/unicode'),
    get('/members/nobody'),
    get('/stats'),
    get('/stats', 'guild', { 'If-None-Match': `<etag ${stats('guild')}>` }),
    head('/stats'),
    inTurn(get('/stats'), get('/stats'), get('/members/plain'), get('/members/plain'), get(PAGE), get(PAGE)),
    pipelined(get('/stats'), get('/stats'), get('/members/nobody'), get('/members/nobody')),
    get('/leaderboard?limit=0'),
    one('GET', stats('guild')),
  ],
  'after a change': [
    {
      before: [['HSET', 'gr:{ten}:members', 'u9', '- 0 - Grace'], 'HINCRBY gr:{ten}:stats rev 1'],
      ...get(PAGE, 'ten'),
    },
    {
      before: [['HSET', 'gr:{ten}:members', 'u9', '- 0 - Hopper'], 'HINCRBY gr:{ten}:stats rev 1'],
      ...get(PAGE, 'ten'),
    },
    get('/members/u9', 'ten'),
  ],
  documents: [one('GET', '/widget.js'), one('GET', '/docs')],
};

const usedUp = (guild: string, requests: number, sent: Sent): Sent => ({
  ...sent,
  before: [`SET gr:quota:{${guild}} ${requests} EX 3000`],
});

/** With small quotas. */
export const quotas: Section = {
  'up to the quota and past it': [
    inTurn(...Array.from({ length: 5 }, () => get('/stats', 'on-free'))),
    inTurn(...Array.from({ length: 4 }, () => head('/stats', 'on-small'))),
    pipelined(...Array.from({ length: 5 }, () => get('/stats', 'on-free'))),
    pipelined(...Array.from({ length: 4 }, (_, i) => get(i % 2 ? '/stats' : '/leaderboard?limit=0', 'on-small'))),
  ],
  'a plan that is not listed has the quota of free': [
    usedUp('on-unknown', 2, inTurn(get('/stats', 'on-unknown'), get('/stats', 'on-unknown'))),
  ],
  'a counter that was there before': [0, 1, 2, 3, 1000].map((used) =>
    usedUp('on-free', used, get('/stats', 'on-free')),
  ),
  'used up': [
    get('/stats', 'on-free'),
    head('/stats', 'on-free'),
    get('/leaderboard?limit=0', 'on-free'),
    get('/members/nobody', 'on-free'),
    get('/members/a%20b', 'on-free'),
    get('/members/%', 'on-free'),
    get('/stats', 'on-free', { 'If-None-Match': '*' }),
    get('/stats', 'on-free', { Connection: 'close' }),
    get('/stats', 'on-free', { Origin: 'https://a.example' }),
    one('GET', stats('guild'), withKey('on-free')),
    one('POST', stats('on-free'), withKey('on-free')),
    one('GET', '/nowhere', withKey('on-free')),
    one('OPTIONS', stats('on-free'), withKey('on-free')),
    one('GET', '/livez', withKey('on-free')),
    one('GET', '/docs', withKey('on-free')),
    { requests: [`GET ${stats('on-free')} HTTP/1.1\r\nx-api-key: <key on-free>\r\n\r\n`] },
    { requests: [`GET ${stats('on-free')} HTTP/1.0\r\nx-api-key: <key on-free>\r\n\r\n`] },
  ].map((sent) => usedUp('on-free', 3, sent)),
};

const from = (address: string, key = '<key made-up>', headers = {}): Sent =>
  one('GET', target('/stats', 'ten'), { 'x-api-key': key, 'X-Forwarded-For': address, ...headers });
const flood = (address: string): Sent => ({ ...from(address), refusedWithin: 5000 });
/** Refused although it is sent seldom: only for what others of its network sent. Not at once, because the limit gets room in time. */
const refused = (sent: Sent): Sent => ({ ...sent, refusedWithin: 400 });

/** Behind a proxy whose X-Forwarded-For is believed: too many invalid keys from one address. */
export const floods: Section = {
  IPv4: [
    flood('192.0.2.1'),
    from('192.0.2.2'),
    ...['::ffff:192.0.2.1', '::FFFF:192.0.2.1'].map((a) => refused(from(a))),
  ],
  'IPv6, by network': [
    flood('2001:db8:1:2:3:4:5:6'),
    ...['2001:db8:1:2::', '2001:db8:1:2::1'].map((a) => refused(from(a))),
    ...['2001:db8:1:3::1', '2001:db8::1:2'].map((a) => from(a)),
  ],
  'no address': [
    flood('unknown'),
    ...['other', '192.0.2.1:80', '192.0.2.1, '].map((a) => refused(from(a))),
    ...['', '192.0.2.1, 192.0.2.9'].map((a) => from(a)),
    refused(from('192.0.2.9, 192.0.2.1')),
  ],
  'what else such an address asks': [
    refused(from('192.0.2.1', '<key expired>')),
    refused(from('192.0.2.1', '<key made-up>', { Connection: 'close' })),
    refused(one('HEAD', target('/stats'), { 'x-api-key': '<key made-up>', 'X-Forwarded-For': '192.0.2.1' })),
    refused(one('POST', target('/stats'), { 'x-api-key': '<key made-up>', 'X-Forwarded-For': '192.0.2.1' })),
    refused(one('GET', '/nowhere', { 'x-api-key': '<key made-up>', 'X-Forwarded-For': '192.0.2.1' })),
    from('192.0.2.1', 'wrong'),
    inTurn(from('192.0.2.2', '<key ten>'), from('192.0.2.1', '<key ten>')),
    one('GET', target('/stats'), { 'X-Forwarded-For': '192.0.2.1' }),
    one('GET', '/livez', { 'x-api-key': '<key made-up>', 'X-Forwarded-For': '192.0.2.1' }),
  ],
};

/** Without Redis. The key of "guild" was seen before, all others were not. */
export const outage: Section = {
  'with a key that is known': [
    get('/stats'),
    get('/leaderboard?limit=0'),
    get('/members/nobody'),
    head('/stats'),
    get('/stats', 'guild', { 'If-None-Match': '*' }),
    get('/stats', 'guild', { Connection: 'close' }),
    one('POST', stats('guild'), withKey()),
    one('GET', stats('big'), withKey()),
    one('GET', '/nowhere', withKey()),
  ],
  'with a key that is not known': [get('/stats', 'big'), get('/stats', 'ten', { Origin: 'https://a.example' })],
  'without a valid key': [one('GET', stats('guild')), one('GET', stats('guild'), { 'x-api-key': 'wrong' })],
  'without asking Redis': [
    one('OPTIONS', stats('guild')),
    one('GET', '/livez'),
    one('GET', '/docs'),
    one('GET', '/nowhere'),
  ],
  readiness: [one('GET', '/readyz'), one('HEAD', '/readyz')],
};

/** The admin listener. */
export const admin: Section = {
  health: ['/livez', '/readyz'].flatMap((path) => [
    one('GET', path),
    one('HEAD', path),
    one('POST', path),
    one('GET', `${path}/`),
  ]),
  elsewhere: [one('GET', '/'), one('GET', '/nowhere'), one('POST', '/metrics'), one('GET', stats('guild'), withKey())],
};
