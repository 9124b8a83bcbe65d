import { systemErrorOf } from '../errors.ts';
import type { RedisConfig } from './redis-config.ts';

/** The mistakes in the settings that errors of a connection tell of, such as certificates that do not fit, or TLS on one side only. */

/** An error with which a connection failed at the start. */
export interface ConnectionError extends Error {
  /** Whether the connection uses TLS. Left out = not known. */
  readonly overTls?: boolean;
  /** The certificate, which Node adds to the error when the certificate is for another host. */
  readonly cert?: { readonly subjectaltname?: string };
}

interface Mistake {
  readonly problem: string;
  readonly fix: string;
}

const UNTRUSTED =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;
const CLIENT_REFUSED = /^ERR_SSL_\w+_ALERT_(\w*CERTIFICATE\w*|UNKNOWN_CA|HANDSHAKE_FAILURE)$/;

/** Returns why Redis or this side refused a certificate or cannot use it, and the fix; undefined for another error. */
export function certificateRefusal(error: ConnectionError): Mistake | undefined {
  const { code } = systemErrorOf(error);
  if (UNTRUSTED.test(code)) {
    return {
      problem: `no trusted authority has signed its certificate (${error.message})`,
      fix: 'Set REDIS_TLS_CA to a PEM file with the certificate of its authority; if the host names no authority, see REDIS_TLS_VERIFY',
    };
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return {
      problem: `its certificate is for another host (${error.cert?.subjectaltname ?? error.message})`,
      fix: 'Connect to a host that the certificate names, or set REDIS_TLS_SERVERNAME to such a host',
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
      fix: 'Set them to the PEM files of a certificate and of its private key, which must have no passphrase',
    };
  }
  if (!CLIENT_REFUSED.test(code)) return undefined;
  return {
    problem: `it refuses this client during the TLS handshake (${code})`,
    fix: 'If it asks for client certificates, set REDIS_TLS_CERT and REDIS_TLS_KEY to a certificate that it trusts',
  };
}

/** Returns the variable that has the address of Redis. */
export function addressVariable(mode: RedisConfig['mode']): string {
  return mode === 'standalone' ? 'REDIS_URL' : 'REDIS_NODES';
}

/** The reason that connection-refusal.ts gives for a server that sends an alert of TLS. */
export const ALERT = 'it sends an alert of TLS';
/** The first words of the reason that connection-refusal.ts gives for a server that is no Redis. */
export const OTHER_PROGRAM = 'another program answers there, not Redis';

/** A TLS port that receives Redis commands cuts the connection, or sends an alert, which begins with byte 21. */
const MAY_SPEAK_TLS = new RegExp(String.raw`\b(ECONNRESET|EPIPE)\b|^Protocol error, got "\\u0015"|^${ALERT}`);
/** A port without TLS that receives a handshake does nothing, or sends text. */
const MAY_SPEAK_NO_TLS = /^Stream isn't writeable|wrong version number|packet length too long/;

/**
 * The errors of ioredis on connections on which little or nothing arrived, with the mode in front, and the meaning of each: without TLS, and over
 * TLS.
 */
const WORDS: readonly (readonly [RegExp, string, string?])[] = [
  [
    /: Stream isn't writeable/,
    'it does not answer; a firewall may drop the packets, or another program may listen there',
  ],
  [
    /^cluster: Cluster isn't ready/,
    'its nodes do not answer, CLUSTER INFO is not ok there, or the nodes announce no address (CONFIG SET cluster-announce-ip, and cluster-preferred-endpoint-type other than unknown-endpoint)',
  ],
  [
    /^cluster: Connection is closed/,
    'its nodes refuse the connection or cut it; their ports may speak TLS (rediss:// in REDIS_URL)',
    'its nodes refuse the connection or cut it; their certificates may not fit REDIS_TLS_CA or REDIS_TLS_SERVERNAME',
  ],
  [
    /^cluster: timeout$/,
    'its nodes do not answer',
    'its nodes do not answer; their ports may not speak TLS (redis:// in REDIS_URL)',
  ],
  [
    /^sentinel: All sentinels are unreachable.*Connection is closed/,
    'no Sentinel keeps the connection open: no Sentinel listens there, or REDIS_SENTINEL_TLS or REDIS_TLS_CA is wrong',
  ],
];

/** The answers of Sentinels if settings are wrong. ioredis reports the last answer. */
const SENTINEL_ANSWERS: readonly (readonly [RegExp, Mistake])[] = [
  [/No such master/, { problem: 'the Sentinels know no master of this name', fix: 'Correct REDIS_SENTINEL_NAME' }],
  [
    /unknown command .sentinel/i,
    {
      problem: 'a Redis answers there, not a Sentinel',
      fix: 'Write the addresses of the Sentinels into REDIS_NODES',
    },
  ],
  [
    /Last error: (NOAUTH|WRONGPASS)/,
    {
      problem: 'the Sentinels refuse the credentials',
      fix: 'Correct REDIS_SENTINEL_USERNAME and REDIS_SENTINEL_PASSWORD',
    },
  ],
];

/**
 * Returns what the failure of a connection means, in words.
 * @param reason its message, without a stop.
 */
export function connectionMistake({ overTls }: ConnectionError, reason: string, mode: RedisConfig['mode']): Mistake {
  const setting = addressVariable(mode);
  const otherwise = `otherwise start Redis, or correct ${setting}`;
  if (overTls === false && MAY_SPEAK_TLS.test(reason)) {
    return {
      problem: `${reason}; the port may speak TLS`,
      fix: `If it does, write rediss:// in REDIS_URL; ${otherwise}`,
    };
  }
  if (overTls && MAY_SPEAK_NO_TLS.test(reason)) {
    return {
      problem: 'it does not answer in TLS; the port may not speak TLS, or a firewall may drop the packets',
      fix: `If it does not speak TLS, write redis:// in REDIS_URL; ${otherwise}`,
    };
  }
  const [, answer] = SENTINEL_ANSWERS.find(([pattern]) => mode === 'sentinel' && pattern.test(reason)) ?? [];
  if (answer) return answer;
  const [, plain = reason, encrypted = plain] = WORDS.find(([pattern]) => pattern.test(`${mode}: ${reason}`)) ?? [];
  return { problem: overTls ? encrypted : plain, fix: `Start Redis, or correct ${setting}` };
}
