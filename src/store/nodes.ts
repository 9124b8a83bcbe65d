import type { Redis } from 'ioredis';
import { isCluster, type RedisClient } from './client.ts';

/** Returns the connections to single servers: those to the nodes of a Cluster, or the client itself. */
export function nodesOf(client: RedisClient, role: 'all' | 'master'): readonly Redis[] {
  return isCluster(client) ? client.nodes(role) : [client];
}
