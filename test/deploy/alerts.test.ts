import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startChild } from '../../scripts/dev/child-process.ts';
import { type EmbeddedRedis, findOnPath, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { startLoad } from '../support/load.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, spawnService, type TestProcess } from '../support/process.ts';
import { repository } from '../support/run-command.ts';

/** An alert fires after some scrapes, of which there is one a second. */
const PATIENCE = { interval: 200, timeout: 60_000 };

const prometheus = findOnPath(['prometheus']);

/** The rules with seconds for minutes: the same expressions, sooner. One scrape that is late makes no alert fire. */
function hurried(rules: string): string {
  return rules
    .replace(/\bfor: \S+/g, 'for: 1500ms')
    .replace(/\[(?:5|10|15)m\]/g, '[3s]')
    .replace(/\[6h\]|\[1d\]/g, '[5m]')
    .replace(/offset 10m/g, 'offset 3s');
}

describe('the alerts in a Prometheus that scrapes two workers', needs('redis-server', 'prometheus'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-prometheus-'));
  const cleanUps: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  let redis: EmbeddedRedis;
  let guild: TestGuild;
  let service: TestProcess;
  let prometheusUrl: string;

  beforeAll(async () => {
    redis = await startEmbeddedRedis();
    cleanUps.push(() => redis.stop());
    guild = await guildOn(redis.url);
    cleanUps.push(guild.close);
    const port = await freePort();
    const adminPort = await freePort();
    const prometheusPort = await freePort();
    service = spawnService({
      ...{ ...guild.env, REDIS_URL: redis.url, PORT: `${port}`, ADMIN_PORT: `${adminPort}`, WORKERS: '2' },
      ...{ LOG_REQUESTS: 'off', ...LONG_REDIS_TIMEOUT },
    });
    cleanUps.push(service.stop);
    writeFileSync(
      join(folder, 'alerts.yml'),
      hurried(readFileSync(join(repository, 'deploy/prometheus/alerts.yml'), 'utf8')),
    );
    const config = readFileSync(join(repository, 'deploy/prometheus/prometheus.yml'), 'utf8')
      .replace('scrape_interval: 15s', 'scrape_interval: 1s')
      .replace('evaluation_interval: 15s', 'evaluation_interval: 250ms')
      .replace('job_name: guildrank', 'job_name: whatever')
      .replace('127.0.0.1:9464', `127.0.0.1:${adminPort}`);
    writeFileSync(join(folder, 'prometheus.yml'), config);
    prometheusUrl = `http://127.0.0.1:${prometheusPort}`;
    const monitor = startChild(prometheus as string, [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${prometheusPort}`,
    ]);
    cleanUps.push(monitor.stop);
    const load = startLoad(`http://127.0.0.1:${port}`, { rate: 50, headers: guild.headers, paths: guild.paths });
    cleanUps.push(() => load.stop());
    const workers = 'sum(guildrank_workers{state="ready"})';
    await vi.waitFor(async () => expect(await query(workers), workers).toBe(2), PATIENCE);
  });
  afterAll(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function ask<T>(path: string): Promise<T> {
    const response = await fetch(prometheusUrl + path);
    return ((await response.json()) as { data: T }).data;
  }

  async function query(expr: string): Promise<number | undefined> {
    const { result } = await ask<{ result: { value: [number, string] }[] }>(
      `/api/v1/query?query=${encodeURIComponent(expr)}`,
    ).catch(() => ({ result: [] }));
    return result[0] && Number(result[0].value[1]);
  }

  async function firing(): Promise<string[]> {
    const { alerts } = await ask<{ alerts: { labels: { alertname: string }; state: string }[] }>('/api/v1/alerts');
    return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
  }

  /** Waits until all these alerts fire, and not another one, which a busy machine can set off for a moment. */
  const fires = (names: readonly string[], other = '') =>
    vi.waitFor(async () => {
      const now = await firing();
      expect(now).toEqual(expect.arrayContaining([...names]));
      expect(now).not.toContain(other);
    }, PATIENCE);

  /** Waits until no critical alert fires, nor one of these. */
  const areSilent = (...names: string[]) =>
    vi.waitFor(async () => {
      const now = await firing();
      expect(names.filter((name) => now.includes(name))).toEqual([]);
    }, PATIENCE);

  it('each alert fires while its fault lasts, one fault after the other, and is silent otherwise', {
    timeout: 300_000,
  }, async () => {
    const good = 'sum(rate(http_request_duration_seconds_count{status="200"}[3s]))';
    await vi.waitFor(async () => expect(await query(good), good).toBeGreaterThan(0), PATIENCE);
    await areSilent(
      'GuildrankDown',
      'GuildrankAbsent',
      'GuildrankRedisNotReady',
      'GuildrankNoSuccess',
      'GuildrankWorkers',
    );

    // A worker that does not respond, until it has ended and is replaced.
    const { pids } = await service.line((line) => Array.isArray(line.pids));
    const [pid] = pids as [number];
    process.kill(pid, 'SIGSTOP');
    await fires(['GuildrankWorkers'], 'GuildrankDown');
    process.kill(pid, 'SIGKILL');
    await areSilent('GuildrankWorkers');
    expect(await query('guildrank_worker_ends_total')).toBe(1);

    // A Redis without its data: no error anywhere, and no good answer.
    await guild.store.client.flushall();
    await fires(['GuildrankNoSuccess'], 'GuildrankRedisNotReady');
    await guild.refill();
    await areSilent('GuildrankNoSuccess');

    await redis.stop();
    await fires(['GuildrankRedisNotReady', 'GuildrankUnavailable', 'GuildrankRedisErrors']);
    const unreachable = 'sum(rate(guildrank_unavailable_total{reason="unreachable"}[3s]))';
    await vi.waitFor(async () => expect(await query(unreachable), unreachable).toBeGreaterThan(0), PATIENCE);
    redis = await startEmbeddedRedis(['--port', String(redis.port)]);
    await areSilent('GuildrankRedisNotReady');

    await service.stop();
    await fires(['GuildrankDown', 'GuildrankAbsent']);
  });
});
