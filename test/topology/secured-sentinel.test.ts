import { expect, it, vi } from 'vitest';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, startServiceProcess } from '../support/process.ts';
import { PATIENT, whenServed } from '../support/wait.ts';
import { startSecuredSentinel } from './topologies.ts';

it(
  'the service listens to a Sentinel under a user that may do nothing else',
  needs('redis-server', 'openssl'),
  async () => {
    const { env, admin, stop } = await startSecuredSentinel();
    const service = await startServiceProcess({ ...LONG_REDIS_TIMEOUT, ...env });
    try {
      // One for each of its two connections to the master.
      await vi.waitFor(async () => {
        const clients = String(await admin.client('LIST')).split('\n');
        expect(clients.filter((client) => /\bsub=1\b.*\buser=watcher\b/.test(client))).toHaveLength(2);
      }, PATIENT);
      expect((await whenServed(() => fetch(`${service.url}/readyz`))).status).toBe(200);
    } finally {
      await service.stop();
      await stop();
    }
  },
);
