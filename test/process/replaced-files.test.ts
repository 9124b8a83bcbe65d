import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startChild } from '../../scripts/dev/child-process.ts';
import { guildOn } from '../support/guild.ts';
import { needs } from '../support/needs.ts';
import { jsonLines, LONG_REDIS_TIMEOUT } from '../support/process.ts';
import { redisForTest } from '../support/stores.ts';

it(
  'the service answers its first request although its files are replaced after its start',
  needs('redis-server'),
  async () => {
    const redis = await redisForTest();
    const guild = await guildOn(redis.url);
    onTestFinished(guild.close);
    const folder = mkdtempSync(join(tmpdir(), 'guildrank-files-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    cpSync('dist', join(folder, 'dist'), { recursive: true });
    cpSync('package.json', join(folder, 'package.json'));
    const env = {
      ...process.env,
      ...LONG_REDIS_TIMEOUT,
      ...guild.env,
      REDIS_URL: redis.url,
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
    };
    const service = startChild(process.execPath, [join(folder, 'dist/guildrank.cjs'), 'serve'], { env });
    onTestFinished(service.stop);
    const lines = jsonLines(service.stdout);
    const urlOf = () => lines().find(({ url }) => typeof url === 'string')?.url as string | undefined;
    await service.waitForOutput('the service to serve', () => urlOf() !== undefined);
    rmSync(folder, { recursive: true });
    const answer = await fetch(urlOf() + (guild.paths[0] ?? ''), { headers: guild.headers });
    expect(answer.status).toBe(200);
  },
);
