import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseConfig } from '../../../src/config/service.ts';
import { ConfigError } from '../../../src/core/errors.ts';

/** A self-signed certificate. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUblpOEatMcCjB8r8A9X8aOKPMLoYwCgYIKoZIzj0EAwIw
IzEhMB8GA1UEAwwYZ3VpbGRyYW5rIHRlc3QgYXV0aG9yaXR5MB4XDTI2MTEyODE4
MjM0MFoXDTM2MTEyNTE4MjM0MFowIzEhMB8GA1UEAwwYZ3VpbGRyYW5rIHRlc3Qg
YXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEXKPIElxJPGhLqJHe
Zhd6shaqi4A8kj4rDzBiRMN1X0w1MOwd7WkoKz9ICru7sVw6ZvU/DVhhGlsQHyyZ
2kCvG6NTMFEwHQYDVR0OBBYEFOVuFGKSecujqx/m+5gR0MlySG0ZMB8GA1UdIwQY
MBaAFOVuFGKSecujqx/m+5gR0MlySG0ZMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZI
zj0EAwIDSAAwRQIgLTeoIBbrjc7EMZsjtUSROZBkuE76MDOKguXaoUFloJICIQDd
+GchoCk30U/ed2wEAznlg9WEq5LdV2t/5xGfF8M3rg==
-----END CERTIFICATE-----
`;

describe('parseConfig', () => {
  it('a service needs no setting', () => {
    expect(parseConfig({})).toMatchObject({
      redis: { url: 'redis://127.0.0.1:6379', mode: 'standalone', timeoutMs: 100 },
      keyPrefix: 'gr',
      host: '0.0.0.0',
      port: 8080,
      adminHost: '127.0.0.1',
      adminPort: 9464,
      maxConnections: 5000,
      workers: 1,
      corsOrigins: ['*'],
      trustProxy: 0,
      logLevel: 'info',
      logRequests: 'all',
      cacheMaxAgeS: 0,
      cacheMaxKeys: 50_000,
      cacheMaxPages: 10_000,
      shutdownTimeoutMs: 10_000,
    });
    expect([...parseConfig({}).planQuotas]).toEqual([
      ['free', 100],
      ['starter', 1000],
      ['pro', 10_000],
    ]);
  });

  it('an empty value counts as unset', () => {
    expect(parseConfig({ PORT: '', REDIS_NODES: '' }).port).toBe(8080);
  });

  it('every form of address is read', () => {
    for (const url of [
      'redis://u:p%40@h:1/2',
      'rediss://h',
      'unix:///run/redis.sock',
      '/run/redis.sock',
      'redis://[::1]:6379',
    ]) {
      expect(parseConfig({ REDIS_URL: url }).redis.url).toBe(url);
    }
    expect(parseConfig({ REDIS_MODE: 'cluster', REDIS_NODES: 'a:7000, [::1]:7001' }).redis.nodes).toEqual([
      { host: 'a', port: 7000 },
      { host: '::1', port: 7001 },
    ]);
    expect(parseConfig({ TRUST_PROXY: '10.0.0.0/8, loopback' }).trustProxy).toEqual(['10.0.0.0/8', 'loopback']);
    expect(parseConfig({ WORKERS: 'auto' }).workers).toBe('auto');
  });

  it.each([
    ['REDIS_URL', 'http://x'],
    ['REDIS_URL', 'localhost:6379'],
    ['REDIS_URL', 'redis://h/five'],
    ['REDIS_URL', 'redis://h/1/2'],
    ['REDIS_URL', 'redis://h?db=x'],
    ['REDIS_URL', 'redis://u:50%zz@h'],
    ['REDIS_URL', 'unix:///run/redis.sock?db=-1'],
    ['REDIS_MODE', 'replica'],
    ['REDIS_NODES', 'host'],
    ['REDIS_NODES', 'password@host:6379'],
    ['REDIS_NODES', 'host:6379'],
    ['REDIS_SENTINEL_NAME', 'main'],
    ['REDIS_SENTINEL_USERNAME', 'user'],
    ['REDIS_SENTINEL_PASSWORD', 'password'],
    ['REDIS_SENTINEL_TLS', 'on'],
    ['REDIS_SENTINEL_TLS', 'yes'],
    ['TRUST_PROXY', '100'],
    ['TRUST_PROXY', 'aaaa'],
    ['TRUST_PROXY', '10.0.0'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '::1/129'],
    ['TRUST_PROXY', '10.0.0.0/8/8'],
    ['REDIS_TLS_CA', '/nowhere/ca.pem'],
    ['REDIS_TLS_KEY', 'package.json'],
    ['REDIS_TLS_SERVERNAME', 'redis.internal'],
    ['REDIS_TIMEOUT_MS', '0'],
    ['REDIS_TIMEOUT_MS', '1.5'],
    ['KEY_PREFIX', 'a b'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['MAX_CONNECTIONS', '0'],
    ['PORT', 'http'],
    ['ADMIN_PORT', '1e3'],
    ['WORKERS', '0'],
    ['WORKERS', 'many'],
    ['PLAN_QUOTAS', 'free'],
    ['PLAN_QUOTAS', 'free=0'],
    ['PLAN_QUOTAS', 'pro=5'],
    ['PLAN_QUOTAS', 'free=1,pro=5,free=2'],
    ['CORS_ORIGINS', 'https://a.example/path'],
    ['CORS_ORIGINS', 'a.example'],
    ['CORS_ORIGINS', 'https://*.example'],
    ['EMBED_ORIGINS', 'a.example'],
    ['PUBLIC_PAGES', 'yes'],
    ['PUBLIC_URL', 'ranks.example.com'],
    ['PUBLIC_PAGE_FONTS', '/nowhere/font.ttf'],
    ['PUBLIC_PAGE_FONTS', 'package.json'],
    ['PUBLIC_PAGE_FONTS', 'src'],
    ['TRUST_PROXY', 'yes'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_REQUESTS', 'none'],
    ['CACHE_MAX_AGE_S', '-5'],
    ['CACHE_MAX_KEYS', '0'],
    ['CACHE_MAX_PAGES', 'x'],
    ['CACHE_MAX_BYTES', '64M'],
    ['SHUTDOWN_TIMEOUT_MS', '0'],
  ])('%s=%s is refused, and the error names the variable', (name, value) => {
    expect(() => parseConfig({ [name]: value })).toThrow(new RegExp(`^Invalid configuration:\\n {2}${name} must `));
  });

  describe.each([
    ['redis://guildrank:12s3cr#x@host', 'as %23'],
    ['redis://guildrank:12s3cr/x@host:6379', '/ as %2F'],
    ['redis://guildrank:12s3cr?x@host:6379', '? as %3F'],
    ['redis://guildrank:12s3cr%zz@host:6379', '% as %25'],
    ['redis://host#12s3cr', 'has a "#"'],
    ['redis://host/1?db=2', 'names the database twice'],
    ['redis://host?password=12s3cr', 'the parameter password .*: write redis://user:password@host:port'],
    ['redis://host?ssl=true', 'the parameter ssl .*: for TLS, write rediss://'],
    ['redis://host?s12s3cr=1', 'a parameter other than db .*: remove it'],
    ['redis://host?constructor=12s3cr', 'a parameter other than db .*: remove it'],
    ['rediss://host?ssl_cert_reqs=none', 'the parameter ssl_cert_reqs .*: .* REDIS_TLS_VERIFY=off'],
  ])('the address %s', (url, hint) => {
    it('a wrong address is refused with a hint, and no part of it that may be a password is shown', () => {
      const attempt = () => parseConfig({ REDIS_URL: url });
      expect(attempt).toThrow(new RegExp(hint.replace('?', '\\?')));
      expect(attempt).not.toThrow(/12s3cr/);
    });
  });

  it('all mistakes are reported together', () => {
    const attempt = () => parseConfig({ PORT: 'x', LOG_LEVEL: 'y', REDIS_MODE: 'sentinel' });
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(/PORT must.*\n.*LOG_LEVEL must/);
  });

  it('the files of TLS are read, and are refused without TLS or without each other', () => {
    const folder = mkdtempSync(join(tmpdir(), 'guildrank-config-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'x.pem');
    // One file may have both.
    const text = `${CERTIFICATE}-----BEGIN EC PRIVATE KEY-----\n`;
    writeFileSync(file, text);
    const tls = { REDIS_TLS_CA: file, REDIS_TLS_CERT: file, REDIS_TLS_KEY: file };
    const parsed = { ca: text, cert: text, key: text, servername: '', verify: true };
    const sentinel = { REDIS_MODE: 'sentinel', REDIS_NODES: 'h:26379', REDIS_SENTINEL_NAME: 'main' };
    expect(parseConfig({ REDIS_URL: 'rediss://h', ...tls }).redis.tls).toEqual(parsed);
    expect(parseConfig({ ...sentinel, REDIS_SENTINEL_TLS: 'on', ...tls }).redis.tls).toEqual(parsed);
    expect(() => parseConfig(tls)).toThrow(/REDIS_TLS_CA must be unset unless REDIS_URL is rediss:/);
    expect(() => parseConfig({ REDIS_URL: 'rediss://h', REDIS_TLS_CERT: file })).toThrow(
      /REDIS_TLS_CERT and REDIS_TLS_KEY must be set together/,
    );
  });

  it.each([
    ['a cut certificate', CERTIFICATE.slice(0, 300), 'the certificate in PATH cannot be read (bad end line)'],
    [
      'a certificate with another content',
      CERTIFICATE.replace('MIIB', 'AAAA'),
      /the certificate in PATH cannot be read \([\w ]+\): copy the file again/,
    ],
    [
      'a second certificate that is broken',
      `Authority 1\n${CERTIFICATE}Authority 2\n${CERTIFICATE.replace('MIIB', 'AAAA')}`,
      'certificate 2 of 2 in PATH cannot be read',
    ],
  ])('a PEM file with %s is refused, and the error says which certificate cannot be read', (_what, text, told) => {
    const folder = mkdtempSync(join(tmpdir(), 'guildrank-config-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'PATH');
    writeFileSync(file, text);
    const attempt = () => {
      try {
        return parseConfig({ REDIS_URL: 'rediss://h', REDIS_TLS_CA: file });
      } catch (error) {
        throw new Error((error as Error).message.replaceAll(folder, '').replaceAll('/PATH', 'PATH'));
      }
    };
    expect(attempt).toThrow(/REDIS_TLS_CA must be the path of a PEM file with a certificate, but /);
    expect(attempt).toThrow(told);
  });

  it('a PEM file with several certificates and texts between them is read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'guildrank-config-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'ca.pem');
    const text = `Authority 1\r\n${CERTIFICATE.replaceAll('\n', '\r\n')}\nAuthority 2\n${CERTIFICATE}`;
    writeFileSync(file, text);
    expect(parseConfig({ REDIS_URL: 'rediss://h', REDIS_TLS_CA: file }).redis.tls.ca).toBe(text);
  });

  it.each([
    ['valkey://user:p%40ss@host:6380/2', 'redis://user:p%40ss@host:6380/2'],
    ['valkeys://host', 'rediss://host'],
    ['Valkey://valkey:6379', 'redis://valkey:6379'],
  ])('the address %s of Valkey is read as %s', (url, read) => {
    expect(parseConfig({ REDIS_URL: url }).redis.url).toBe(read);
  });

  it('an address of Valkey with TLS takes the files of TLS, and a wrong address is refused with the format', () => {
    expect(parseConfig({ REDIS_URL: 'valkeys://h', REDIS_TLS_SERVERNAME: 'h2' }).redis.tls.servername).toBe('h2');
    expect(() => parseConfig({ REDIS_URL: 'valkey://h/five' })).toThrow(/REDIS_URL must be redis:/);
  });

  it('a PEM file of another kind is refused', () => {
    const folder = mkdtempSync(join(tmpdir(), 'guildrank-config-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const key = join(folder, 'a.key');
    const cert = join(folder, 'a.crt');
    writeFileSync(key, '-----BEGIN PRIVATE KEY-----\n');
    writeFileSync(cert, CERTIFICATE);
    const parse = (tls: Record<string, string>) => () => parseConfig({ REDIS_URL: 'rediss://h', ...tls });
    expect(parse({ REDIS_TLS_CA: key })).toThrow(
      `REDIS_TLS_CA must be the path of a PEM file with a certificate, but ${key} contains no certificate`,
    );
    expect(parse({ REDIS_TLS_CERT: key, REDIS_TLS_KEY: key })).toThrow(/REDIS_TLS_CERT must .* with a certificate/);
    expect(parse({ REDIS_TLS_CERT: cert, REDIS_TLS_KEY: cert })).toThrow(/REDIS_TLS_KEY must .* with a private key/);
    expect(parse({ REDIS_TLS_CERT: cert, REDIS_TLS_KEY: key })).not.toThrow();
  });

  it.each([
    [{ PORT: '9464' }],
    [{ ADMIN_PORT: '8080', HOST: '127.0.0.1' }],
    [{ PORT: '9000', ADMIN_PORT: '9000', HOST: '::', ADMIN_HOST: '::1' }],
  ])('one port for both listeners is refused: %j', (env) => {
    expect(() => parseConfig(env as Record<string, string>)).toThrow(
      /^Invalid configuration:\n {2}ADMIN_PORT is \d+, the same as PORT: choose another port, or 0 for no admin listener$/,
    );
  });

  it.each([
    [{ PORT: '0', ADMIN_PORT: '0' }],
    [{ PORT: '9464', HOST: '10.0.0.1' }],
    [{ PORT: '9464', ADMIN_HOST: '::1' }],
  ])('ports that do not clash are taken: %j', (env) => {
    expect(() => parseConfig(env as Record<string, string>)).not.toThrow();
  });

  it('each mode asks for what it needs', () => {
    expect(() => parseConfig({ REDIS_MODE: 'sentinel' })).toThrow(
      /REDIS_NODES is required .*sentinel\n {2}REDIS_SENTINEL_NAME is required/,
    );
    expect(() => parseConfig({ REDIS_MODE: 'cluster' })).toThrow(/REDIS_NODES is required when REDIS_MODE is cluster/);
  });
});

describe('the variables of OpenTelemetry', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }, 'OTEL_EXPORTER_OTLP_ENDPOINT is not the address'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'grpc://x:4317' }, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is not the address'],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'asks for grpc'],
  ])(
    'variables of OpenTelemetry that cannot work stop no service, and give a reason for the log: %o',
    (variables, reason) => {
      expect(parseConfig(variables)).toMatchObject({ tracing: false, tracingProblem: expect.stringContaining(reason) });
    },
  );

  it('variables of OpenTelemetry that name a collector for HTTP begin traces', () => {
    expect(parseConfig(endpoint)).toMatchObject({ tracing: true, tracingProblem: undefined });
  });
});

it('an address of IPv6 to listen on may stand in brackets', () => {
  expect(parseConfig({ HOST: '[::]', ADMIN_HOST: '[::1]' })).toMatchObject({ host: '::', adminHost: '::1' });
});
