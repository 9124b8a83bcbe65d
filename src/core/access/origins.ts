import { InvalidInputError } from '../errors.ts';
import { MAX_ORIGINS, MAX_ORIGINS_BYTES } from '../text-bounds.ts';

/** Scheme, host and port, with the host as a browser writes it. The further characters of a URL could do harm in a shell or a page. */
const ORIGIN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/;

/**
 * Parses web origins, separated by commas or spaces; "" is an empty list. Repeated origins count once.
 * @throws InvalidInputError with the first text that is not an origin, or if there are more than {@link MAX_ORIGINS} or {@link MAX_ORIGINS_BYTES}.
 */
export function parseOrigins(text: string): string[] {
  const origins = [...new Set(splitOrigins(text))];
  const bytes = Buffer.byteLength(origins.join(' '));
  if (origins.length > MAX_ORIGINS || bytes > MAX_ORIGINS_BYTES)
    throw new InvalidInputError(
      `A key has at most ${MAX_ORIGINS} origins, with ${MAX_ORIGINS_BYTES} bytes together, not ${origins.length} with ${bytes} bytes: make a second key for the other origins`,
    );
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
  return origins;
}

/** Splits a list of origins, such as the stored form, without a check. */
export function splitOrigins(text: string): string[] {
  return text.split(/[\s,]+/).filter((origin) => origin !== '');
}
