import { InvalidInputError, shownText } from '../errors.ts';
import { RedisKeys } from './redis-keys.ts';
import { replicatedClient, TEXT_REPLIES } from './replicated-client.ts';
import { type ScriptClient, Scripts } from './scripts.ts';

/** Keys and arguments of a script, as node-redis takes them. */
interface EvalOptions {
  keys: string[];
  arguments: string[];
}

/** A client, pool, cluster or sentinel of node-redis. */
export interface NodeRedisClient {
  evalSha(sha: string, options: EvalOptions): Promise<unknown>;
  eval(source: string, options: EvalOptions): Promise<unknown>;
}

/** Another connection: `evalsha` takes the arguments of EVALSHA, `scriptLoad` loads a script on each node and returns its digest. */
export interface LoadingClient {
  evalsha(sha: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  scriptLoad(source: string): Promise<unknown>;
  /** Whether a script may read only the keys that it declares. */
  readonly isCluster?: boolean;
}

/** The bot's connection: of ioredis, of node-redis, or an object of its own. Only its shape counts, so the bot chooses the version. */
export type BotClient = ScriptClient | NodeRedisClient | LoadingClient;

/** The options that the writer and the reader of the kit share. */
export interface BotOptions {
  /** The service's KEY_PREFIX; "gr" unless it was changed. */
  readonly keyPrefix?: string;
}

/** The rule of the service for KEY_PREFIX (config/service.ts). With braces, all guilds would be in one slot of a Cluster. */
const KEY_PREFIX = /^[A-Za-z0-9:_.-]{1,64}$/;

/** Returns the names of keys under a prefix. @throws InvalidInputError for a prefix that the service refuses. */
export function keysUnder(keyPrefix = 'gr'): RedisKeys {
  if (typeof keyPrefix === 'string' && KEY_PREFIX.test(keyPrefix)) return new RedisKeys(keyPrefix);
  throw new InvalidInputError(`keyPrefix must be 1 to 64 of A-Z a-z 0-9 : _ . -, not ${shownText(keyPrefix)}`);
}

/**
 * Returns the scripts on a bot's connection.
 * @param replicas replicas that must have a call before it succeeds; 0 unless given.
 * @throws InvalidInputError for a connection of another kind, for a connection that puts a prefix of its own before each key, and for a connection on
 * which replicas cannot be asked.
 */
export function scriptsOn(client: BotClient, replicas?: number): Scripts {
  const scriptClient = scriptClientOf(client);
  const own = ownPrefix(client);
  if (own) {
    throw new InvalidInputError(
      `The connection has the keyPrefix ${JSON.stringify(own)}, and the service would not find the data: give the writer a connection without a keyPrefix`,
    );
  }
  if (replicas === undefined) return new Scripts(scriptClient);
  if (isBotCluster(client)) {
    throw new InvalidInputError(
      'replicas does not work on a Cluster: leave it out, and fail over with CLUSTER FAILOVER, which loses no write',
    );
  }
  return new Scripts(replicatedClient(client, replicas));
}

/** Returns whether a connection leads to a Cluster. */
export function isBotCluster(client: BotClient): boolean {
  // Only the clusters of node-redis have clients of nodes.
  return 'nodeClient' in client || ('isCluster' in client && client.isCluster === true);
}

const NO_CLIENT =
  'The connection must be a client of ioredis or node-redis, or an object with the functions evalsha and scriptLoad';

/** Returns a connection in the form that the scripts use. @throws InvalidInputError for a connection of another kind. */
export function scriptClientOf(client: BotClient): ScriptClient {
  // JavaScript lets a bot pass nothing at all.
  if (Object(client) !== client) throw new InvalidInputError(NO_CLIENT);
  if (isTransaction(client)) {
    throw new InvalidInputError(
      'The connection is a transaction or a pipeline, which gives no replies before exec: give the client itself',
    );
  }
  if ('evalSha' in client) return ofNodeRedis(client);
  if ('evalsha' in client && 'eval' in client) return client;
  if ('evalsha' in client && 'scriptLoad' in client) return ofLoading(client);
  throw new InvalidInputError(NO_CLIENT);
}

/** Returns whether a client of ioredis (isPipeline) or of node-redis (execAsPipeline) only collects commands for a later exec. */
function isTransaction(client: BotClient): boolean {
  return ('isPipeline' in client && client.isPipeline === true) || 'execAsPipeline' in client;
}

function ofNodeRedis(client: NodeRedisClient): ScriptClient {
  // A bot may have its replies as Buffers.
  const { withTypeMapping } = client as { withTypeMapping?: (types: object) => NodeRedisClient };
  const plain = withTypeMapping?.call(client, TEXT_REPLIES) ?? client;
  const options = (numberOfKeys: number, all: (string | number)[]): EvalOptions => {
    const texts = all.map(String);
    return { keys: texts.slice(0, numberOfKeys), arguments: texts.slice(numberOfKeys) };
  };
  return {
    evalsha: (sha, numberOfKeys, ...all) => plain.evalSha(sha, options(numberOfKeys, all)),
    eval: (source, numberOfKeys, ...all) => plain.eval(source, options(numberOfKeys, all)),
  };
}

function ofLoading(client: LoadingClient): ScriptClient {
  return {
    evalsha: (...call) => client.evalsha(...call),
    eval: async (source, ...rest) => client.evalsha(String(await client.scriptLoad(source)), ...rest),
  };
}

/** Returns the prefix that a connection of ioredis or of node-redis 6 puts before each key. */
function ownPrefix(client: BotClient): string | undefined {
  const { options, _keyPrefix } = client as {
    readonly options?: { keyPrefix?: string; redisOptions?: { keyPrefix?: string } };
    readonly _keyPrefix?: string;
  };
  return options?.keyPrefix || options?.redisOptions?.keyPrefix || _keyPrefix;
}
