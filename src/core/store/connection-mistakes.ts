import { systemErrorOf } from '../errors.ts';
import type { RedisConfig } from './redis-config.ts';

/** What errors of a connection tell of the settings: certificates that do not fit, and TLS on one side only. */

/** An error with which a connection failed at the start. */
export interface ConnectionError extends Error {
  /** Whether the connection is one over TLS. Left out = not known. */
  readonly overTls?: boolean;
  /** What Node adds when the certificate is for another host. */
  readonly cert?: { readonly subjectaltname?: string };
}

interface Mistake {
  readonly problem: string;
  readonly fix: string;
}

const UNTRUSTED =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;
const CLIENT_REFUSED = /^ERR_SSL_\w+_ALERT_(\w*CERTIFICATE\w*|UNKNOWN_CA|HANDSHAKE_FAILURE)$/;

/** Returns why a certificate was refused or cannot be used, by Redis or by this side, and the fix; undefined for another error. */
export function certificateRefusal(error: ConnectionError): Mistake | undefined {
  const { code } = systemErrorOf(error);
  if (UNTRUSTED.test(code)) {
    return {
      problem: `no trusted authority has signed its certificate (${error.message})`,
      fix: 'Set REDIS_TLS_CA to a PEM file with the certificate of its authority; for a host that tells no authority see REDIS_TLS_VERIFY',
    };
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return {
      problem: `its certificate is for another host (${error.cert?.subjectaltname ?? error.message})`,
      fix: 'Connect to a host of the certificate, or set REDIS_TLS_SERVERNAME to it',
    };
  }
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(code)) {
    return {
      problem: `its certificate is not valid now (${error.message})`,
      fix: 'Renew the certificate, or correct the clock',
    };
  }
  // A failed handshake is ERR_SSL_….
  if (/^ERR_OSSL_/.test(code)) {
    return {
      problem: `REDIS_TLS_CERT and REDIS_TLS_KEY cannot be used (${error.message})`,
      fix: 'Set them to the PEM files of a certificate and of its own private key without a passphrase',
    };
  }
  if (!CLIENT_REFUSED.test(code)) return undefined;
  return {
    problem: `it refuses this client during the handshake of TLS (${code})`,
    fix: 'If it asks for client certificates, set REDIS_TLS_CERT and REDIS_TLS_KEY to one that it trusts',
  };
}

/** Returns the variable that has the address of Redis. */
export function addressSetting(mode: RedisConfig['mode']): string {
  return mode === 'standalone' ? 'REDIS_URL' : 'REDIS_NODES';
}

/** What a TLS port does with the commands of Redis: it cuts the connection, or sends an alert, which begins with byte 21. */
const MAY_SPEAK_TLS = /\b(ECONNRESET|EPIPE)\b|^Protocol error, got "\\u0015"/;
/** What a port without TLS does with a handshake: nothing, or it sends text. */
const MAY_SPEAK_NO_TLS = /^Stream isn't writeable|wrong version number|packet length too long/;

/** What ioredis reports, after the mode, of connections on which little or nothing came: without TLS, and over TLS. */
const WORDS: readonly (readonly [RegExp, string, string?])[] = [
  [/: Stream isn't writeable/, 'it does not answer; a firewall may drop the packets, or another program listen there'],
  [
    /^cluster: Cluster isn't ready/,
    'its nodes do not answer, CLUSTER INFO is not ok there, or the nodes tell no address (CONFIG SET cluster-announce-ip, and cluster-preferred-endpoint-type other than unknown-endpoint)',
  ],
  [
    /^cluster: Connection is closed/,
    'its nodes refuse the connection or cut it; their ports may speak TLS (rediss:// in REDIS_URL)',
    'its nodes refuse the connection or cut it; their certificates may not fit REDIS_TLS_CA or REDIS_TLS_SERVERNAME',
  ],
  [
    /^cluster: timeout$/,
    'its nodes do not answer',
    'its nodes do not answer; their ports may speak no TLS (redis:// in REDIS_URL)',
  ],
  [
    /^sentinel: All sentinels are unreachable.*Connection is closed/,
    'no Sentinel keeps the connection: none listens there, or REDIS_SENTINEL_TLS or REDIS_TLS_CA does not fit',
  ],
];

/** What Sentinels answer to wrong settings. ioredis tells the last answer. */
const SENTINEL_ANSWERS: readonly (readonly [RegExp, Mistake])[] = [
  [/No such master/, { problem: 'they know no master of this name', fix: 'Correct REDIS_SENTINEL_NAME' }],
  [
    /unknown command .sentinel/i,
    {
      problem: 'a Redis answers there, and no Sentinel',
      fix: 'Write the addresses of the Sentinels into REDIS_NODES',
    },
  ],
  [
    /Last error: (NOAUTH|WRONGPASS)/,
    {
      problem: 'they refuse the credentials',
      fix: 'Correct REDIS_SENTINEL_USERNAME and REDIS_SENTINEL_PASSWORD',
    },
  ],
];

/**
 * Returns what the failure of a connection means, in words.
 * @param reason its message, without a stop.
 */
export function connectionMistake({ overTls }: ConnectionError, reason: string, mode: RedisConfig['mode']): Mistake {
  const setting = addressSetting(mode);
  const otherwise = `otherwise start Redis, or correct ${setting}`;
  if (overTls === false && MAY_SPEAK_TLS.test(reason)) {
    return { problem: `${reason}; the port may speak TLS`, fix: `For TLS write rediss:// in REDIS_URL; ${otherwise}` };
  }
  if (overTls && MAY_SPEAK_NO_TLS.test(reason)) {
    return {
      problem: 'it does not answer in TLS; the port may speak no TLS, or a firewall drop the packets',
      fix: `Without TLS write redis:// in REDIS_URL; ${otherwise}`,
    };
  }
  const [, answer] = SENTINEL_ANSWERS.find(([pattern]) => mode === 'sentinel' && pattern.test(reason)) ?? [];
  if (answer) return answer;
  const [, plain = reason, encrypted = plain] = WORDS.find(([pattern]) => pattern.test(`${mode}: ${reason}`)) ?? [];
  return { problem: overTls ? encrypted : plain, fix: `Start Redis, or correct ${setting}` };
}
