import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import type { RedisConfig } from '../core/store/redis-config.ts';
import { fontFiles } from './font-files.ts';
import { nodeList, pemFile, redisUrl } from './redis.ts';
import { addressSetting, hostSetting, integer, listSetting, oneOf, parseVariables, splitList } from './values.ts';

/** All settings of the service, parsed once from environment variables. */

const PLAN_FORMAT = 'must list plan=requests pairs with whole numbers above 0, such as free=100,starter=1000,pro=10000';

const planQuotas = listSetting('free=100,starter=1000,pro=10000')
  .refine((pairs) => pairs.every((pair) => /^[a-z0-9_-]{1,32}=[1-9]\d{0,14}$/.test(pair)), PLAN_FORMAT)
  .refine((pairs) => new Set(pairs.map((pair) => pair.split('=')[0])).size === pairs.length, 'must name each plan once')
  .transform((pairs) => new Map(pairs.map((pair) => pair.split('=')).map(([plan = '', n]) => [plan, Number(n)])))
  .refine((plans) => plans.has('free'), 'must have an entry for the plan free, whose quota guilds without a plan have');

const webOrigins = (fallback: string) =>
  listSetting(fallback).refine(
    (origins) => origins.every((o) => o === '*' || (!o.includes('*') && URL.canParse(o) && new URL(o).origin === o)),
    'must be * or a comma-separated list of origins such as https://example.com (scheme and host, no path, no wildcard)',
  );

const publicUrl = addressSetting.refine(
  (text) => text === '' || (/^https?:\/\/[^\s?#"'<>\\]{1,500}$/.test(text) && URL.canParse(text)),
  'must be the address by which visitors reach the service, such as https://ranks.example.com',
);

/** Returns whether a text is an address or a subnet of IPv4 or IPv6, or the word for the addresses of this machine. */
function isProxy(text: string): boolean {
  if (text === 'loopback') return true;
  const [address = '', bits, ...rest] = text.split('/');
  const isIpv4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (rest.length > 0 || !(isIpv4 || ipaddr.IPv6.isValid(address))) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (isIpv4 ? 32 : 128));
}

const trustProxy = z
  .string()
  .default('0')
  .refine(
    (text) => /^\d{1,2}$/.test(text) || splitList(text).every(isProxy),
    'must be a number of proxy hops from 0 to 99, or a list of addresses or subnets such as 10.0.0.0/8,loopback',
  )
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : splitList(text)));

const workers = z
  .string()
  .default('1')
  .refine(
    (text) => text === 'auto' || (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 256),
    'must be auto or a whole number from 1 to 256',
  )
  .transform((text) => (text === 'auto' ? ('auto' as const) : Number(text)));

/** Returns whether two listeners of these hosts have an address in common, so that each needs a port of its own. */
export function haveCommonAddress(one: string, other: string): boolean {
  const hosts = [one, other];
  const isIpv6 = hosts.some((host) => host.includes(':'));
  return one === other || hosts.includes('::') || (hosts.includes('0.0.0.0') && !isIpv6);
}

const NO_SENTINEL = 'must be unset unless REDIS_MODE is sentinel: set REDIS_MODE=sentinel, or remove it';

const schema = z
  .object({
    REDIS_URL: redisUrl,
    REDIS_MODE: oneOf('standalone', 'sentinel', 'cluster').default('standalone'),
    REDIS_NODES: nodeList,
    REDIS_SENTINEL_NAME: z.string().default(''),
    REDIS_SENTINEL_USERNAME: z.string().default(''),
    REDIS_SENTINEL_PASSWORD: z.string().default(''),
    REDIS_SENTINEL_TLS: oneOf('off', 'on').default('off'),
    REDIS_TLS_CA: pemFile('certificate'),
    REDIS_TLS_CERT: pemFile('certificate'),
    REDIS_TLS_KEY: pemFile('private key'),
    REDIS_TLS_SERVERNAME: z.string().default(''),
    REDIS_TLS_VERIFY: oneOf('on', 'off').default('on'),
    REDIS_TIMEOUT_MS: integer(1, 60_000, 100),
    REDIS_PROBE_MS: integer(250, 3_600_000, 15_000),
    KEY_PREFIX: z
      .string()
      .regex(/^[A-Za-z0-9:_.-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 : _ . -')
      .default('gr'),
    HOST: hostSetting('0.0.0.0'),
    PORT: integer(0, 65_535, 8080),
    ADMIN_HOST: hostSetting('127.0.0.1'),
    ADMIN_PORT: integer(0, 65_535, 9464),
    MAX_CONNECTIONS: integer(1, 1_000_000, 5000),
    WORKERS: workers,
    PLAN_QUOTAS: planQuotas,
    CORS_ORIGINS: webOrigins('*'),
    EMBED_ORIGINS: webOrigins(''),
    PUBLIC_PAGES: oneOf('0', '1').default('0'),
    PUBLIC_URL: publicUrl,
    PUBLIC_PAGE_FONTS: fontFiles,
    FETCH_AVATARS: oneOf('0', '1').default('1'),
    TRUST_PROXY: trustProxy,
    LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
    LOG_REQUESTS: oneOf('all', 'errors', 'off').default('all'),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.string().default(''),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.string().default(''),
    OTEL_EXPORTER_OTLP_PROTOCOL: z.string().default(''),
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z.string().default(''),
    // The switches of OpenTelemetry: platforms set them beside the address of a collector.
    OTEL_SDK_DISABLED: z.string().default('false'),
    OTEL_TRACES_EXPORTER: z.string().default('otlp'),
    CACHE_MAX_AGE_S: integer(0, 86_400, 0),
    CACHE_MAX_KEYS: integer(1, 10_000_000, 50_000),
    CACHE_MAX_PAGES: integer(0, 10_000_000, 10_000),
    CACHE_MAX_BYTES: integer(0, 1_000_000_000_000, 32 * 1024 * 1024),
    SHUTDOWN_DELAY_MS: integer(0, 600_000, 0),
    SHUTDOWN_TIMEOUT_MS: integer(1, 600_000, 10_000),
  })
  .superRefine((env, context) => {
    const wrong = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    const required = `is required when REDIS_MODE is ${env.REDIS_MODE}`;
    if (env.REDIS_MODE !== 'standalone' && env.REDIS_NODES.length === 0) wrong('REDIS_NODES', required);
    if (env.REDIS_MODE === 'sentinel' && env.REDIS_SENTINEL_NAME === '') wrong('REDIS_SENTINEL_NAME', required);
    if (env.REDIS_MODE === 'standalone' && env.REDIS_NODES.length > 0) {
      wrong(
        'REDIS_NODES',
        'must be unset when REDIS_MODE is standalone: set REDIS_MODE to sentinel or cluster, or remove it',
      );
    }
    for (const name of ['REDIS_SENTINEL_NAME', 'REDIS_SENTINEL_USERNAME', 'REDIS_SENTINEL_PASSWORD'] as const) {
      if (env[name] !== '' && env.REDIS_MODE !== 'sentinel') wrong(name, NO_SENTINEL);
    }
    if (env.REDIS_SENTINEL_TLS === 'on' && env.REDIS_MODE !== 'sentinel') wrong('REDIS_SENTINEL_TLS', NO_SENTINEL);
    if ((env.REDIS_TLS_CERT === '') !== (env.REDIS_TLS_KEY === '')) {
      wrong('REDIS_TLS_CERT', 'and REDIS_TLS_KEY must be set together');
    }
    const usesTls = env.REDIS_URL.startsWith('rediss:') || env.REDIS_SENTINEL_TLS === 'on';
    for (const name of ['REDIS_TLS_CA', 'REDIS_TLS_CERT', 'REDIS_TLS_SERVERNAME'] as const) {
      if (env[name] !== '' && !usesTls) wrong(name, 'must be unset unless REDIS_URL is rediss://…');
    }
    if (env.REDIS_TLS_VERIFY === 'off' && !usesTls) {
      wrong('REDIS_TLS_VERIFY', 'must be unset unless REDIS_URL is rediss://…');
    }
    if (env.REDIS_TLS_VERIFY === 'off' && env.REDIS_TLS_CA !== '') {
      wrong('REDIS_TLS_VERIFY', 'must be on if REDIS_TLS_CA is set, because off makes REDIS_TLS_CA useless');
    }
    if (env.PORT !== 0 && env.PORT === env.ADMIN_PORT && haveCommonAddress(env.HOST, env.ADMIN_HOST)) {
      wrong('ADMIN_PORT', `is ${env.PORT}, the same as PORT: choose another port, or 0 for no admin listener`);
    }
  });

/** The names of all variables that the service reads. */
export const serviceSettings: readonly string[] = Object.keys(schema.shape);

/** Returns whether the variables of OpenTelemetry ask for traces. Their switches have no upper and lower case. */
function isTracing(env: {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: string;
  readonly OTEL_SDK_DISABLED: string;
  readonly OTEL_TRACES_EXPORTER: string;
}): boolean {
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === '' || env.OTEL_SDK_DISABLED.toLowerCase() === 'true') return false;
  return splitList(env.OTEL_TRACES_EXPORTER.toLowerCase()).includes('otlp');
}

/**
 * Returns what is wrong with the address of the collector. Platforms set this address for every program, so a wrong address does not stop the start.
 */
function tracingProblem(env: {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: string;
  readonly OTEL_EXPORTER_OTLP_PROTOCOL: string;
  readonly OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: string;
}): string | undefined {
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const) {
    if (env[name] !== '' && !/^https?:\/\/./.test(env[name]))
      return `${name} is not the address of a collector for HTTP, such as http://127.0.0.1:4318`;
  }
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol === '' || protocol === 'http/protobuf') return undefined;
  return `the service sends http/protobuf, and OTEL_EXPORTER_OTLP_PROTOCOL asks for ${protocol}: name the collector's port for HTTP, usually 4318, and that protocol`;
}

/** The settings of the service, parsed and checked. */
export type Config = Readonly<ReturnType<typeof parseConfig>>;

/** Parses the settings of the service from environment variables. @throws ConfigError with every wrong variable. */
export function parseConfig(env: Readonly<Record<string, string | undefined>>) {
  const e = parseVariables(schema, env);
  const redis: RedisConfig = {
    url: e.REDIS_URL,
    mode: e.REDIS_MODE,
    nodes: e.REDIS_NODES,
    sentinelName: e.REDIS_SENTINEL_NAME,
    sentinels: {
      username: e.REDIS_SENTINEL_USERNAME,
      password: e.REDIS_SENTINEL_PASSWORD,
      tls: e.REDIS_SENTINEL_TLS === 'on',
    },
    tls: {
      ca: e.REDIS_TLS_CA,
      cert: e.REDIS_TLS_CERT,
      key: e.REDIS_TLS_KEY,
      servername: e.REDIS_TLS_SERVERNAME,
      verify: e.REDIS_TLS_VERIFY === 'on',
    },
    timeoutMs: e.REDIS_TIMEOUT_MS,
    probeMs: e.REDIS_PROBE_MS,
  };
  return {
    redis,
    keyPrefix: e.KEY_PREFIX,
    host: e.HOST,
    /** 0 picks a free port. */
    port: e.PORT,
    adminHost: e.ADMIN_HOST,
    /** 0 = no admin listener. */
    adminPort: e.ADMIN_PORT,
    /** Connections to the API of each process. */
    maxConnections: e.MAX_CONNECTIONS,
    workers: e.WORKERS,
    /** Requests per hour by plan name. */
    planQuotas: e.PLAN_QUOTAS,
    corsOrigins: e.CORS_ORIGINS,
    /** Sites that may show /embed in a frame; an empty list = there is no page /embed. */
    embedOrigins: e.EMBED_ORIGINS,
    /** Whether guilds may have public pages. */
    publicPages: e.PUBLIC_PAGES === '1',
    /** Public address of the service without a slash at its end; "" = links to pages have no preview with addresses. */
    publicUrl: e.PUBLIC_URL,
    /** Files of further fonts for the pictures of public pages, beside the fonts of the service. */
    publicPageFonts: e.PUBLIC_PAGE_FONTS,
    /** Whether the service loads avatars from Discord's host for the pictures that it draws. */
    fetchAvatars: e.FETCH_AVATARS === '1',
    /** Number of proxy hops, or addresses and subnets of the proxies, whose X-Forwarded-For is trusted; 0 = no proxy. */
    trustProxy: e.TRUST_PROXY,
    logLevel: e.LOG_LEVEL,
    logRequests: e.LOG_REQUESTS,
    /** Whether a span of each request goes to a collector of OpenTelemetry. */
    tracing: isTracing(e) && tracingProblem(e) === undefined,
    /** Why no spans are sent although a collector is named, for the log; undefined if there is no reason. */
    tracingProblem: isTracing(e) ? tracingProblem(e) : undefined,
    /** Seconds that a browser may reuse a response without a request; 0 = a browser always asks. */
    cacheMaxAgeS: e.CACHE_MAX_AGE_S,
    /** API keys kept in memory. */
    cacheMaxKeys: e.CACHE_MAX_KEYS,
    /** Responses kept in memory; 0 = no response is kept. */
    cacheMaxPages: e.CACHE_MAX_PAGES,
    /** Memory of the responses kept, in bytes; 0 = no response is kept. */
    cacheMaxBytes: e.CACHE_MAX_BYTES,
    /** Time between the end of readiness and the end of service. */
    shutdownDelayMs: e.SHUTDOWN_DELAY_MS,
    shutdownTimeoutMs: e.SHUTDOWN_TIMEOUT_MS,
  };
}
