import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseConfig } from '../../src/config/service.ts';
import type { RedisClient } from '../../src/core/store/client.ts';
import { connect } from '../../src/core/store/connection.ts';
import { namedMaster } from '../../src/core/store/tls.ts';
import { makeCertificates } from '../support/certificates.ts';
import { startNamedTlsServer } from '../support/named-tls-server.ts';
import { needs } from '../support/needs.ts';
import { PATIENT } from '../support/wait.ts';

const NAME = 'localhost';

/** Starts a host that serves this name alone, and opens a connection to it. */
async function connected(env: (port: number) => Record<string, string>, name = NAME) {
  const certificates = await makeCertificates(name);
  onTestFinished(certificates.remove);
  const server = await startNamedTlsServer(certificates, name);
  onTestFinished(server.stop);
  const client = connect(parseConfig({ REDIS_TLS_CA: certificates.ca, ...env(server.port) }).redis);
  onTestFinished(() => client.disconnect());
  client.on('error', () => {});
  return { client, server };
}

const served = (client: RedisClient) => vi.waitFor(async () => expect(await client.ping()).toBe('PONG'), PATIENT);

describe('a host that routes TLS by the name of the handshake', needs('openssl'), () => {
  it('a host that routes by names serves one Redis by the host of its address', async () => {
    const { client, server } = await connected((port) => ({ REDIS_URL: `rediss://${NAME}:${port}` }));
    await served(client);
    expect(new Set(server.names)).toEqual(new Set([NAME]));
  });

  it('a host that routes by names serves one Redis by REDIS_TLS_SERVERNAME, whatever the address is', async () => {
    const name = 'redis.internal';
    const { client } = await connected(
      (port) => ({ REDIS_URL: `rediss://${NAME}:${port}`, REDIS_TLS_SERVERNAME: name }),
      name,
    );
    await served(client);
  });

  it('a host that routes by names serves Sentinels by the host that all of them have, and the master by the host that they tell', async () => {
    const { client, server } = await connected((port) => ({
      REDIS_MODE: 'sentinel',
      REDIS_NODES: `${NAME}:${port}`,
      REDIS_SENTINEL_NAME: 'main',
      REDIS_SENTINEL_TLS: 'on',
      REDIS_URL: 'rediss://unused',
    }));
    await served(client);
    expect(new Set(server.names)).toEqual(new Set([NAME]));
  });

  it('a host that routes by names serves the nodes of a Cluster by their hosts, and subscribers too', async () => {
    const { client, server } = await connected((port) => ({
      REDIS_MODE: 'cluster',
      REDIS_NODES: `${NAME}:${port}`,
      REDIS_URL: 'rediss://unused',
    }));
    await served(client);
    await client.subscribe('channel');
    expect(new Set(server.names)).toEqual(new Set([NAME]));
  });

  it('the handshake with an IP address has no name, because an address is no name', async () => {
    const { client, server } = await connected((port) => ({
      REDIS_URL: `rediss://127.0.0.1:${port}`,
      REDIS_TLS_VERIFY: 'off',
      REDIS_TLS_CA: '',
    }));
    await vi.waitFor(() => expect(server.names).toContain(false), PATIENT);
    expect(client.status).not.toBe('ready');
  });
});

it('the name of a master is not kept for the next master, which is named by its address', () => {
  expect(namedMaster('redis-1.example:6380')).toEqual({
    host: 'redis-1.example',
    port: 6380,
    servername: 'redis-1.example',
  });
  expect(namedMaster('10.0.0.2:6380')).toEqual({ host: '10.0.0.2', port: 6380 });
});
