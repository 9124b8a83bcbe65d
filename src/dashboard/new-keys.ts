import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { hashToken } from '../access/invites.ts';
import type { RedisClient } from '../store/client.ts';
import type { RedisKeys } from '../store/keys.ts';

/** An API key that was made. */
export interface NewKey {
  readonly key: string;
  /** How long the key that it replaces goes on, in words. */
  readonly overlap?: string | undefined;
}

/** How long a key that was made waits for the page that shows it, in seconds. */
const TTL_S = 300;

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Keeps a new API key from the answer that made it until the page that shows it, once. So a reload of that page makes no second key. The key
 * is encrypted with the token of the session, of which Redis has the hash alone. Every method can throw StoreUnavailableError.
 */
export class NewKeys {
  constructor(
    private readonly client: RedisClient,
    private readonly redisKeys: RedisKeys,
  ) {}

  /** Keeps the API key with the id `keyId` for the session of a token. One round trip. */
  async keep(token: string, keyId: string, made: NewKey): Promise<void> {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, secretOf(token), iv);
    const sealed = Buffer.concat([cipher.update(JSON.stringify(made), 'utf8'), cipher.final()]);
    const stored = Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
    await this.client.set(this.nameOf(token, keyId), stored, 'EX', TTL_S);
  }

  /** Returns the API key and deletes it here; null if it was taken, is over, or is that of another session. One round trip. */
  async take(token: string, keyId: string): Promise<NewKey | null> {
    const stored = await this.client.getdel(this.nameOf(token, keyId));
    if (stored === null) return null;
    const bytes = Buffer.from(stored, 'base64');
    const decipher = createDecipheriv(CIPHER, secretOf(token), bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString()) as NewKey;
  }

  private nameOf(token: string, keyId: string): string {
    return this.redisKeys.newKey(hashToken(`key ${keyId} ${token}`));
  }
}

function secretOf(token: string): Buffer {
  return createHash('sha256').update(`new key ${token}`).digest();
}
