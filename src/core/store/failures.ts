import { type RedisCode, redisCodeOf, scriptRefusal, systemErrorOf } from '../errors.ts';
import {
  addressVariable,
  type ConnectionError,
  certificateRefusal,
  connectionMistake,
  OTHER_PROGRAM,
} from './connection-mistakes.ts';
import type { RedisConfig } from './redis-config.ts';

/** The advice for a person about a refusal, by the code of the refusal. */
const FIXES: Readonly<Record<RedisCode | 'ERR', string | undefined>> = {
  READONLY: 'This is a replica: connect to its master, or use REDIS_MODE=sentinel',
  OOM: 'Redis is full: raise its maxmemory, or delete data',
  MISCONF:
    'Redis cannot save to its disk, so it refuses writes: read its log, and make room on the disk or correct its permissions',
  NOREPLICAS: 'Redis lacks replicas: bring them back, or lower min-replicas-to-write',
  NOPERM: 'The user of REDIS_URL lacks a permission: compare the user with deploy/redis/users.acl',
  NOAUTH: 'Redis asks for a password: put the user and the password into REDIS_URL',
  WRONGPASS: 'Correct the user and the password in REDIS_URL',
  LOADING: 'Redis is loading its data: try again when it has finished',
  BUSY: 'A script keeps Redis busy: wait until the script ends, or end it with SCRIPT KILL',
  MASTERDOWN: 'This is a replica without its master: bring the master back',
  CLUSTERDOWN: 'A part of the Cluster has no master: look at CLUSTER INFO, and bring the nodes back',
  TRYAGAIN: 'The Cluster is moving these keys to another node: try again when it has finished',
  ASK: 'The Cluster is moving these keys to another node: try again when it has finished',
  MOVED:
    'Another node of the Cluster has these keys: if REDIS_MODE is not set, set REDIS_MODE=cluster; otherwise try again when the Cluster has moved its slots',
  CROSSSLOT: 'The keys of the call are in different slots of the Cluster: name keys of one guild only',
  WRONGTYPE: 'A Redis key has another type than docs/redis-keys.md says: delete or rename the key',
  NOSCRIPT: 'Redis has lost the script: run the command again',
  // Their own messages have the fix.
  MODEL: undefined,
  CURVE: undefined,
  BOARDS: undefined,
  ERR: undefined,
};

/** The errors that a server sends on every new connection before it closes the connection, and the fix for each. */
const GREETINGS: readonly (readonly [RegExp, string])[] = [
  [
    /max number of clients/,
    'Raise maxclients of Redis, or close connections that nobody needs: on a connection that is still open, CLIENT LIST shows them',
  ],
  [
    /^DENIED\b/,
    'Give Redis users with passwords, as deploy/redis/users.acl does, or set bind and protected-mode in its configuration',
  ],
];

/** The error of ioredis for bytes that are neither a reply of Redis nor an alert of TLS, which begins with byte 21. */
const NO_REPLY = /^Protocol error(?!, got "\\u0015")/;
/** The answer of a Redis that is not a node of a Cluster. */
const NO_CLUSTER = /cluster support disabled/;

/** The error of the system for the host name "?", which a node of a Cluster announces when the node has no name. */
const NO_HOSTNAME = /ENOTFOUND \?$/;

/** An error that Redis sent; ioredis adds the command. */
interface ReplyError extends Error {
  readonly command?: { readonly name: string };
}

/** Returns whether Redis refused to select the database. A connection that goes on after that would use database 0. */
export function isDatabaseRefusal(error: Error): boolean {
  // ioredis takes the greeting that a server sends on each new connection for the reply to its first command.
  if (GREETINGS.some(([greeting]) => greeting.test(error.message))) return false;
  return (error as ReplyError).command?.name === 'select';
}

/** Returns whether Redis refused the credentials or the database, or a certificate was refused, so that a retry cannot help. */
export function isRefusal(error: Error): boolean {
  return (
    isDatabaseRefusal(error) ||
    certificateRefusal(error) !== undefined ||
    /^(NOAUTH|WRONGPASS|NOPERM|DENIED)\b|ERR invalid password|ERR Client sent AUTH/.test(error.message)
  );
}

/** Returns the message for a command that failed: the refusal of Redis with its fix, or that Redis did not answer. */
export function explainFailure(reason: string): string {
  const own = scriptRefusal(reason);
  if (own) return own;
  const code = redisCodeOf(reason);
  if (code === undefined) return `Redis did not answer: ${reason}`;
  const fix = FIXES[code] ?? GREETINGS.find(([pattern]) => pattern.test(reason))?.[1];
  return `Redis refused: ${withoutStop(reason)}${fix ? `. ${fix}` : ''}`;
}

/**
 * Returns the message for a Redis that could not be used at the start: it refused, or it was not reached.
 * @param where the Redis in words, as `describeRedis` of connection.ts returns them.
 */
export function explainStart(mode: RedisConfig['mode'], where: string, error: Error): string {
  const { problem, fix } = startFailure(mode, where, error);
  return `${problem}. ${fix}.`;
}

/** Returns why a connection could not be made, and the fix, each as a sentence without its stop. */
export function startFailure(
  mode: RedisConfig['mode'],
  where: string,
  error: ConnectionError,
): { readonly problem: string; readonly fix: string } {
  const certificate = certificateRefusal(error);
  if (certificate) return { problem: `Cannot use ${where}: ${certificate.problem}`, fix: certificate.fix };
  const reason = withoutStop(error.message || systemErrorOf(error).code || error.name);
  if (NO_HOSTNAME.test(reason)) {
    const problem = `Cannot use ${where}: its nodes announce no host, because cluster-preferred-endpoint-type is hostname and cluster-announce-hostname is not set`;
    return { problem, fix: 'Set cluster-announce-hostname on each node, or set cluster-preferred-endpoint-type to ip' };
  }
  const [, greetingFix] = GREETINGS.find(([pattern]) => pattern.test(reason)) ?? [];
  if (greetingFix) return { problem: `Cannot use ${where}: ${reason.replace(/\. .*/s, '')}`, fix: greetingFix };
  if (isDatabaseRefusal(error)) {
    const limit = mode === 'cluster' ? '; before Valkey 9 a Cluster has database 0 only' : '';
    return { problem: `Cannot use ${where}: ${reason}`, fix: `Correct the database in REDIS_URL${limit}` };
  }
  if (NO_CLUSTER.test(reason)) {
    const fix = 'Leave out REDIS_MODE and REDIS_NODES, and write the address of this Redis into REDIS_URL';
    return { problem: `Cannot use ${where}: a single Redis answers there, not a Cluster`, fix };
  }
  const code = redisCodeOf(error.message);
  if (code !== undefined) return { problem: `Cannot use ${where}: ${reason}`, fix: FIXES[code] ?? 'Correct REDIS_URL' };
  if (NO_REPLY.test(reason) || reason.startsWith(OTHER_PROGRAM)) {
    const problem = `Cannot use ${where}: ${NO_REPLY.test(reason) ? OTHER_PROGRAM : reason}`;
    return { problem, fix: `Correct ${addressVariable(mode)}` };
  }
  const { problem, fix } = connectionMistake(error, reason, mode);
  return { problem: `Cannot reach ${where}: ${problem}`, fix };
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, '');
}
