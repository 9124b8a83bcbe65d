import { parseOrigins } from '../../core/access/origins.ts';
import { InvalidInputError } from '../../core/errors.ts';

/** Hosts of this machine, which have no certificate. */
const LOCAL = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/]|$)/i;
const MAX_LENGTH = 500;

/** Separates two addresses. No address contains a space, because a browser copies a space in a path as %20. */
const BETWEEN_ADDRESSES = /[\s,;]/;

/**
 * Returns the origin of a site from its address, as a person copies it from a browser: a path is left out, and without a scheme it is
 * https, or http on this machine.
 * @throws InvalidInputError with what to enter instead.
 */
export function siteOrigin(text: string): string {
  const address = text.trim();
  if (address === '') throw new InvalidInputError('Give the address of your site, such as https://www.example.com');
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(address);
  const scheme = LOCAL.test(address) ? 'http' : 'https';
  const full = hasScheme ? address : `${scheme}://${address}`;
  const url = address.length <= MAX_LENGTH && URL.canParse(full) ? new URL(full) : undefined;
  if (BETWEEN_ADDRESSES.test(address.replace(/[?#].*/s, '')) || url?.username || url?.password)
    throw new InvalidInputError(
      `Give one address, without a user name, such as https://www.example.com, not "${cut(address)}"`,
    );
  // Without a scheme, a single word is more likely the name of a site than a host.
  const isHost = url && (hasScheme || LOCAL.test(address) || /[.:]/.test(url.hostname));
  if (!isHost || !/^https?:$/.test(url.protocol)) {
    throw new InvalidInputError(
      `"${cut(address)}" is not the address of a site: copy it from your browser, such as https://www.example.com`,
    );
  }
  return parseOrigins(url.origin)[0] as string;
}

function cut(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
