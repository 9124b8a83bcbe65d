import type { Cluster, Redis } from 'ioredis';

/** A connection of the service to a single Redis, a Sentinel set or a Cluster. */
export type RedisClient = Redis | Cluster;

/** Returns whether a connection is one to a Cluster. */
export function isCluster(client: RedisClient): client is Cluster {
  return client.isCluster;
}

/** Returns the connections to single servers: those to the nodes of a Cluster, or the client itself. */
export function nodesOf(client: RedisClient, role: 'all' | 'master'): readonly Redis[] {
  return isCluster(client) ? client.nodes(role) : [client];
}

/** Makes a connection anew, at once. A connection that is being made already stays: ioredis takes an interruption of that for the end. */
export function reconnect(client: RedisClient): void {
  if (client.status === 'connect' || client.status === 'ready') client.disconnect(true);
}
