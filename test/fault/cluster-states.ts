import { expect, vi } from 'vitest';
import type { ClusterNode, TestCluster } from '../support/cluster.ts';
import { PATIENT } from '../support/wait.ts';

type Work = () => Promise<unknown>;

/** Runs work while no node of a Cluster serves the slots of some keys, and gives the slots back. */
export async function withoutSlotsOf(
  { nodes, masterOf }: TestCluster,
  keys: readonly string[],
  work: Work,
): Promise<void> {
  const lost = await Promise.all(
    keys.map(async (key) => ({
      owner: await masterOf(key),
      slot: (await nodes[0]?.admin.call('CLUSTER', 'KEYSLOT', key)) as number,
    })),
  );
  // The owner first, and three times: the others learn the slot again from a message that the owner has written before.
  for (let time = 0; time < 3; time++) {
    for (const { slot, owner } of lost) {
      for (const node of [owner, ...nodes.filter((each) => each !== owner)]) {
        await node.admin.call('CLUSTER', 'DELSLOTS', slot).catch(ignoreUnassigned);
      }
    }
  }
  try {
    await work();
  } finally {
    for (const { owner, slot } of lost) await owner.admin.call('CLUSTER', 'ADDSLOTS', slot);
    for (const { owner, slot } of lost) {
      for (const { admin } of nodes) {
        const told = async () => {
          const map = (await admin.call('CLUSTER', 'SLOTS')) as [number, number, [string, number, string]][];
          return map.find(([from, to]) => slot >= from && slot <= to)?.[2][2];
        };
        await vi.waitFor(async () => expect(await told()).toBe(owner.id), PATIENT);
      }
    }
  }
}

function ignoreUnassigned(error: Error): void {
  if (!/already unassigned/i.test(error.message)) throw error;
}

/** Runs work while some keys of a slot have moved to another node and the rest has not, and takes them back. */
export async function withHalfMovedSlot(
  { nodes, masterOf }: TestCluster,
  moved: readonly [string, ...string[]],
  work: Work,
): Promise<void> {
  const source = await masterOf(moved[0]);
  const target = nodes.find((node) => node !== source) as ClusterNode;
  const slot = (await source.admin.call('CLUSTER', 'KEYSLOT', moved[0])) as number;
  await target.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source.id);
  await source.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target.id);
  for (const key of moved) {
    expect(await source.admin.call('MIGRATE', '127.0.0.1', target.server.port, key, 0, 5000)).toBe('OK');
  }
  try {
    await work();
  } finally {
    await source.admin.call('CLUSTER', 'SETSLOT', slot, 'STABLE');
    // Keys that were made meanwhile are there too.
    for (const key of (await target.admin.call('CLUSTER', 'GETKEYSINSLOT', slot, 1000)) as string[]) {
      // A node takes a command on a slot that it imports only after ASKING.
      const asked = target.admin.call('ASKING');
      expect(await target.admin.call('MIGRATE', '127.0.0.1', source.server.port, key, 0, 5000)).toBe('OK');
      await asked;
    }
    await target.admin.call('CLUSTER', 'SETSLOT', slot, 'STABLE');
  }
}
