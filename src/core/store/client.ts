import type { Cluster, Redis } from 'ioredis';

/** A connection of the service to a single Redis, a Sentinel set or a Cluster. */
export type RedisClient = Redis | Cluster;

/** Returns whether a connection leads to a Cluster. */
export function isCluster(client: RedisClient): client is Cluster {
  return client.isCluster;
}

/** Returns the connections to single servers: the connections to the nodes of a Cluster, or the client itself. */
export function nodesOf(client: RedisClient, role: 'all' | 'master'): readonly Redis[] {
  return isCluster(client) ? client.nodes(role) : [client];
}

/** Closes a connection and makes it again at once. A connection that is still being made stays, because ioredis would take its interruption for the end. */
export function reconnect(client: RedisClient): void {
  if (client.status === 'connect' || client.status === 'ready') client.disconnect(true);
}
