import { vi } from 'vitest';
import { nodesOf, type RedisClient } from '../../src/core/store/client.ts';
import { waitUntilReady } from '../../src/core/store/lifecycle.ts';
import { PATIENT } from './wait.ts';

/** Waits until a connection of a test serves. In a Cluster a call to a node fails until the connection to this node is open, so each is opened. */
export async function untilConnected(client: RedisClient): Promise<void> {
  client.on('error', () => {});
  await waitUntilReady(client, PATIENT.timeout, () => {});
  await vi.waitFor(() => Promise.all(nodesOf(client, 'master').map((node) => node.ping())), PATIENT);
}
