import type { Redis } from 'ioredis';
import { messageOf, redisCodeOf, StoreUnavailableError } from '../errors.ts';
import { infoFields } from './inspection.ts';

/** Commands that tell the role of a server, in the order in which they are tried. */
const WAYS = {
  role: async (client: Redis) => String((await client.role())[0]),
  info: async (client: Redis) => infoFields(await client.info('replication')).get('role'),
  none: async () => undefined,
} as const satisfies Readonly<Record<string, (client: Redis) => Promise<string | undefined>>>;

/** How the role of a server can be asked: by ROLE, by INFO, or not at all. */
export type RoleCommand = keyof typeof WAYS;

/** Returns the role of a server, such as "master" or "slave"; undefined where neither ROLE nor INFO is allowed. One round trip, three at most. */
export async function roleOf(client: Redis): Promise<{ readonly role: string | undefined; readonly by: RoleCommand }> {
  for (const by of ['role', 'info'] as const) {
    try {
      return { role: await WAYS[by](client), by };
    } catch (error) {
      if (!isNotAllowed(error)) throw StoreUnavailableError.of(error);
    }
  }
  return { role: undefined, by: 'none' };
}

/**
 * Returns a check that the server is a master. It goes on with the command that worked the first time. One round trip.
 * @throws StoreUnavailableError (by the check) READONLY for a replica, or when the server does not answer.
 */
export function masterCheck(client: Redis): () => Promise<void> {
  let known: RoleCommand | undefined;
  return async () => {
    let role: string | undefined;
    try {
      role = known && (await WAYS[known](client));
    } catch (error) {
      if (!isNotAllowed(error)) throw StoreUnavailableError.of(error);
      known = undefined;
    }
    if (known === undefined) ({ role, by: known } = await roleOf(client));
    if (role === 'slave') throw new StoreUnavailableError(new Error('READONLY This server is a replica now.'));
  };
}

/** Returns whether a server refused a command because it does not know the command, or because the user may not run it. */
function isNotAllowed(error: unknown): boolean {
  const reason = messageOf(error);
  return redisCodeOf(reason) === 'NOPERM' || /unknown command|not (supported|allowed|available)/i.test(reason);
}
