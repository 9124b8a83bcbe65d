import { messageOf } from '../../core/errors.ts';
import { isCluster } from '../../core/store/client.ts';
import { connectionRisk } from '../../core/store/connection.ts';
import { roleOf } from '../../core/store/master-check.ts';
import { type CheckContext, type Finding, NO_GUILD, note, ok } from './finding.ts';

/**
 * Says how the host treats keys and roles. Call it after a probe has run: the probe makes the batcher find out whether the host keeps guilds on
 * several servers.
 */
export async function checkHost(context: CheckContext): Promise<readonly Finding[]> {
  return [...riskOf(context), await keysOf(context), await roleFinding(context)];
}

function riskOf({ config }: CheckContext): readonly Finding[] {
  const risk = connectionRisk(config.redis);
  return risk
    ? [note('TLS', risk, 'If the host publishes the certificate of its authority, set REDIS_TLS_CA to it')]
    : [];
}

/** Says whether the guilds are on several servers, and whether scripts may touch only keys that they declare. */
async function keysOf(context: CheckContext): Promise<Finding> {
  return ok('host', `${serversOf(context)}; ${await scriptsOf(context)}`);
}

/** Says on which servers the guilds are. */
function serversOf({ commands, client }: CheckContext): string {
  if (isCluster(client)) return 'a Cluster';
  return commands.isSharded
    ? 'several servers behind one address: the service sends a command of its own for each guild'
    : 'one server';
}

/** Says which keys scripts may touch. It tries a script that asks for a key which it has not declared. */
async function scriptsOf({ client, redisKeys }: CheckContext): Promise<string> {
  const { stats, xp } = redisKeys.guild(NO_GUILD);
  const script = "return redis.call('ZCARD', ARGV[1])";
  return client.eval(script, 1, stats, xp).then(
    () => 'scripts may touch any key',
    (error) =>
      /undeclared/i.test(messageOf(error))
        ? 'scripts may touch only the keys that they declare, as all scripts of Guildrank do: your own scripts must do so too'
        : `which keys scripts may touch is unknown (${messageOf(error)})`,
  );
}

/** Says how the service finds out that it is connected to a replica after a change of the master behind the same address. */
async function roleFinding({ client }: CheckContext): Promise<Finding> {
  if (isCluster(client)) return ok('role', 'the Cluster tells which node is a master');
  const { by } = await roleOf(client);
  if (by !== 'none') return ok('role', `${by.toUpperCase()} tells whether the server is a master`);
  const text =
    'neither ROLE nor INFO is allowed: the service notices only with a counted request that the server has become a replica';
  return note('role', text, 'Give the user of REDIS_URL the permission +role or +info');
}
