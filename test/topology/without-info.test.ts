import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { parseConfig } from '../../src/config/service.ts';
import { connect } from '../../src/core/store/connection.ts';
import { needs } from '../support/needs.ts';
import { PATIENT } from '../support/wait.ts';

describe('a Cluster without the command INFO', needs('redis-server'), () => {
  it('a Cluster without INFO is connected to, although ioredis asks INFO whether a node loads its data', async () => {
    const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())];
    const server = await startEmbeddedRedis([...cluster, '--rename-command', 'INFO', '']);
    onTestFinished(server.stop);
    const admin = new Redis(server.url, { enableReadyCheck: false });
    onTestFinished(() => admin.disconnect());
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
    await admin.config('SET', 'cluster-announce-ip', '127.0.0.1');
    const nodes = `127.0.0.1:${server.port}`;
    const client = connect(parseConfig({ REDIS_MODE: 'cluster', REDIS_NODES: nodes }).redis);
    onTestFinished(() => client.disconnect());
    client.on('error', () => {});
    await vi.waitFor(async () => expect(await client.ping()).toBe('PONG'), PATIENT);
  });
});
