import { execFileSync } from 'node:child_process';
import { findRedisServer } from '../../scripts/dev/embedded-redis.ts';

const server = findRedisServer();
const version = server ? execFileSync(server, ['--version'], { encoding: 'utf8' }) : '';

/** Whether the suites run on Redis 6. It has no selectors in an ACL, and fewer settings. */
export const isRedis6 = /^Redis server v=6\./.test(version);

/** The permission to use every channel. Redis 6.0 has no word for it, because every user may. */
export const ALL_CHANNELS: readonly string[] = isRedis6 ? [] : ['&*'];
