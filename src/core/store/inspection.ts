import type { Redis } from 'ioredis';
import { nodesOf, type RedisClient } from './client.ts';

/** The first major version of Redis that is supported; every Valkey is. */
const MIN_REDIS = 7;

/** Returns what is wrong with the settings or the version of a Redis, in words for people. Empty if INFO is not allowed. */
export async function inspectStore(client: RedisClient): Promise<string[]> {
  const findings = await Promise.all(nodesOf(client, 'master').map(inspectNode));
  return [...new Set(findings.flat())];
}

async function inspectNode(node: Redis): Promise<string[]> {
  const info = infoFields(await node.info().catch(() => ''));
  const policy = policyProblem(info);
  const wrongs = [versionProblem(info), policy && `${policy}: set noeviction`, await timeProblem(node)];
  return wrongs.filter((wrong) => wrong !== undefined);
}

/** Returns the fields of a reply to INFO. */
export function infoFields(info: string): ReadonlyMap<string, string> {
  return new Map([...info.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]));
}

/** Returns what is wrong with the version in the fields of INFO. */
export function versionProblem(info: ReadonlyMap<string, string>): string | undefined {
  const version = info.get('redis_version');
  if (!version || info.has('valkey_version')) return undefined;
  if (Number.parseInt(version, 10) >= MIN_REDIS) return undefined;
  return `Redis ${version} is not supported: use Redis ${MIN_REDIS}.0 or later, or Valkey`;
}

/** Returns what is wrong with the eviction policy in the fields of INFO. */
export function policyProblem(info: ReadonlyMap<string, string>): string | undefined {
  const policy = info.get('maxmemory_policy');
  if (!policy || policy === 'noeviction') return undefined;
  const victims = policy.startsWith('volatile') ? 'counts of quotas' : 'members, API keys and counts of quotas';
  return `maxmemory-policy ${policy} lets Redis delete ${victims}`;
}

/** Returns a text if the server has no TIME, from which the scripts that write take revisions. A user without the right to TIME learns nothing. */
export async function timeProblem(node: Redis): Promise<string | undefined> {
  const time = await node.time().catch((error: Error) => error.message);
  return /unknown command/i.test(String(time)) ? 'the command TIME is missing: the bot cannot write XP' : undefined;
}
