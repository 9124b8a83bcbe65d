import { type Config, parseConfig } from '../config/service.ts';
import { type Core, openCore } from '../core/core.ts';
import { redisCodeOf } from '../core/errors.ts';
import { requireGuild } from '../core/guilds/overview.ts';
import { connect, describeRedis } from '../core/store/connection.ts';
import { reachStore } from '../core/store/lifecycle.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './terminal.ts';

/** Longest time without a reply. One step of a command can take far longer than a request may, and a person waits for it. */
const SILENCE_MS = 60_000;

/**
 * Connects to the Redis that the environment names, runs the work, and closes the connection in every case.
 * @throws Error with the address when Redis cannot be reached in time. While Redis loads its data, it waits and says so.
 */
export async function withCore<T>(
  { env, stderr, connectTimeoutMs }: CommandContext,
  work: (core: Core) => Promise<T>,
): Promise<T> {
  const config = parseConfig(env);
  const { redis } = config;
  const client = connect(redis, SILENCE_MS);
  client.on('error', () => {}); // Each command reports its own failure.
  try {
    const onWait = (error: Error): void => {
      // Redis can take minutes to load its data. Any other wait ends soon, with an error that says why.
      if (redisCodeOf(error.message) === 'LOADING') {
        stderr.write(`waiting for ${describeRedis(redis)}: ${error.message}\n`);
      }
    };
    await reachStore(client, redis, onWait, connectTimeoutMs);
    return await work(openCore(client, config.keyPrefix));
  } finally {
    client.disconnect();
  }
}

/** Runs the work as {@link withCore}, after a check that the guild exists. @throws RefusedError for a guild that does not exist. */
export function withGuild<T>(context: CommandContext, guild: string, work: (core: Core) => Promise<T>): Promise<T> {
  return withCore(context, async (core) => {
    await requireGuild(core, guild);
    return work(core);
  });
}

/** Returns the quotas by plan. @throws UsageError when the settings lack the plan `asked`. */
export function planQuotasOf({ env }: CommandContext, asked?: string): Config['planQuotas'] {
  const { planQuotas } = parseConfig(env);
  if (asked === undefined || planQuotas.has(asked)) return planQuotas;
  const known = [...planQuotas.keys()].join(', ');
  throw new UsageError(`Unknown plan "${asked}": choose one of ${known}, or add it to PLAN_QUOTAS`);
}
