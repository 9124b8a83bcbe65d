import { expect, vi } from 'vitest';
import type { ClusterNode, TestCluster } from '../support/cluster.ts';
import { MIGRATION_MS, PATIENT } from '../support/wait.ts';

type Work = () => Promise<unknown>;

/**
 * Runs work while no node of a Cluster serves the slots of some keys, and gives the slots back.
 * A node can learn a slot again from a message that was on its way: then the work saw another state, and runs again.
 */
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
  const forget = async () => {
    for (const { slot, owner } of lost) {
      for (const node of [owner, ...nodes.filter((each) => each !== owner)]) {
        await node.admin.call('CLUSTER', 'DELSLOTS', slot).catch(ignoreUnassigned);
      }
    }
  };
  const isForgotten = async () => {
    const owners = await Promise.all(lost.flatMap(({ slot }) => nodes.map((node) => ownerOf(slot, node))));
    return owners.every((owner) => owner === undefined);
  };
  try {
    for (let attempt = 1; ; attempt++) {
      // Three times, so that most messages on their way are read before the work begins.
      for (let time = 0; time < 3; time++) await forget();
      const failure = await work().then(
        () => undefined,
        (error: unknown) => error,
      );
      if (await isForgotten()) {
        if (failure !== undefined) throw failure;
        break;
      }
      if (attempt === 5) throw new Error('The nodes of the Cluster learned the slots again each time');
    }
  } finally {
    for (const { owner, slot } of lost) await owner.admin.call('CLUSTER', 'ADDSLOTS', slot).catch(ignoreAssigned);
    for (const { owner, slot } of lost) {
      for (const node of nodes) {
        await vi.waitFor(async () => expect(await ownerOf(slot, node)).toBe(owner.id), PATIENT);
      }
    }
  }
}

/** Returns the id of the node that serves a slot, as another node sees it. */
async function ownerOf(slot: number, { admin }: ClusterNode): Promise<string | undefined> {
  const map = (await admin.call('CLUSTER', 'SLOTS')) as [number, number, [string, number, string]][];
  return map.find(([from, to]) => slot >= from && slot <= to)?.[2][2];
}

function ignoreAssigned(error: Error): void {
  if (!/already busy/i.test(error.message)) throw error;
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
    expect(await source.admin.call('MIGRATE', '127.0.0.1', target.server.port, key, 0, MIGRATION_MS)).toBe('OK');
  }
  try {
    await work();
  } finally {
    await source.admin.call('CLUSTER', 'SETSLOT', slot, 'STABLE');
    // Keys that were made meanwhile are there too.
    for (const key of (await target.admin.call('CLUSTER', 'GETKEYSINSLOT', slot, 1000)) as string[]) {
      // A node takes a command on a slot that it imports only after ASKING.
      const asked = target.admin.call('ASKING');
      expect(await target.admin.call('MIGRATE', '127.0.0.1', source.server.port, key, 0, MIGRATION_MS)).toBe('OK');
      await asked;
    }
    await target.admin.call('CLUSTER', 'SETSLOT', slot, 'STABLE');
  }
}
