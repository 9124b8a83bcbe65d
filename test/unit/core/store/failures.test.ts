import { expect, it } from 'vitest';
import { redisCodeOf, StoreUnavailableError } from '../../../../src/core/errors.ts';
import { explainFailure, explainStart, isDatabaseRefusal, isRefusal } from '../../../../src/core/store/failures.ts';

const failed = (message: string, command?: string) =>
  Object.assign(new Error(message), command === undefined ? {} : { command: { name: command } });

it.each([
  'NOAUTH Authentication required.',
  'WRONGPASS x',
  'NOPERM x',
  'ERR invalid password',
  'ERR Client sent AUTH, but',
])('"%s" refuses the credentials', (message) => {
  expect(isRefusal(new Error(message))).toBe(true);
  expect(isDatabaseRefusal(new Error(message))).toBe(false);
});

it('any error of SELECT refuses the database, and LOADING refuses nothing for good', () => {
  expect(isDatabaseRefusal(failed('ERR DB index is out of range', 'select'))).toBe(true);
  expect(isRefusal(failed('ERR DB index is out of range', 'select'))).toBe(true);
  expect(isRefusal(failed('LOADING Redis is loading', 'ping'))).toBe(false);
});

it('an error that a server sends to each new connection does not refuse the database', () => {
  const error = failed('ERR max number of clients reached', 'select');
  expect(isRefusal(error)).toBe(false);
  expect(explainStart('standalone', 'x', error)).toMatch(
    /^Cannot use x: ERR max number .*\. Raise maxclients of Redis/,
  );
});

it('a Cluster whose nodes announce no host name is told to set cluster-announce-hostname', () => {
  const told = explainStart('cluster', 'x', new Error('getaddrinfo ENOTFOUND ?'));
  expect(told).toMatch(/its nodes announce no host, .*Set cluster-announce-hostname on each node, or/);
});

it.each([
  'READONLY',
  'OOM',
  'MISCONF',
  'NOREPLICAS',
  'NOPERM',
  'NOAUTH',
  'WRONGPASS',
  'LOADING',
  'BUSY',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'ASK',
  'MOVED',
  'CROSSSLOT',
  'WRONGTYPE',
  'NOSCRIPT',
])('the refusal %s is named with a fix', (code) => {
  const fix = /^Redis refused: \w+ said so\. (.{20,})$/.exec(explainFailure(`${code} said so.`))?.[1];
  expect(fix).toBeDefined();
  expect(explainStart('standalone', 'the Redis at h:1', failed(`${code} said so.`))).toBe(
    `Cannot use the Redis at h:1: ${code} said so. ${fix}.`,
  );
});

it.each([
  ['READONLY', "READONLY You can't write against a read only replica. script: 9e1a, on @user_script:413."],
  ['MODEL', 'MODEL gr:{g}:stats has data of version 9 script: 9e1a, on @user_script:7.'],
  ['ERR', 'ERR the counter members is no whole number script: 9e1a, on @user_script:7.'],
  ['WRONGTYPE', 'WRONGTYPE Operation against a key script: 9e1a, on @user_script:562.'],
])('the code %s is read from "%s"', (code, message) => {
  expect(redisCodeOf(message)).toBe(code);
});

it('an unknown refusal is named without a fix, and a failure of the connection is no refusal', () => {
  expect(explainFailure('ERR unknown command')).toBe('Redis refused: ERR unknown command');
  expect(explainFailure('connect ECONNREFUSED 127.0.0.1:1')).toBe(
    'Redis did not answer: connect ECONNREFUSED 127.0.0.1:1',
  );
  const broken =
    'Reached the max retries per request limit (which is 0). Refer to "maxRetriesPerRequest" option for details.';
  const error = new StoreUnavailableError(new Error(broken));
  expect(explainFailure(error.reason)).toBe('Redis did not answer: the connection broke before the reply');
  expect(error.code).toBe('unreachable');
});

it.each([
  ["Stream isn't writeable and enableOfflineQueue options is false", 'there is no connection to Redis'],
  ["Cluster isn't ready and enableOfflineQueue options is false", 'there is no connection to the Cluster'],
])('a log line has no text of the client: "%s"', (text, words) => {
  expect(new StoreUnavailableError(new Error(text))).toMatchObject({ reason: words, code: 'unreachable' });
});

it.each([
  [failed('connect ECONNREFUSED h:1'), 'connect ECONNREFUSED h:1'],
  [Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [
    failed("Stream isn't writeable and enableOfflineQueue options is false"),
    'it does not answer; a firewall may drop the packets, or another program may listen there',
  ],
])('only a failure of the connection is told as "cannot reach": %s', (error, reason) => {
  expect(explainStart('standalone', 'the Redis at h:1', error)).toBe(
    `Cannot reach the Redis at h:1: ${reason}. Start Redis, or correct REDIS_URL.`,
  );
});

it.each([
  [false, 'Protocol error, got "\\u0015" as reply type byte', /the port may speak TLS\. If it does, write rediss:/],
  [false, 'Protocol error, got "H" as reply type byte', /another program answers there/],
  [true, 'write EPROTO 80:error:0A00010B:SSL routines::wrong version number', /the port may not speak TLS/],
  [true, '80:error:0A0000C6:SSL routines::packet length too long', /the port may not speak TLS/],
  [false, 'Connection is closed.', /: Connection is closed\. Start Redis, or correct REDIS_URL\.$/],
  [true, 'read ECONNRESET', /: read ECONNRESET\. Start Redis, or correct REDIS_URL\.$/],
])('with TLS %s, the message of "%s" tells what speaks there', (overTls, message, words) => {
  expect(explainStart('standalone', 'the Redis at h:1', Object.assign(new Error(message), { overTls }))).toMatch(words);
});

it.each([
  ['ERR No such master with that name', 'the Sentinels know no master of this name. Correct REDIS_SENTINEL_NAME.'],
  [
    "ERR unknown command 'sentinel', with args beginning with: 'get-master-addr-by-name' 'x' ",
    'a Redis answers there, not a Sentinel. Write the addresses of the Sentinels into REDIS_NODES.',
  ],
  [
    'NOAUTH Authentication required.',
    'the Sentinels refuse the credentials. Correct REDIS_SENTINEL_USERNAME and REDIS_SENTINEL_PASSWORD.',
  ],
  [
    'WRONGPASS invalid username-password pair or user is disabled.',
    'the Sentinels refuse the credentials. Correct REDIS_SENTINEL_USERNAME and REDIS_SENTINEL_PASSWORD.',
  ],
])('the answer "%s" of Sentinels has a fix of its own', (answer, words) => {
  const message = `All sentinels are unreachable. Retrying from scratch after 250ms. Last error: ${answer}`;
  expect(explainStart('sentinel', 'x', new Error(message))).toBe(`Cannot reach x: ${words}`);
});

it('the message says that Sentinels that cut the connection may want other TLS', () => {
  const message = 'All sentinels are unreachable. Retrying from scratch after 250ms. Last error: Connection is closed.';
  expect(explainStart('sentinel', 'x', new Error(message))).toMatch(/REDIS_SENTINEL_TLS .* correct REDIS_NODES\.$/);
});

it.each([
  ['CERT_HAS_EXPIRED', 'Renew the certificate'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'Set REDIS_TLS_CA'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'set REDIS_TLS_CERT'],
])('the failure %s cannot mend itself, and has a fix', (code, fix) => {
  const error = Object.assign(new Error('x'), { code });
  expect(isRefusal(error)).toBe(true);
  expect(explainStart('standalone', 'x', error)).toContain(fix);
});

it('a Cluster that never gets ready is said to lack answers or slots', () => {
  const error = failed("Cluster isn't ready and enableOfflineQueue options is false");
  expect(explainStart('cluster', 'the Redis Cluster at h:1', error)).toBe(
    'Cannot reach the Redis Cluster at h:1: its nodes do not answer, CLUSTER INFO is not ok there, or the nodes announce no address (CONFIG SET cluster-announce-ip, and cluster-preferred-endpoint-type other than unknown-endpoint). Start Redis, or correct REDIS_NODES.',
  );
});

it('the last error of a command that ioredis sent to several nodes is named by its own code', () => {
  const cause = new Error('Too many Cluster redirections. Last error: ReplyError: CLUSTERDOWN Hash slot not served');
  expect(new StoreUnavailableError(cause)).toMatchObject({
    code: 'CLUSTERDOWN',
    reason: 'CLUSTERDOWN Hash slot not served',
  });
});
