import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Bucket, TokenBuckets } from './token-buckets.ts';

/** Look-ups of unseen API keys that one network may start. The interval is short, so that unseen valid keys come through beside a flood. */
export const KEY_LOOK_UPS: Bucket = { burst: 500, intervalMs: 100 };
/** Searches by name that one network may send, to the public pages and to the dashboard each. */
export const SEARCHES: Bucket = { burst: 10, intervalMs: 3000 };

/** Limits what the network of an address may do. Each call is O(1). */
export class AddressLimiter {
  private readonly networks: TokenBuckets;

  /** @param now milliseconds on a clock that never goes back. */
  constructor(now: () => number, bucket: Bucket) {
    this.networks = new TokenBuckets(now, bucket);
  }

  /** Takes a token for a client's IP address. @returns 0, or the milliseconds until there is a token to take. */
  take(address: string | undefined): number {
    return this.networks.take(networkOf(address));
  }

  /** Returns a token that {@link take} gave to the address. */
  giveBack(address: string | undefined): void {
    this.networks.giveBack(networkOf(address));
  }
}

/**
 * Returns the network that is counted: the /64 of an IPv6 address, because one client has all of it, or the IPv4 address itself. All texts
 * that are no address count as one network: a client can write any text into X-Forwarded-For. The result is a text of its own, because a
 * piece of that header would keep the whole header in memory.
 */
function networkOf(address = ''): string {
  // Both checks are needed: the library alone also accepts 0x7f.1, and Node alone also accepts ::192.0.2.1.
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return 'no address';
  // Turns an IPv4 address that is written as IPv6 into the IPv4 address.
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
