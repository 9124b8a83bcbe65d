import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startDemoDashboard } from '../../../scripts/demo/dashboard.ts';
import { parseConfig } from '../../../src/config/service.ts';
import { SILENT } from '../../support/service.ts';
import { mockStore } from '../../support/stores.ts';

it('the dashboard of the demo takes a free port when its usual one is taken', async () => {
  const usual = createServer().listen(8090, '127.0.0.1');
  // Whoever has the port, it is taken.
  await Promise.race([once(usual, 'listening'), once(usual, 'error').catch(() => {})]).catch(() => {});
  onTestFinished(() => void usual.close());
  const store = await mockStore.start();
  onTestFinished(() => store.stop());
  const dashboard = await startDemoDashboard(
    parseConfig({}).redis,
    () => store.connect(),
    SILENT,
    'http://127.0.0.1:8080',
  );
  onTestFinished(() => dashboard.close());
  expect((await fetch(`${dashboard.url}/livez`)).status).toBe(200);
  expect(new URL(dashboard.url).port).not.toBe('8090');
});
