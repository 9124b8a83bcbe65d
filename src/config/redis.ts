import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { messageOf } from '../core/errors.ts';
import { listSetting } from './values.ts';

/** The parsers of the variables that say how to reach Redis. */

/** The address of a Redis. The tools of Valkey write valkey:// and valkeys:// for redis:// and rediss://. */
export const redisUrl = z
  .string()
  .default('redis://127.0.0.1:6379')
  .transform((text) => text.replace(/^valkey(s?):/i, 'redis$1:'))
  .superRefine((text, context) => {
    const problem = redisUrlProblem(text);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

export const nodeList = listSetting()
  .refine(
    (nodes) => nodes.every((node) => /^(\[[0-9a-fA-F:]+\]|[^:@/?#\s]+):\d{1,5}$/.test(node)),
    'must be a comma-separated list of host:port; user and password are in REDIS_URL',
  )
  .transform((nodes) =>
    nodes.map((node) => {
      const colon = node.lastIndexOf(':');
      return { host: node.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(node.slice(colon + 1)) };
    }),
  );

/**
 * Returns the parser of the path of a PEM file with a certificate or a private key. The parser returns the content of the file; an empty text when
 * the setting is empty. It reads all certificates of the file, because TLS silently leaves out a broken certificate and all certificates after it.
 */
export const pemFile = (kind: 'certificate' | 'private key') =>
  z
    .string()
    .default('')
    .transform((path, context) => {
      if (path === '') return '';
      const rule = `must be the path of a PEM file with a ${kind}`;
      try {
        const text = readFileSync(path, 'utf8');
        // The first line can name an algorithm, such as "BEGIN EC PRIVATE KEY".
        const isThere = new RegExp(`-----BEGIN ([A-Z0-9]+ )?${kind.toUpperCase()}-----`).test(text);
        const problem = isThere ? brokenCertificate(text, path) : `${path} contains no ${kind}`;
        if (problem === undefined) return text;
        context.addIssue({ code: 'custom', message: `${rule}, but ${problem}` });
      } catch (error) {
        context.addIssue({ code: 'custom', message: `${rule}: ${messageOf(error)}` });
      }
      return '';
    });

/** Returns which certificate of a PEM file cannot be read, and why; undefined if each can be read, or if the file has none. */
function brokenCertificate(text: string, path: string): string | undefined {
  const certificates = text.match(/-----BEGIN ([A-Z0-9]+ )?CERTIFICATE-----.*?(?=-----BEGIN|$)/gs) ?? [];
  for (const [at, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate);
    } catch (error) {
      const which = certificates.length === 1 ? 'the certificate' : `certificate ${at + 1} of ${certificates.length}`;
      const reason = messageOf(error).split(':').at(-1)?.trim();
      return `${which} in ${path} cannot be read (${reason}): copy the file again from its source`;
    }
  }
  return undefined;
}

const URL_FORMAT =
  'must be redis://[user:password@]host:port[/database], rediss://… for TLS, or unix:///path/to/redis.sock[?db=database]; ' +
  'in user and password write / as %2F, # as %23, ? as %3F, % as %25 and @ as %40';

/** Where to put what people write after a question mark, as they know it from other programs. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['password', 'write redis://user:password@host:port'],
  ['username', 'write redis://user:password@host:port'],
  ['ssl', 'for TLS, write rediss://'],
  ['tls', 'for TLS, write rediss://'],
  ['family', 'remove it, because both IPv4 and IPv6 are tried'],
  ['ssl_cert_reqs', 'for a certificate that cannot be checked, set REDIS_TLS_VERIFY=off'],
]);

/** Returns what is wrong with the address of a Redis; undefined for a right address. The text repeats nothing that may be a part of a password. */
function redisUrlProblem(text: string): string | undefined {
  if (text.startsWith('/')) return undefined;
  if (!URL.canParse(text)) return URL_FORMAT;
  const { protocol, hostname, pathname, username, password, searchParams, hash } = new URL(text);
  // A password with one of / # ? ends the host too early: what follows the host then has the "@" of the password.
  if (/[/#?].*@/.test(text.slice(text.indexOf('://') + 3).replace(/^[^/#?]*@/, ''))) return URL_FORMAT;
  if (hash !== '') return `has a "#", which is not part of such an address; it ${URL_FORMAT}`;
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part);
  } catch {
    return URL_FORMAT; // A percent sign that encodes nothing.
  }
  const isSocket = protocol === 'unix:';
  for (const name of searchParams.keys()) {
    if (name === 'db') continue;
    const known = INSTEAD.get(name.toLowerCase());
    const shown = known ? `the parameter ${name}` : 'a parameter other than db';
    return `has ${shown} after the "?", which has no effect here: ${known ?? 'remove it'}`;
  }
  if (!/^\d*$/.test(searchParams.get('db') ?? '')) return URL_FORMAT;
  if (isSocket) return hostname === '' && pathname.length > 1 ? undefined : URL_FORMAT;
  if (searchParams.has('db') && pathname.length > 1)
    return 'names the database twice, after the host and as db: remove one of them';
  const isRight = /^rediss?:$/.test(protocol) && hostname !== '' && /^(\/\d*)?$/.test(pathname);
  return isRight ? undefined : URL_FORMAT;
}
