import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { parseConfig } from '../../src/config/service.ts';
import { openCore } from '../../src/core/core.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createService } from '../../src/service/service.ts';
import { startCluster } from '../support/cluster.ts';
import { runCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { redisForTest } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';

/** Starts the service. @returns its address. */
async function boot(env: Record<string, string>): Promise<string> {
  const config = parseConfig({ HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', ...env });
  const service = await createService(config, { logger: createLogger('silent', { write: () => {} }) });
  const { url, close } = await service.start();
  onTestFinished(() => close());
  return url;
}

const OUT_OF_RANGE =
  /Cannot use the Redis at 127\.0\.0\.1:\d+ \(database 5\): ERR DB index is out of range\. Correct the database in REDIS_URL\./;

describe('a database that the server does not have', needs('redis-server'), () => {
  it.each([
    ['guild', ['delete', '--guild', 'prod', '--yes']],
    ['guild', ['set', '--guild', 'prod', '--plan', 'pro']],
    ['seed', ['--guild', 'prod', '--generate', '10']],
    ['keys', ['create', '--guild', 'prod']],
  ])(
    'with a database that the server does not have, the command %s %j ends in one line, and leaves database 0 as it is',
    async (name, args) => {
      const { url, client } = await redisForTest('--databases', '2');
      await openCore(client, 'gr').writer.record('prod', { userId: '1', set: 5 });
      const before = await client.zrange('gr:{prod}:xp', 0, -1, 'WITHSCORES');
      const { code, stdout, stderr } = await runCommand(name, args, { REDIS_URL: `${url}/5` });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(OUT_OF_RANGE);
      expect(stderr.split('\n')).toHaveLength(2);
      expect(await client.zrange('gr:{prod}:xp', 0, -1, 'WITHSCORES')).toEqual(before);
      expect((await client.keys('*')).sort()).toEqual(['gr:{prod}:stats', 'gr:{prod}:xp']);
    },
  );

  it('with a database that the server does not have, the start of the service ends at once', async () => {
    const { url } = await redisForTest('--databases', '2');
    await expect(boot({ REDIS_URL: `${url}/5` })).rejects.toThrow(OUT_OF_RANGE);
  });

  it('a database that the user may not select ends the start too', async () => {
    const { port } = await redisForTest('--user', 'u', 'on', '>p', '~*', '&*', '+@all', '-select');
    const url = `redis://u:p@127.0.0.1:${port}`;
    await expect(boot({ REDIS_URL: `${url}/1` })).rejects.toThrow(
      /\(database 1\): NOPERM .* Correct the database in REDIS_URL/,
    );
    await expect(boot({ REDIS_URL: url })).resolves.toMatch(/^http/);
  });

  it('a database other than 0 ends the start on a Cluster that has one database', async () => {
    const cluster = await startCluster();
    onTestFinished(cluster.stop);
    const env = { REDIS_MODE: 'cluster', REDIS_NODES: cluster.addresses, REDIS_URL: 'redis://unused/1' };
    await expect(boot(env)).rejects.toThrow(
      /^Cannot use the Redis Cluster at .* \(database 1\): ERR SELECT is not allowed in cluster mode\. Correct the database in REDIS_URL; before Valkey 9 a Cluster has database 0 only\.$/,
    );
    await expect(boot({ ...env, REDIS_URL: 'redis://unused/0' })).resolves.toMatch(/^http/);
  });

  it('a service whose Redis comes back without the database answers 503, and never shows the data of database 0', async () => {
    const port = String(await freePort());
    const first = await startEmbeddedRedis(['--port', port]);
    onTestFinished(first.stop);
    const url = await boot({ REDIS_URL: `${first.url}/5` });
    await first.stop();
    const second = await redisForTest('--port', port, '--databases', '2');
    const store = openCore(second.client, 'gr');
    await store.writer.record('prod', { userId: '1', set: 5 });
    const { key } = await store.apiKeys.create('prod', 'test', null);
    const attempts = async () =>
      (await second.client.info('commandstats')).match(/cmdstat_select:.*failed_calls=(\d+)/);
    // Both connections of the service came back, and were refused more than once.
    await vi.waitFor(async () => expect(Number((await attempts())?.[1])).toBeGreaterThan(5), PATIENT);
    const answer = await fetch(`${url}/api/v1/servers/prod/stats`, { headers: { 'x-api-key': key } });
    expect(answer.status).toBe(503);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
  });
});
