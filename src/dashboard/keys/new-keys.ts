import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { RefusedPage } from '../refused-page.ts';
import { tokenOf } from '../visit.ts';

/** An API key that was made. */
interface NewKey {
  readonly key: string;
  /** How long the replaced key still works, in words. */
  readonly overlap?: string | undefined;
}

/** How long a new key waits for the page that shows it, in milliseconds. */
const KEPT_MS = 300_000;
/** About how many bytes all waiting keys, and one key with its name, may take. */
const MAX_BYTES = 1024 * 1024;
const KEY_BYTES = 512;

/**
 * Keeps new API keys between the request that makes a key and the page that shows it once, so that a reload of that page makes no second key. The
 * keys are only in the memory of this process.
 */
export class NewKeys {
  /** The keys by the token of the session and the id of the key. A timer removes each key that nobody has looked at. */
  private readonly waiting = new LRUCache<string, NewKey>({
    maxSize: MAX_BYTES,
    sizeCalculation: () => KEY_BYTES,
    ttl: KEPT_MS,
    ttlAutopurge: true,
  });

  /** Keeps a key for the session of a request. @param overlap how long the replaced key still works, in words. */
  keep(res: Response, keyId: string, key: string, overlap?: string): void {
    this.waiting.set(nameOf(res, keyId), { key, overlap });
  }

  /**
   * Returns a key and forgets it.
   * @throws RefusedPage if the key was shown already, has waited too long, or belongs to another session; and for HEAD, whose answer would not show the key.
   */
  take({ method }: Pick<Request, 'method'>, res: Response, keyId: string): NewKey {
    if (method !== 'GET') throw new RefusedPage(405, 'Not allowed', 'A new API Key is shown for GET alone.');
    const name = nameOf(res, keyId);
    const newKey = this.waiting.get(name);
    this.waiting.delete(name);
    if (newKey) return newKey;
    const message =
      'An API Key is shown once, within five minutes. This API Key was shown already, or is not kept any more. ' +
      'If you did not keep it, revoke it and make a new API Key.';
    throw new RefusedPage(410, 'Not shown again', message);
  }
}

function nameOf(res: Response, keyId: string): string {
  return `${tokenOf(res)} ${keyId}`;
}
