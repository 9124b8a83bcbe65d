import type { Cluster, Redis } from 'ioredis';

/** A connection of the service to a single Redis, a Sentinel set or a Cluster. */
export type RedisClient = Redis | Cluster;

/** Returns whether a connection is one to a Cluster. */
export function isCluster(client: RedisClient): client is Cluster {
  return client.isCluster;
}
