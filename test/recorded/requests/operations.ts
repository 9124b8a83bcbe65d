import { GUILDS } from '../data.ts';
import { get, head, inTurn, one, type Section, target, withKey } from './request.ts';

const members = (guild: string) => Object.keys(GUILDS[guild]?.members ?? {});
const guilds = (prefix: string) => Object.keys(GUILDS).filter((id) => id.startsWith(prefix));
const PAGE = '/leaderboard';
const LIMITED = [1, 2, 9, 10, 11, 25, 26, 27, 28, 50, 99, 100];
const PAGES = [1, 2, 3, 4, 100, 90_071_992_547_409, 900_719_925_474_099, 9_007_199_254_740_991];

/** The three operations on guilds and members of every kind. */
export const operations: Section = {
  'a page': [get(PAGE), get(`${PAGE}?`), get(`${PAGE}?limit=10&page=1`), get(`${PAGE}?page=1&limit=10`)],
  'each limit': LIMITED.map((limit) => get(`${PAGE}?limit=${limit}`)),
  'each page': PAGES.map((page) => get(`${PAGE}?page=${page}`)),
  'the last page and the one past it': [
    get(`${PAGE}?limit=27`),
    get(`${PAGE}?limit=27&page=2`),
    get(`${PAGE}?limit=26&page=2`),
    get(PAGE, 'ten'),
    get(`${PAGE}?page=2`, 'ten'),
    get(`${PAGE}?limit=100&page=2`, 'big'),
    get(`${PAGE}?limit=100&page=3`, 'big'),
    get(`${PAGE}?limit=100&page=4`, 'big'),
    get(`${PAGE}?limit=1&page=250`, 'big'),
    get(`${PAGE}?limit=1&page=251`, 'big'),
    get(`${PAGE}?limit=100&page=9007199254740991`, 'big'),
  ],
  'HEAD of pages': [head(PAGE), head(`${PAGE}?limit=3&page=2`), head(`${PAGE}?page=99`), head(PAGE, 'empty')],
  members: members('guild').map((id) => get(`/members/${id}`)),
  'HEAD of members': [head('/members/plain'), head('/members/unicode'), head('/members/nobody')],
  'members that are not ranked': [get('/members/nobody'), get('/members/plain', 'empty'), get('/members/__proto__')],
  'odd scores': [get(PAGE, 'odd'), ...members('odd').map((id) => get(`/members/${id}`, 'odd'))],
  curves: guilds('c-').flatMap((guild) => [
    get(PAGE, guild),
    get('/stats', guild),
    ...['m0', 'm1', 'm5', 'm10'].map((id) => get(`/members/${id}`, guild)),
  ]),
  statistics: ['guild', 'big', 'ten', ...guilds('s-')].map((guild) => get('/stats', guild)),
  'HEAD of statistics': [head('/stats'), head('/stats', 'empty')],
  'a guild without anything': [get(PAGE, 'empty'), get(`${PAGE}?page=2`, 'empty'), get('/stats', 'empty')],
  'a guild without a revision': [get(PAGE, 'raw'), get('/members/u1', 'raw'), get('/stats', 'raw')],
  'ids with every sign': [
    get(PAGE, 'g.with-all_signs'),
    get('/members/u0', 'g.with-all_signs'),
    get('/stats', 'g.with-all_signs'),
  ],
  'an id of digits': [
    get(PAGE, '81384788765712384'),
    get('/members/u2', '81384788765712384'),
    get('/stats', '81384788765712384'),
  ],
  'a key of another type in Redis': [get(PAGE, 'broken'), get('/members/u0', 'broken'), get('/stats', 'broken')],
  'the same address twice': [
    inTurn(get(`${PAGE}?limit=2`), get(`${PAGE}?limit=2`)),
    inTurn(get('/members/plain'), get('/members/plain'), head('/members/plain')),
    inTurn(get('/stats'), head('/stats'), get('/stats')),
    inTurn(get('/members/nobody'), get('/members/nobody')),
    inTurn(get(`${PAGE}?limit=0`), get(`${PAGE}?limit=0`)),
  ],
  'after a change': [
    { before: ['ZADD gr:{ten}:xp 99 u0', 'HINCRBY gr:{ten}:stats rev 1'], ...get(`${PAGE}?limit=1&page=10`, 'ten') },
    get('/members/u0', 'ten'),
    { before: ['ZREM gr:{ten}:xp u0', 'HINCRBY gr:{ten}:stats rev 1'], ...get('/members/u0', 'ten') },
    { before: ['HSET gr:{ten}:config xp_curve lurkr', 'HINCRBY gr:{ten}:stats rev 1'], ...get('/stats', 'ten') },
    get(PAGE, 'ten'),
  ],
  'plans without a quota of their own': [get('/stats', 'on-unknown'), get('/stats', 'unplanned')],
  'keys that end later': [one('GET', target('/stats'), withKey('expiring'))],
};
