import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startChild } from '../../scripts/dev/child-process.ts';
import { copyBuild } from '../support/copied-build.ts';
import { needs } from '../support/needs.ts';
import { redisForTest } from '../support/stores.ts';

/**
 * Starts the built service where no package is installed, and waits until it serves.
 * @param exporter the code of an exporter of OpenTelemetry that is installed beside the service.
 * @returns the log of the service.
 */
async function serveAlone(telemetry: Readonly<Record<string, string>>, exporter?: string): Promise<string> {
  const redis = await redisForTest();
  const { folder, remove } = copyBuild();
  onTestFinished(remove);
  if (exporter !== undefined) {
    const place = join(folder, 'node_modules/@opentelemetry/exporter-trace-otlp-proto');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'index.js'), exporter);
  }
  const env = {
    PATH: process.env.PATH,
    REDIS_URL: redis.url,
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    ...telemetry,
  };
  const service = startChild(process.execPath, [join(folder, 'dist/guildrank.cjs'), 'serve'], { env });
  onTestFinished(service.stop);
  await service.waitForOutput('the service to serve', () => service.stdout().includes('serving from'));
  return service.stdout();
}

describe('the variables of OpenTelemetry, as a platform sets them for every program', needs('redis-server'), () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };

  it('variables of OpenTelemetry let a service without the SDK serve, with a warning that names the fix', async () => {
    const log = await serveAlone(endpoint);
    expect(log).toContain('no spans are sent, because the SDK of OpenTelemetry is not installed: install it');
  });

  it('variables of OpenTelemetry let a service whose SDK fails at its start serve, with a warning that has the reason', async () => {
    const log = await serveAlone(endpoint, "throw new Error('the exporter of this platform is broken')");
    expect(log).toContain('the exporter of this platform is broken');
    expect(log).toContain(
      'no spans are sent, because the SDK of OpenTelemetry failed at its start: correct its settings',
    );
  });

  it.each([
    { ...endpoint, OTEL_SDK_DISABLED: 'true' },
    { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317', OTEL_SDK_DISABLED: 'TRUE' },
  ])('variables of OpenTelemetry switch traces off without a word: %o', async (telemetry) => {
    expect(await serveAlone(telemetry)).not.toContain('OpenTelemetry');
  });
});
