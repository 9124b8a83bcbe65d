import { InvalidInputError } from '../errors.ts';

/**
 * Reads a list of web origins, separated by commas or spaces, as a person gives it for a key; "" is an empty list.
 * @throws InvalidInputError naming the first that is not an origin.
 */
export function parseOrigins(text: string): string[] {
  const origins = splitOrigins(text);
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin || !/^https?:/.test(origin)) {
      throw new InvalidInputError(
        `"${origin}" is not an origin: give scheme, host and port only, such as https://example.com`,
      );
    }
  }
  return [...new Set(origins)];
}

/** The stored form, read back. */
export function splitOrigins(text: string): string[] {
  return text.split(/[\s,]+/).filter((origin) => origin !== '');
}
