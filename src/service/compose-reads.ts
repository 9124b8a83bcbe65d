import type { Config } from '../config/service.ts';
import { Authenticator } from '../core/access/authenticator.ts';
import { Quotas } from '../core/access/quotas.ts';
import { StoredApiKeys } from '../core/access/stored-api-keys.ts';
import { Usage } from '../core/access/usage.ts';
import { openCore } from '../core/core.ts';
import { requestProbe } from '../core/reads/request-probe.ts';
import { type RedisClient, reconnect } from '../core/store/client.ts';
import { describeRedis } from '../core/store/connection.ts';
import { listen } from '../core/store/lifecycle.ts';
import { withStoreErrors } from '../core/store/store.ts';
import { timeLimit } from '../core/store/timeouts.ts';
import type { Metrics } from '../observability/metrics.ts';
import { type RenderedBody, sizeInMemory } from './http/response/rendered-body.ts';
import { Doorkeeper } from './serving/doorkeeper.ts';
import { RequestBatcher } from './serving/request-batcher.ts';
import { ResponseCache } from './serving/response-cache.ts';

/** Time limit of the look-up of an API key, as a multiple of the time limit of a command. Look-up and command together take 250 ms by default. */
const KEY_LOOKUP_TIMEOUTS = 1.5;

/** The clocks of the service. */
export interface Clocks {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonic: () => number;
}

/** Composes the parts that authenticate, count and read on one connection. */
export function composeReads(
  config: Config,
  client: RedisClient,
  subscriber: RedisClient,
  { clock, monotonic }: Clocks,
  metrics: Metrics,
  logger: { info(text: string): void },
) {
  const { timeoutMs } = config.redis;
  const observe = metrics.observeCommand;
  const core = openCore(client, config.keyPrefix, {
    limit: timeLimit(timeoutMs),
    observe,
    monotonic,
    onSharded: () =>
      logger.info(
        `${describeRedis(config.redis)} keeps guilds on several servers (CROSSSLOT): from now on each guild is asked by a command of its own`,
      ),
  });
  const { commands, redisKeys } = core;
  // The metrics show the commands of requests under a name of their own.
  const probes = openCore(client, config.keyPrefix, {
    limit: timeLimit(timeoutMs),
    observe: (_command, ms, failed) => observe('probe', ms, failed),
  });
  core.scripts.loadAll();
  const quotas = new Quotas(commands, config.planQuotas);
  const usage = new Usage(core, clock);
  const doorkeeper = new Doorkeeper();
  const cache = new ResponseCache<RenderedBody | null>({
    maxEntries: config.cacheMaxPages,
    maxBytes: config.cacheMaxBytes,
    sizeOf: sizeInMemory,
    admits: (cacheKey) => doorkeeper.meet(cacheKey),
    now: monotonic,
  });
  const apiKeys = new StoredApiKeys(core);
  const limit = timeLimit(timeoutMs * KEY_LOOKUP_TIMEOUTS);
  const authenticator = new Authenticator(apiKeys, core, clock, monotonic, limit, config.cacheMaxKeys);
  const isSubscribed = listen(
    withStoreErrors(subscriber, observe),
    redisKeys.invalidationChannel,
    (guildId) => {
      authenticator.invalidate(guildId);
      cache.forget(guildId);
    },
    () => authenticator.invalidateAll(),
  );
  // A Redis that comes back can have lost writes. The event "-node" tells of each lost node of a Cluster.
  for (const event of ['ready', '-node']) client.on(event, () => cache.clear());
  // After a change of the master, both connections lead to the old master. Only the connection for commands notices this, so the service makes the
  // two connections anew.
  client.on('close', () => reconnect(subscriber));
  const batcher = new RequestBatcher(quotas, usage, cache, commands);
  return {
    authenticator,
    isSubscribed,
    quotas,
    usage,
    cache,
    batcher,
    commands,
    search: core.search,
    probe: requestProbe(client, probes.commands),
    traffic: () => ({ counted: quotas.total(), uncounted: batcher.uncounted() }),
  };
}
