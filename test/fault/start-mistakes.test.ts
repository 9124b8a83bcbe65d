import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { parseConfig } from '../../src/config/service.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createService } from '../../src/service/service.ts';
import { makeCertificates, tlsServer } from '../support/certificates.ts';
import { type ContextOptions, runCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT } from '../support/process.ts';
import { redisForTest } from '../support/stores.ts';

const NAME = 'redis.internal';

/** Starts a Redis that serves TLS alone, under {@link NAME}. */
async function tlsRedis(clients: 'yes' | 'no' = 'no') {
  const certificates = await makeCertificates(NAME);
  onTestFinished(certificates.remove);
  const port = await freePort();
  const server = await startEmbeddedRedis(['--port', '0', ...tlsServer(certificates, port, clients)]);
  onTestFinished(server.stop);
  return { ...certificates, port, plainUrl: `redis://127.0.0.1:${port}`, url: `rediss://127.0.0.1:${port}` };
}

/** For a mistake that may mend itself, which the doctor waits for. */
const SOON = { connectTimeoutMs: 2000 };

/** Returns what the doctor says of a Redis that it cannot reach. It is asked again when a busy machine let no answer come in its time. */
async function reachable(env: Record<string, string>, options: ContextOptions = {}): Promise<Finding | undefined> {
  let finding: Finding | undefined;
  for (let times = 0; times < 10; times++) {
    const { code, stdout } = await runCommand('doctor', ['--json'], env, options);
    expect(code).toBe(1);
    finding = (JSON.parse(stdout) as { findings: Finding[] }).findings.find(({ check }) => check === 'reachable');
    if (!finding?.detail.includes('it does not answer; a firewall')) break;
  }
  return finding;
}

/** Returns the message with which the start of the service ends. It would wait a minute for a Redis that may come yet. */
async function startFailure(env: Record<string, string>): Promise<string> {
  const config = parseConfig({ HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', ...env });
  const logger = createLogger('silent', { write: () => {} });
  const service = await createService(config, { logger, bootTimeoutMs: 60_000 });
  return service.start().then(
    (running) => running.close().then(() => 'it started'),
    (error: Error) => error.message,
  );
}

/** Starts a server that says a text on each connection, at once or after the first command, and closes the connection. @returns its address. */
async function startRefusing(text: string, when: 'at once' | 'after a command' = 'at once'): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (when === 'at once') socket.end(text);
    else socket.once('data', () => socket.end(text));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What Redis says in protected mode. */
const PROTECTED =
  '-DENIED Redis is running in protected mode because protected mode is enabled. In this mode connections are only accepted from the loopback interface.\r\n';

/** Starts a Sentinel that names this master to everyone. @returns its address. */
async function startSentinelOf(master: string): Promise<string> {
  const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`;
  const [host = '', port = ''] = master.split(':');
  const sentinel = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      for (const command of String(data)
        .split(/^\*\d+\r\n/m)
        .slice(1)) {
        if (command.includes('get-master-addr-by-name')) socket.write(`*2\r\n${bulk(host)}${bulk(port)}`);
        else socket.write(command.includes('sentinel') ? '*0\r\n' : '+OK\r\n');
      }
    });
  }).listen(0, '127.0.0.1');
  await once(sentinel, 'listening');
  onTestFinished(() => void sentinel.close());
  return `127.0.0.1:${(sentinel.address() as AddressInfo).port}`;
}

/** Expects that the doctor ends its finding with these words, whichever settings lead to this server. */
async function expectTold(url: string, told: string): Promise<void> {
  const { host } = new URL(url);
  const sentinel = await startSentinelOf(host);
  const ways = [
    { REDIS_URL: url },
    { REDIS_URL: `redis://:password@${host}/2` },
    { REDIS_URL: `${url}/2` },
    { REDIS_MODE: 'cluster', REDIS_NODES: `127.0.0.1:1,${host}` },
    { REDIS_MODE: 'sentinel', REDIS_NODES: sentinel, REDIS_SENTINEL_NAME: 'main' },
  ];
  const findings = await Promise.all(ways.map((env) => reachable(env, SOON)));
  for (const [index, finding] of findings.entries())
    expect(finding?.detail, JSON.stringify(ways[index])).toMatch(new RegExp(`: ${told}$`));
}

describe('mistakes of the settings of Redis', needs('redis-server', 'openssl'), () => {
  it('the error of a certificate of an unknown authority names REDIS_TLS_CA, at once', async () => {
    const { url, port } = await tlsRedis();
    const detail = `Cannot use the Redis at 127.0.0.1:${port}: no trusted authority has signed its certificate (self-signed certificate in certificate chain)`;
    const fix =
      'Set REDIS_TLS_CA to a PEM file with the certificate of its authority; if the host names no authority, see REDIS_TLS_VERIFY';
    expect(await reachable({ REDIS_URL: url })).toMatchObject({ state: 'problem', detail, fix });
    expect(await startFailure({ REDIS_URL: url })).toBe(`${detail}. ${fix}.`);
  });

  it('with REDIS_TLS_VERIFY=off any certificate is accepted, and log and doctor warn of it', async () => {
    const { url } = await tlsRedis();
    const env = { REDIS_URL: url, REDIS_TLS_VERIFY: 'off' };
    const log: string[] = [];
    const config = parseConfig({ HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', ...LONG_REDIS_TIMEOUT, ...env });
    const service = await createService(config, {
      logger: createLogger('warn', { write: (line) => void log.push(line) }),
      bootTimeoutMs: 60_000,
    });
    const running = await service.start();
    expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
    await running.close();
    expect(log.join('')).toContain('the certificate is not checked');
    const { stdout } = await runCommand('doctor', ['--json'], env);
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    expect(findings).toContainEqual(expect.objectContaining({ check: 'TLS', state: 'note' }));
  });

  it('doctor and the start tell what a full Redis says to each new connection', async () => {
    const { url, client } = await redisForTest();
    await client.config('SET', 'maxclients', '1');
    const fix = expect.stringContaining('Raise maxclients of Redis');
    const detail = expect.stringContaining('ERR max number of clients reached');
    expect(await reachable({ REDIS_URL: url }, SOON)).toMatchObject({ state: 'problem', detail, fix });
    const { code, stderr } = await runCommand('guild', ['list'], { REDIS_URL: url }, { connectTimeoutMs: 5000 });
    expect([code, stderr]).toEqual([1, expect.stringContaining('ERR max number of clients reached')]);
  });

  it('the start tells at once what a Redis in protected mode says to each new connection', async () => {
    const url = await startRefusing('-DENIED Redis is running in protected mode because protected mode is enabled\r\n');
    const fix = expect.stringContaining('Give Redis users with passwords');
    expect(await reachable({ REDIS_URL: url })).toMatchObject({
      detail: expect.stringContaining('protected mode'),
      fix,
    });
    expect(await startFailure({ REDIS_URL: url })).toContain('DENIED Redis is running in protected mode');
  });

  it.each([
    ['-ERR max number of clients reached\r\n', 'ERR max number of clients reached'],
    [PROTECTED, 'DENIED Redis is running in protected mode because protected mode is enabled'],
    ['-ERR the proxy has no backend', 'ERR the proxy has no backend'],
  ])('the start tells "%s", whatever ioredis writes first', async (greeting, told) => {
    await expectTold(await startRefusing(greeting), told);
  });

  it.each([
    ['-ERR this tenant is not known\r\n', 'ERR this tenant is not known'],
    [
      'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n',
      'another program answers there, not Redis: it says "HTTP/1.1 400 Bad Request"',
    ],
    ['\x15\x03\x01\x00\x02\x02\x46', 'it sends an alert of TLS; the port may speak TLS'],
  ])('the start tells %j, which a server says only after a first command', async (answer, told) => {
    await expectTold(await startRefusing(answer, 'after a command'), told);
  });

  it('the error of a certificate for another host names REDIS_TLS_SERVERNAME and the names of the certificate, at once', async () => {
    const { url, port, ca } = await tlsRedis();
    const env = { REDIS_URL: url, REDIS_TLS_CA: ca };
    const detail = `Cannot use the Redis at 127.0.0.1:${port}: its certificate is for another host (DNS:${NAME})`;
    const fix = 'Connect to a host that the certificate names, or set REDIS_TLS_SERVERNAME to such a host';
    expect(await reachable(env)).toMatchObject({ detail, fix });
    expect(await startFailure(env)).toBe(`${detail}. ${fix}.`);
  });

  it('the error of a Redis that wants a certificate of the client names REDIS_TLS_CERT, at once', async () => {
    const { url, ca } = await tlsRedis('yes');
    const env = { REDIS_URL: url, REDIS_TLS_CA: ca, REDIS_TLS_SERVERNAME: NAME };
    const fix =
      'If it asks for client certificates, set REDIS_TLS_CERT and REDIS_TLS_KEY to a certificate that it trusts';
    expect(await reachable(env)).toMatchObject({ detail: expect.stringContaining('refuses this client'), fix });
    expect(await startFailure(env)).toContain(fix);
  });

  it('the error of a certificate and a key that do not go together names REDIS_TLS_CERT and REDIS_TLS_KEY, at once', async () => {
    const { url, ca, client, server } = await tlsRedis();
    const env = { REDIS_URL: url, REDIS_TLS_CA: ca, REDIS_TLS_CERT: client.cert, REDIS_TLS_KEY: server.key };
    const detail = expect.stringMatching(
      /: REDIS_TLS_CERT and REDIS_TLS_KEY cannot be used \(.*key values mismatch\)$/,
    );
    const fix = 'Set them to the PEM files of a certificate and of its private key, which must have no passphrase';
    expect(await reachable(env)).toMatchObject({ detail, fix });
    expect(await startFailure(env)).toContain(fix);
  });

  it.each(['', ':secret@'])(
    'the error says that a port may speak TLS, with "%s" in the address',
    async (credentials) => {
      const { plainUrl } = await tlsRedis();
      expect(await reachable({ REDIS_URL: plainUrl.replace('//', `//${credentials}`) }, SOON)).toMatchObject({
        detail: expect.stringMatching(/^Cannot reach .*(ECONNRESET|EPIPE); the port may speak TLS$/),
        fix: 'If it does, write rediss:// in REDIS_URL; otherwise start Redis, or correct REDIS_URL',
      });
    },
  );

  it('the error says that a port may not speak TLS', async () => {
    const { port } = await redisForTest();
    expect(await reachable({ REDIS_URL: `rediss://127.0.0.1:${port}` }, SOON)).toMatchObject({
      detail: expect.stringMatching(/the port may not speak TLS/),
      fix: 'If it does not speak TLS, write redis:// in REDIS_URL; otherwise start Redis, or correct REDIS_URL',
    });
  });

  it('the error says that a single Redis is no Cluster', async () => {
    const { port } = await redisForTest();
    const env = { REDIS_MODE: 'cluster', REDIS_NODES: `127.0.0.1:${port}` };
    expect(await reachable(env, SOON)).toMatchObject({
      detail: `Cannot use the Redis Cluster at 127.0.0.1:${port}: a single Redis answers there, not a Cluster`,
      fix: 'Leave out REDIS_MODE and REDIS_NODES, and write the address of this Redis into REDIS_URL',
    });
  });

  it.each([
    ['hostname', 'cluster-announce-hostname is not set', 'Set cluster-announce-hostname on each node'],
    ['unknown-endpoint', 'the nodes announce no address', 'REDIS_NODES'],
  ])('the error of a Cluster with the endpoint type %s says which names its nodes lack', async (type, words, fix) => {
    const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())];
    const server = await startEmbeddedRedis([...cluster, '--cluster-preferred-endpoint-type', type]);
    onTestFinished(server.stop);
    const admin = new Redis(server.url);
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
    admin.disconnect();
    const env = { REDIS_MODE: 'cluster', REDIS_NODES: `127.0.0.1:${server.port}` };
    expect(await reachable(env, SOON)).toMatchObject({
      detail: expect.stringContaining(words),
      fix: expect.stringContaining(fix),
    });
  });

  it.each([
    [{ REDIS_URL: 'rediss://unused' }, 'their certificates may not fit REDIS_TLS_CA or REDIS_TLS_SERVERNAME'],
    [{}, 'their ports may speak TLS (rediss:// in REDIS_URL)'],
  ])('the error of a Cluster with %j says what its TLS may lack', async (env, words) => {
    const { port } = await tlsRedis();
    const finding = await reachable({ REDIS_MODE: 'cluster', REDIS_NODES: `127.0.0.1:${port}`, ...env }, SOON);
    expect(finding?.detail).toContain(words);
  });
});
