import type { ChainableCommander } from 'ioredis';
import { StoreUnavailableError } from '../errors.ts';

/**
 * Runs a transaction, or a pipeline, and returns the replies of its commands. One round trip.
 * @throws StoreUnavailableError when Redis refuses one of them. Of an aborted transaction it has the reason, which ioredis has beside its error.
 */
export async function transact(transaction: ChainableCommander): Promise<unknown[]> {
  const results = await transaction.exec().catch((error) => {
    throw new StoreUnavailableError(error.previousErrors?.[0] ?? error);
  });
  return (results ?? []).map(([error, reply]) => {
    if (error) throw new StoreUnavailableError(error);
    return reply;
  });
}
