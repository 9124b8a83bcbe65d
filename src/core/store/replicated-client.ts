import { InvalidInputError, messageOf, StoreUnavailableError } from '../errors.ts';
import type { ScriptClient } from './scripts.ts';

/** Milliseconds in which the replicas must have a call. */
const CONFIRM_MS = 1000;

/** The outcome of each command of a group, in their order. */
type Outcomes = readonly PromiseSettledResult<unknown>[];

/** Sends commands together on one connection. When the connection breaks in between, no further command is sent on another connection. */
type SendGroup = (commands: readonly (readonly string[])[]) => Promise<Outcomes>;

interface Call {
  readonly command: readonly string[];
  resolve(reply: unknown): void;
  reject(error: unknown): void;
}

/** Replies as text, including whole numbers, because node-redis rounds numbers near 2^53. */
export const TEXT_REPLIES = { [':'.charCodeAt(0)]: String };

/**
 * Returns a connection whose calls succeed when `replicas` replicas have them: a WAIT follows on the same connection, so it asks the server that
 * did them. Calls that come meanwhile share the next WAIT, because Redis reads nothing else from a connection that waits.
 * A call without that fails with StoreUnavailableError.unreplicated.
 * @throws InvalidInputError for a connection that cannot keep commands together.
 */
export function replicatedClient(client: object, replicas: number): ScriptClient {
  const sendGroup = groupsOn(client);
  const wait = ['wait', String(replicas), String(CONFIRM_MS)];
  let calls: Call[] = [];
  let isSending = false;
  const send = async (): Promise<void> => {
    isSending = true;
    // Calls of the same moment leave together.
    await undefined;
    while (calls.length > 0) {
      const group = calls;
      calls = [];
      const outcomes = await sendGroup([...group.map(({ command }) => command), wait]).catch((reason: unknown) =>
        group.map(() => ({ status: 'rejected', reason }) as const),
      );
      settle(group, outcomes, replicas);
    }
    isSending = false;
  };
  const callOf =
    (name: 'evalsha' | 'eval') =>
    (...args: (string | number)[]) =>
      new Promise((resolve, reject) => {
        calls.push({ command: [name, ...args.map(String)], resolve, reject });
        if (!isSending) void send();
      });
  return { evalsha: callOf('evalsha'), eval: callOf('eval') };
}

function settle(group: readonly Call[], outcomes: Outcomes, replicas: number): void {
  const waited = outcomes[group.length];
  const doubt = waited && doubtOf(waited, replicas);
  for (const [index, call] of group.entries()) {
    const outcome = outcomes[index] as PromiseSettledResult<unknown>;
    if (outcome.status === 'rejected') call.reject(outcome.reason);
    else if (doubt) call.reject(StoreUnavailableError.unreplicated(doubt));
    else call.resolve(outcome.value);
  }
}

/** Says why replicas may lack a call; undefined when they have it. */
function doubtOf(waited: PromiseSettledResult<unknown>, replicas: number): string | undefined {
  if (waited.status === 'rejected') return `WAIT failed: ${messageOf(waited.reason)}`;
  const confirmed = Number(waited.value);
  return confirmed >= replicas ? undefined : `${confirmed} of ${replicas} replicas have it after ${CONFIRM_MS} ms`;
}

/** The parts of a client of ioredis. */
interface Ioredis {
  pipeline(commands: readonly (readonly string[])[]): { exec(): Promise<[error: Error | null, reply?: unknown][]> };
}

/** The parts of a client of node-redis. Commands of one chain are given up together when the connection breaks. */
interface NodeRedis {
  sendCommand(command: readonly string[], options: { chainId: symbol; typeMapping: object }): Promise<unknown>;
}

interface NodeRedisPool {
  execute<T>(work: (client: NodeRedis) => Promise<T>): Promise<T>;
}

interface NodeRedisSentinel {
  /** Gives the client of the master. With its public `use`, each command could be sent again alone. */
  _execute<T>(isReadonly: false, work: (client: NodeRedis) => Promise<T>): Promise<T>;
}

function groupsOn(client: object): SendGroup {
  if (has<Ioredis>(client, 'pipeline')) {
    return async (commands) =>
      (await client.pipeline(commands).exec()).map(([reason, value]) =>
        reason ? { status: 'rejected', reason } : { status: 'fulfilled', value },
      );
  }
  const onClient = (commands: Parameters<SendGroup>[0]) => (node: NodeRedis) => {
    const options = { chainId: Symbol('with WAIT'), typeMapping: TEXT_REPLIES };
    return Promise.allSettled(commands.map((command) => node.sendCommand(command, options)));
  };
  if (has<NodeRedisSentinel>(client, '_execute')) return (commands) => client._execute(false, onClient(commands));
  if (has<NodeRedisPool>(client, 'execute')) return (commands) => client.execute(onClient(commands));
  if (has<NodeRedis>(client, 'sendCommand')) return (commands) => onClient(commands)(client);
  throw new InvalidInputError(
    'replicas needs a client of ioredis or node-redis, because WAIT must follow the script on the same connection',
  );
}

function has<Client extends object>(client: object, name: keyof Client & string): client is Client {
  return name in client;
}
