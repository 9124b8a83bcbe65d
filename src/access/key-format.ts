import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The API key format: `gr_`, 32 random base62 characters, 6 base62 characters of a CRC-32 over what comes before.
 * The checksum turns away mistyped and made-up keys without a look-up; it is no secret and proves nothing.
 */

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_PATTERN = /^gr_[0-9A-Za-z]{38}$/;
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

/** A new key: 190 bits from the system's random source. */
export function generateKey(): string {
  const body = `gr_${randomBase62(RANDOM_LENGTH)}`;
  return body + checksum(body);
}

/** A short random id to name a key by in lists and commands; not a secret. */
export function generateKeyId(): string {
  return randomBase62(10);
}

/** Whether the text has the form of a key and its checksum fits. */
export function isWellFormedKey(text: string): boolean {
  return KEY_PATTERN.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** SHA-256 in hex: the only form in which a key is stored. Enough for 190 random bits, which no one can guess offline. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
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
      // 248 = 4 * 62: taking the rest of larger bytes would favour the first characters.
      if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % 62);
    }
  }
  return text;
}
