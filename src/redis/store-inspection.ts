import type { Redis } from 'ioredis';
import { nodesOf } from './nodes.ts';
import type { RedisClient } from './redis-client.ts';

/** The first major version of Redis that is supported; every Valkey is. */
const MIN_REDIS = 7;

/** Returns what is wrong with the settings or the version of a Redis, for people. None where INFO is not allowed. */
export async function inspectStore(client: RedisClient): Promise<string[]> {
  const findings = await Promise.all(nodesOf(client, 'master').map(inspectNode));
  return [...new Set(findings.flat())];
}

async function inspectNode(node: Redis): Promise<string[]> {
  const info = await node.info().catch(() => '');
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const findings: string[] = [];
  const version = field('redis_version');
  if (version && !field('valkey_version') && Number.parseInt(version, 10) < MIN_REDIS) {
    findings.push(`Redis ${version} is not supported: use Redis ${MIN_REDIS} or later, or Valkey`);
  }
  const policy = field('maxmemory_policy');
  if (policy && policy !== 'noeviction') {
    const victims = policy.startsWith('volatile') ? 'counts of quotas' : 'members, API keys and counts of quotas';
    findings.push(`maxmemory-policy ${policy} lets Redis delete ${victims}: set noeviction`);
  }
  // The scripts that write take revisions from it. A user without the right to it is told by none of the scripts here.
  const time = await node.time().catch((error: Error) => error.message);
  if (/unknown command/i.test(String(time))) findings.push('the command TIME is missing: the bot cannot write XP');
  return findings;
}
