import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The API key format: `gr_`, 32 random base62 characters, then the CRC-32 of all that in 6 base62 characters. The
 * checksum rejects mistyped keys without a look-up. It is not a secret and does not authenticate.
 */

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_PATTERN = /^gr_[0-9A-Za-z]{38}$/;
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

/** Returns a new key with 190 bits from the system's random source. */
export function generateKey(): string {
  const body = `gr_${randomBase62(RANDOM_LENGTH)}`;
  return body + checksum(body);
}

/** Returns a short random id, which names a key in lists and commands. It is not a secret. */
export function generateKeyId(): string {
  return randomBase62(10);
}

/** Whether the text has the format of a key and its checksum is right. */
export function isWellFormedKey(text: string): boolean {
  return KEY_PATTERN.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** Returns the SHA-256 of a key in hex, the only stored form. No salt is needed: nobody can guess 190 random bits. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

function checksum(body: string): string {
  let n = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = ALPHABET.charAt(n % 62) + text;
    n = Math.floor(n / 62);
  }
  return text;
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 = 4 * 62. With larger bytes too, the first characters would come more often.
      if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % 62);
    }
  }
  return text;
}
