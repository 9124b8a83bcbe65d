import type { Cluster, Redis } from 'ioredis';
import type { RedisClient } from './redis-client.ts';

/** Returns the connections to single servers: those to the nodes of a Cluster, or the client itself. */
export function nodesOf(client: RedisClient, role: 'all' | 'master'): readonly Redis[] {
  return client.isCluster ? (client as Cluster).nodes(role) : [client as Redis];
}
