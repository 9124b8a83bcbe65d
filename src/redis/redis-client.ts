import type { Cluster, Redis } from 'ioredis';

/** A connection of the service to a single Redis, a Sentinel set or a Cluster. */
export type RedisClient = Redis | Cluster;
