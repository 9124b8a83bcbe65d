import { InvalidInputError } from '../errors.ts';

/** Scheme, host and port, the host as a browser names it. A URL may have more characters, which a shell or a page would have to be kept from. */
const ORIGIN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/;

/**
 * Parses web origins, separated by commas or spaces; "" is an empty list. Repeated origins count once.
 * @throws InvalidInputError with the first that is not an origin.
 */
export function parseOrigins(text: string): string[] {
  const origins = splitOrigins(text);
  for (const origin of origins) {
    if (origin.includes('*') && URL.canParse(origin)) {
      throw new InvalidInputError(
        `"${origin}" has a wildcard, which is not supported: list each origin, such as https://www.example.com`,
      );
    }
    if (!URL.canParse(origin) || new URL(origin).origin !== origin || !ORIGIN.test(origin)) {
      throw new InvalidInputError(
        `"${origin}" is not an origin: give scheme, host and port only, such as https://example.com`,
      );
    }
  }
  return [...new Set(origins)];
}

/** Splits a list of origins, such as the stored form, without a check. */
export function splitOrigins(text: string): string[] {
  return text.split(/[\s,]+/).filter((origin) => origin !== '');
}
