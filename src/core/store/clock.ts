import type { ClientStore } from './store.ts';

/** Returns the time of Redis's clock, in microseconds since the epoch. One round trip. @throws StoreUnavailableError */
export async function redisTime(client: Pick<ClientStore['client'], 'time'>): Promise<number> {
  const [seconds, micros] = (await client.time()).map(Number) as [number, number];
  return seconds * 1_000_000 + micros;
}
