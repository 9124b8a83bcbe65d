import type { ChainableCommander } from 'ioredis';
import { StoreUnavailableError } from '../errors.ts';
import type { RedisClient } from './client.ts';
import { RedisKeys } from './redis-keys.ts';
import { type CommandObserver, type ScriptStore, Scripts, type ScriptsOptions } from './scripts.ts';

/** Commands of Redis with the names of their keys. */
export interface ClientStore {
  /** Each of its commands rejects with StoreUnavailableError alone. */
  readonly client: RedisClient;
  readonly redisKeys: RedisKeys;
}

/** All that the features of a guild need of Redis, on one connection. */
export interface Store extends ClientStore, ScriptStore {}

/** Returns the store on a connection, which the caller closes. @param options of the scripts; the observer hears of the client's commands too. */
export function openStore(client: RedisClient, keyPrefix: string, options: ScriptsOptions = {}): Store {
  const redisKeys = new RedisKeys(keyPrefix);
  const scripts = new Scripts(client, options);
  return { client: withStoreErrors(client, options.observe), scripts, redisKeys };
}

/** Returns the client with each failure of a command as a StoreUnavailableError, and every command reported. */
export function withStoreErrors<T extends object>(client: T, observe?: CommandObserver): T {
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const sentAt = performance.now();
        const reply: unknown = value.apply(target, args);
        if (!(reply instanceof Promise)) return reply;
        const report = (failed: boolean) => observe?.(String(name), performance.now() - sentAt, failed);
        return reply.then(
          (result) => {
            report(false);
            return result;
          },
          (error) => {
            report(true);
            throw StoreUnavailableError.of(error);
          },
        );
      };
    },
  });
}

/**
 * Runs a transaction, or a pipeline, and returns the replies of its commands. One round trip.
 * @throws StoreUnavailableError when Redis refuses one of the commands. For an aborted transaction, the error has the reason, which ioredis keeps
 * beside its own error.
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

/**
 * Tells every process of the service to drop its cached keys and plan of a guild. One round trip.
 * @throws StoreUnavailableError
 */
export async function publishInvalidation({ client, redisKeys }: ClientStore, guildId: string): Promise<void> {
  await client.publish(redisKeys.invalidationChannel, guildId);
}
