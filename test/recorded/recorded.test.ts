import { METHODS } from 'node:http';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EmbeddedRedis, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { parseConfig } from '../../src/config/service.ts';
import { createService, type ServiceParts } from '../../src/service/service.ts';
import { needs } from '../support/needs.ts';
import { runScript } from '../support/process.ts';
import { SILENT } from '../support/service.ts';
import { PATIENT } from '../support/wait.ts';
import { writeData } from './data.ts';
import { Player, type Recording } from './player.ts';
import { readRecording, writeRecording } from './recordings.ts';
import { operations } from './requests/operations.ts';
import { protocol } from './requests/protocol.ts';
import { refusals } from './requests/refusals.ts';
import { admin, caching, floods, origins, outage, quotas } from './requests/settings.ts';
import { site } from './requests/site.ts';
import { unfinished, unreadable } from './requests/unreadable.ts';

/**
 * Compares each byte that the service sends with the answers recorded in answers/. After a change that is meant, record anew:
 *
 *   RECORD=1 npx vitest run test/recorded
 *
 * RECORDED_ENTRY names the entry of another build to record or compare, such as dist/main.js.
 * Record on the newest Node 20 first, then on 20.15 and the other lines: their recordings hold what differs.
 */
const ENTRY = process.env.RECORDED_ENTRY;
/** The parser of an older Node 20 does not know QUERY, and lets some unreadable requests pass: it has recordings of its own. */
const NODE_LINE = METHODS.includes('QUERY') ? String(process.versions.node.split('.')[0]) : '20.15';
const FLOOR = '20';

describe('the recorded answers, byte for byte', needs('redis-server'), () => {
  let server: EmbeddedRedis;
  let redis: Redis;
  let stopService: (() => Promise<void>) | undefined;

  beforeEach(async () => {
    server = await startEmbeddedRedis();
    redis = new Redis(server.url);
    redis.on('error', () => {});
    await writeData(redis);
  });
  afterEach(async () => {
    await stopService?.();
    redis.disconnect();
    await server.stop();
  });

  /** Starts the service and returns a player for it. The timeout of Redis is long: a busy machine must not change an answer. */
  async function start(settings: Record<string, string> = {}, parts: Partial<ServiceParts> = {}): Promise<Player> {
    const env = {
      ...{ REDIS_URL: server.url, REDIS_TIMEOUT_MS: '10000', HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0' },
      ...{ LOG_REQUESTS: 'off', ...settings },
    };
    const url = ENTRY ? await startBuild(ENTRY, env) : await startHere(env, parts);
    return new Player(Number(new URL(url).port), redis);
  }

  async function startHere(env: Record<string, string>, parts: Partial<ServiceParts>): Promise<string> {
    const service = await (await createService(parseConfig(env), { logger: SILENT, ...parts })).start();
    stopService = () => service.close();
    return service.url;
  }

  async function startBuild(entry: string, env: Record<string, string>): Promise<string> {
    const service = runScript([entry], env);
    stopService = service.stop;
    return (await service.line((line) => typeof line.url === 'string')).url as string;
  }

  function compare(name: string, actual: Recording): void {
    if (process.env.RECORD === '1') writeRecording(name, actual, NODE_LINE, FLOOR);
    const recorded = readRecording(name, NODE_LINE);
    expect(Object.keys(actual)).toEqual(Object.keys(recorded));
    // Line by line, so that a difference is shown as one.
    const inLines = (recording: Recording) =>
      Object.fromEntries(Object.entries(recording).map(([title, text]) => [title, text.split('\n')]));
    expect(inLines(actual)).toEqual(inLines(recorded));
  }

  it('operations, refusals and the protocol are answered as recorded', async () => {
    const player = await start();
    const late = player.play(unfinished, true);
    late.catch(() => {});
    const sections = { operations, refusals, protocol, unreadable, site };
    for (const [name, section] of Object.entries(sections)) compare(name, await player.play(section));
    compare('unfinished', await late);
  });

  it.each([
    ['origins', origins, { CORS_ORIGINS: 'https://a.example,https://b.example:8443' }],
    ['max-age', caching, { CACHE_MAX_AGE_S: '30' }],
    ['nothing-kept', caching, { CACHE_MAX_PAGES: '0' }],
    ['quotas', quotas, { PLAN_QUOTAS: 'free=3,small=2,pro=5' }],
  ])('requests of %s are answered as recorded', async (name, section, env) => {
    const player = await start(env);
    compare(name, await player.play(section));
  });

  it('floods are answered as recorded', async () => {
    // The time stands still: on a busy machine an address would be let in again meanwhile.
    const player = await start({ TRUST_PROXY: '1' }, { monotonic: () => 0 });
    compare('floods', await player.play(floods));
  });

  it('the admin listener answers as recorded', async () => {
    const port = await freePort();
    await start({ ADMIN_PORT: String(port) });
    compare('admin', await new Player(port, undefined).play(admin));
  });

  it('requests without Redis are answered as recorded', async () => {
    // The time stands still: the key that is known stays so, however long the end of Redis takes.
    const player = await start({}, { monotonic: () => 0 });
    await player.play({ known: [{ requests: outage['with a key that is known']?.[0]?.requests ?? [] }] });
    const gone = new Promise((resolve) => server.process.once('exit', resolve));
    server.process.kill('SIGKILL');
    await gone;
    // The service learns of it a moment later.
    await vi.waitFor(async () => expect(await player.statusOf('/readyz')).toBe(503), PATIENT);
    compare('outage', await player.withoutRedis().play(outage, true));
  });
});
