import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { KeepOptions } from '../../core/access/api-keys.ts';
import { hashToken } from '../../core/access/invites.ts';
import type { Parts } from '../guild-page.ts';
import { Refusal } from '../refusal.ts';
import { tokenOf } from '../visit.ts';

/** An API key that was made. */
interface NewKey {
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
 * Returns what keeps a new API key from the answer that makes it until the page that shows it, once. So a reload of that page makes no second
 * key. The key is encrypted with the token of the session, of which Redis has the hash alone. One round trip.
 * @param overlap how long the key that it replaces goes on, in words.
 */
export function keepNewKey({ client, redisKeys }: Parts, res: Response, overlap?: string): KeepOptions {
  const token = tokenOf(res);
  return {
    keep: async ({ key, record }) => {
      const made: NewKey = { key, overlap };
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, secretOf(token), iv);
      const sealed = Buffer.concat([cipher.update(JSON.stringify(made), 'utf8'), cipher.final()]);
      const stored = Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
      await client.set(redisKeys.newKey(hashOf(token, record.id)), stored, 'EX', TTL_S);
    },
  };
}

/**
 * Returns a key that was made, and deletes it here. One round trip.
 * @throws Refusal if it was taken, is over, or is that of another session; and for HEAD, whose answer would not show it.
 */
export async function takeNewKey(
  { client, redisKeys }: Parts,
  { method }: Pick<Request, 'method'>,
  res: Response,
  keyId: string,
): Promise<NewKey> {
  if (method !== 'GET') throw new Refusal(405, 'Not allowed', 'A new key is shown for GET alone.');
  const token = tokenOf(res);
  const stored = await client.getdel(redisKeys.newKey(hashOf(token, keyId)));
  if (stored === null) {
    const message =
      'A key is shown once, and this one was shown already. If you did not keep it, revoke it and make another.';
    throw new Refusal(410, 'Shown already', message);
  }
  const bytes = Buffer.from(stored, 'base64');
  const decipher = createDecipheriv(CIPHER, secretOf(token), bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(text.toString()) as NewKey;
}

function hashOf(token: string, keyId: string): string {
  return hashToken(`key ${keyId} ${token}`);
}

function secretOf(token: string): Buffer {
  return createHash('sha256').update(`new key ${token}`).digest();
}
