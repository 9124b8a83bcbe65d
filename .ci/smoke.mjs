// Tests the built service as a process, on a private Redis, over HTTP.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, startEmbeddedRedis } from '../scripts/dev/embedded-redis.ts';

const redis = await startEmbeddedRedis();
const port = await freePort();
const env = {
  ...process.env,
  REDIS_URL: redis.url,
  HOST: '127.0.0.1',
  PORT: String(port),
  ADMIN_PORT: '0',
  LOG_LEVEL: 'warn',
  // A busy machine can hold Redis up for seconds.
  REDIS_TIMEOUT_MS: '30000',
};
const command = (name, ...args) =>
  execFileSync(process.execPath, ['dist/guildrank.cjs', name, ...args, '--json'], { env, encoding: 'utf8' });
let service;
try {
  command('seed', '--guild', 'smoke', '--generate', '250');
  const { key } = JSON.parse(command('keys', 'create', '--guild', 'smoke'));
  service = spawn(process.execPath, ['dist/guildrank.cjs', 'serve'], { env, stdio: 'inherit' });
  const base = `http://127.0.0.1:${port}`;
  for (let tries = 0; (await fetch(`${base}/readyz`).catch(() => undefined))?.status !== 200; tries++) {
    assert(tries < 600, 'the service is ready within a minute');
    await delay(100);
  }
  const answer = await fetch(`${base}/api/v1/servers/smoke/leaderboard?limit=100&page=3`, {
    headers: { 'x-api-key': key },
  });
  const body = await answer.json();
  assert.equal(answer.status, 200);
  assert.equal(body.total, 250);
  assert.deepEqual(
    body.data.map(({ rank }) => rank),
    Array.from({ length: 50 }, (_, i) => 201 + i),
  );
  assert.equal((await fetch(`${base}/api/v1/servers/smoke/stats`)).status, 401);
  service.kill('SIGTERM');
  const [code] = await once(service, 'exit');
  assert.equal(code, 0, 'SIGTERM ends the service with exit code 0');
  console.log(`smoke: page 3 of ${body.total} members over HTTP, 401 without a key, a clean stop`);
} finally {
  service?.kill('SIGKILL');
  await redis.stop();
}
