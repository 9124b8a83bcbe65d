import type { Cut, Place, REDIS } from '../topology/network.ts';

type RedisPlace = (typeof REDIS)[number];

/** A partition of the network around the present master. */
export interface Partition {
  readonly name: string;
  /** @param m the master. @param x, y its replicas. */
  readonly cuts: (m: RedisPlace, x: RedisPlace, y: RedisPlace) => readonly Cut[];
  /** Whether a replica is promoted. Additions that nobody acknowledged can be lost then. */
  readonly promotes: boolean;
  /** Whether the service has to answer 503 for a time, must not, or may. */
  readonly outage: 'yes' | 'no' | 'maybe';
  /** Whether the service reads from a master that others have replaced, until that refuses. */
  readonly isStale?: boolean;
  /** Replicas that must have an addition before it counts as acknowledged. */
  readonly replicas: 1 | 2;
  /** Whether it is part of the short form. */
  readonly isShort?: boolean;
}

const S: readonly Place[] = ['S1', 'S2', 'S3'];

/** Returns the cuts between all places of two sides. */
const between = (one: readonly Place[], other: readonly Place[], ways: Cut[2] = 'both'): Cut[] =>
  one.flatMap((from) => other.map((to): Cut => [from, to, ways]));

export const partitions: readonly Partition[] = [
  {
    name: 'the requests of the service are lost',
    cuts: (m) => [['service', m, 'one way']],
    ...{ promotes: false, outage: 'yes', replicas: 2 },
  },
  {
    name: 'the replies to the service are lost',
    cuts: (m) => [[m, 'service', 'one way']],
    ...{ promotes: false, outage: 'yes', replicas: 2, isShort: true },
  },
  {
    name: 'the replies to the bot are lost',
    cuts: (m) => [[m, 'bot', 'one way']],
    ...{ promotes: false, outage: 'no', replicas: 2, isShort: true },
  },
  {
    name: 'the master is cut off from its replicas',
    cuts: (m, x, y) => between([m], [x, y]),
    ...{ promotes: false, outage: 'yes', replicas: 1 },
  },
  {
    name: 'what the replicas acknowledge is lost',
    cuts: (m, x, y) => between([x, y], [m], 'one way'),
    ...{ promotes: false, outage: 'yes', replicas: 1, isShort: true },
  },
  {
    name: 'what the replicas are sent is lost',
    cuts: (m, x, y) => between([m], [x, y], 'one way'),
    ...{ promotes: false, outage: 'yes', replicas: 1 },
  },
  {
    name: 'the Sentinels are cut off from each other and from the service',
    cuts: () => [...between(['S1'], ['S2', 'S3']), ['S2', 'S3', 'both'], ...between(S, ['service'])],
    ...{ promotes: false, outage: 'no', replicas: 2 },
  },
  {
    name: 'the master is cut off from everything',
    cuts: (m, x, y) => between([m], [x, y, ...S, 'service', 'bot']),
    ...{ promotes: true, outage: 'yes', replicas: 1 },
  },
  {
    name: 'nobody hears the master',
    cuts: (m, x, y) => between([m], [x, y, ...S, 'service', 'bot'], 'one way'),
    ...{ promotes: true, outage: 'yes', replicas: 1, isShort: true },
  },
  {
    name: 'the master hears nobody',
    cuts: (m, x, y) => between([x, y, ...S, 'service', 'bot'], [m], 'one way'),
    ...{ promotes: true, outage: 'yes', replicas: 1 },
  },
  {
    name: 'the service stays with the old master, the bot does not',
    cuts: (m, x, y) => between([m, 'service'], [x, y, ...S, 'bot']),
    ...{ promotes: true, outage: 'yes', isStale: true, replicas: 1, isShort: true },
  },
  {
    name: 'the bot stays with the old master, the service does not',
    cuts: (m, x, y) => between([m, 'bot'], [x, y, ...S, 'service']),
    ...{ promotes: true, outage: 'yes', replicas: 1 },
  },
  {
    name: 'the service and the bot stay with the old master',
    cuts: (m, x, y) => between([m, 'service', 'bot'], [x, y, ...S]),
    ...{ promotes: true, outage: 'yes', replicas: 1 },
  },
  {
    name: 'the master is cut off from the Sentinels only',
    cuts: (m) => between([m], S),
    // The replica that is promoted may lack what only the other has.
    ...{ promotes: true, outage: 'maybe', replicas: 2 },
  },
];
