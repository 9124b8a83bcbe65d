import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { createWriter } from '../../src/kit/writer.ts';
import { makeCertificates, tlsServer } from '../support/certificates.ts';
import { redisOptions } from '../support/redis-options.ts';
import { PATIENT } from '../support/wait.ts';
import { type Composition, createComposition } from './composition.ts';
import type { Image } from './image.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
const GUILD = '123456789012345678';

/** Runs the services of docker-compose.yml as it says, on the image that is built. */
export function composeSuite(image: () => Image): void {
  /** Imports members and makes an API key by a service of commands, and expects their page of the service. */
  const expectPage = async (composition: Composition, service: string, commands: string) => {
    const address = await composition.up(service);
    const seeded = await composition.run(commands, ['seed', '--guild', GUILD, '--generate', '30']);
    expect(seeded, seeded.stderr).toMatchObject({ code: 0 });
    const made = await composition.run(commands, ['keys', 'create', '--guild', GUILD, '--json']);
    expect(made, made.stderr).toMatchObject({ code: 0 });
    const headers = { 'x-api-key': JSON.parse(made.stdout).key };
    // A Redis that the machine holds up is answered with 503, until it is back.
    await vi.waitFor(async () => {
      const response = await fetch(`http://${address}:8080/api/v1/servers/${GUILD}/leaderboard`, { headers });
      const body = await response.text();
      expect(response.status, body).toBe(200);
      expect(JSON.parse(body)).toMatchObject({ total: 30 });
    }, PATIENT);
  };
  const compositionWith = async (env: Record<string, string>, test: (composition: Composition) => Promise<void>) => {
    const composition = await createComposition(image(), env);
    try {
      await test(composition);
    } finally {
      await composition.remove();
    }
  };

  describe('docker compose up', () => {
    let composition: Composition;
    beforeAll(async () => {
      composition = await createComposition(image());
    }, 600_000);
    afterAll(() => composition?.remove());

    it('docker compose up serves what its commands have imported, with an API key that they have made', async () => {
      await expectPage(composition, 'guildrank', 'commands');
    });

    it.runIf(hasIpv6)('docker compose up serves over IPv6 as well as IPv4', async () => {
      await composition.up('guildrank');
      const script = "fetch('http://[::1]:8080/livez').then(({ status }) => console.log(status))";
      // A busy machine can keep a program from starting in the container.
      await vi.waitFor(async () => {
        const asked = await composition.exec('guildrank', ['node', '-e', script]);
        expect(asked).toEqual({ code: 0, stdout: '200\n', stderr: '' });
      }, PATIENT);
    });

    it('docker compose up lets a bot outside of the containers write as the user bot', async () => {
      const client = new Redis(`redis://bot:change-me-bot@${await composition.up('redis')}:6379`);
      expect(await createWriter(client).award('outside', { userId: '1', amount: 5 })).toMatchObject({ xp: 5 });
      client.disconnect();
    });

    it('docker compose up starts the dashboard, and its commands make a link to it', async () => {
      const address = await composition.up('dashboard');
      const made = await composition.run('commands', ['dashboard', '--operator-link', '--json']);
      const link = new URL(JSON.parse(made.stdout).link ?? JSON.parse(made.stdout).url);
      expect(link.origin).toBe('http://127.0.0.1:8090');
      // The dashboard lives before it has reached Redis.
      await vi.waitFor(async () => {
        const { status } = await fetch(`http://${address}:8090${link.pathname}`);
        expect(status).toBe(200);
      }, PATIENT);
    });

    it('the Redis of docker compose up goes back to a copy of the data, and keeps it over a restart', async () => {
      const admin = ['valkey-cli', '--no-auth-warning', '-u', 'redis://admin:change-me-admin@127.0.0.1:6379'];
      const count = async () =>
        (await composition.exec('redis', [...admin, 'ZCARD', `gr:{${GUILD}}:xp`])).stdout.trim();
      const file = join(tmpdir(), `guildrank-copy-${process.pid}.rdb`);
      const copy = await composition.exec('redis', ['sh', '-c', `${admin.join(' ')} --rdb - 2>/dev/null | base64`]);
      writeFileSync(file, Buffer.from(copy.stdout, 'base64'));
      await composition.exec('redis', [...admin, 'DEL', `gr:{${GUILD}}:xp`]);
      await composition.stop('redis');
      const restored = await composition.run('redis', ['sh', '/usr/local/bin/restore.sh', '/data'], file);
      rmSync(file);
      expect(restored).toMatchObject({ code: 0, stderr: '' });
      await composition.up('redis');
      expect(await count()).toBe('30');
      await composition.exec('redis', [...admin, 'ZADD', `gr:{${GUILD}}:xp`, '1', 'later']);
      await composition.stop('redis');
      await composition.up('redis');
      expect(await count()).toBe('31');
    });
  });

  it('the profile bot serves from the Redis that a bot already has, and makes API keys there', async () => {
    const port = await freePort();
    const redis = await startEmbeddedRedis(['--port', String(port), '--bind', '0.0.0.0', '--protected-mode', 'no']);
    try {
      await compositionWith({ BOT_REDIS_URL: `redis://host.docker.internal:${port}` }, async (composition) => {
        await expectPage(composition, 'guildrank-bot', 'commands-bot');
      });
    } finally {
      await redis.stop();
    }
  });

  it('the profile bot speaks TLS to the Redis of a bot, with the files that .env names', async () => {
    const certificates = await makeCertificates('redis.internal');
    const { ca, client } = certificates;
    // The container runs as another user.
    chmodSync(client.key, 0o644);
    const port = await freePort();
    const redis = await startEmbeddedRedis([
      ...redisOptions({ port: 0, bind: '0.0.0.0', 'protected-mode': 'no' }),
      ...tlsServer(certificates, port, 'yes'),
    ]);
    const env = {
      BOT_REDIS_URL: `rediss://host.docker.internal:${port}`,
      REDIS_TLS_CA: ca,
      REDIS_TLS_CERT: client.cert,
      REDIS_TLS_KEY: client.key,
      REDIS_TLS_SERVERNAME: 'redis.internal',
    };
    try {
      await compositionWith(env, async (composition) => {
        await expectPage(composition, 'guildrank-bot', 'commands-bot');
      });
    } finally {
      await redis.stop();
      certificates.remove();
    }
  });

  it.each(['sentinel', 'cluster'])('the profile %s serves, and makes API keys', (profile) =>
    compositionWith({}, (composition) => expectPage(composition, `guildrank-${profile}`, `commands-${profile}`)),
  );
}
