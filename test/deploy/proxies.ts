import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningChild, startChild } from '../../scripts/dev/child-process.ts';
import { freePort } from '../../scripts/dev/embedded-redis.ts';
import { type CertificateFiles, makeCertificates } from '../support/certificates.ts';
import { type Answer, ask, tlsAgent } from '../support/load.ts';
import { findProgram } from '../support/needs.ts';
import { repository } from '../support/run-command.ts';
import { nginxConfiguration } from './nginx.ts';

/** The name of the dashboard in the examples. */
export const DASHBOARD_HOST = 'dashboard.example';

/** A proxy with its example configuration in deploy/. */
export interface ProxyExample {
  readonly name: string;
  readonly program: 'nginx' | 'haproxy' | 'caddy';
  readonly config: string;
  /** SHUTDOWN_DELAY_MS, as the example says. */
  readonly shutdownDelayMs: number;
  /** Returns the whole configuration of a test. Only what names this machine differs from the example. */
  complete(config: string, at: { folder: string; port: number } & CertificateFiles): string;
  args(file: string): string[];
}

export const proxies: readonly ProxyExample[] = [
  {
    name: 'nginx',
    program: 'nginx',
    config: 'deploy/nginx/guildrank.conf',
    shutdownDelayMs: 0,
    complete: (config, { folder, port, cert, key }) => {
      const example = config
        .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
        .replaceAll('/etc/guildrank/tls.crt', cert)
        .replaceAll('/etc/guildrank/tls.key', key)
        .replaceAll('/var/cache', join(folder, 'cache'));
      // The command that the example prints.
      for (const [, made] of example.matchAll(/Run this once: mkdir -p (\S+)/g))
        mkdirSync(made as string, { recursive: true });
      return nginxConfiguration(example, folder);
    },
    args: (file) => ['-c', file],
  },
  {
    name: 'HAProxy',
    program: 'haproxy',
    config: 'deploy/haproxy/haproxy.cfg',
    shutdownDelayMs: 3000,
    complete: (config, { folder, port, cert, key }) => {
      const both = join(folder, 'tls.pem');
      writeFileSync(both, readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'));
      return config.replace('bind :443', `bind 127.0.0.1:${port}`).replace('/etc/guildrank/tls.pem', both);
    },
    args: (file) => ['-db', '-f', file],
  },
  {
    name: 'Caddy',
    program: 'caddy',
    config: 'deploy/caddy/Caddyfile',
    shutdownDelayMs: 3000,
    // No administration, and no port 80 for redirects.
    complete: (config, { port, cert, key }) =>
      `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${config
        .replace('\nguildrank.example {', `\n:${port} {\n\tbind 127.0.0.1\n\ttls ${cert} ${key}`)
        .replace('\ndashboard.example {', `\n${DASHBOARD_HOST}:${port} {\n\tbind 127.0.0.1\n\ttls ${cert} ${key}`)}`,
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
];

/** A proxy that runs, with TLS, in front of two ports of this machine. */
export interface RunningProxy extends RunningChild {
  readonly url: string;
  readonly tls: { readonly ca: string; readonly servername: string };
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
}

/** Starts a proxy with its example configuration, in front of other ports: of two instances, and of a dashboard. */
export async function startProxy(
  proxy: ProxyExample,
  [first, second]: readonly number[],
  dashboard = 1,
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-proxy-'));
  const port = await freePort();
  const { ca, server, remove } = await makeCertificates('localhost');
  const config = readFileSync(join(repository, proxy.config), 'utf8')
    .replace('127.0.0.1:8081', `127.0.0.1:${first}`)
    .replace('127.0.0.1:8082', `127.0.0.1:${second}`)
    .replace('127.0.0.1:8090', `127.0.0.1:${dashboard}`);
  const file = join(folder, 'proxy.conf');
  writeFileSync(file, proxy.complete(config, { folder, port, ...server }));
  const tls = { ca: readFileSync(ca, 'utf8'), servername: 'localhost' };
  const agent = tlsAgent(tls);
  const url = `https://127.0.0.1:${port}`;
  // Caddy keeps files of its own in its home.
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = startChild(findProgram(proxy.program) as string, proxy.args(file), { env });
  return {
    ...child,
    url,
    tls,
    get: (path, headers = {}) => ask(agent, url, path, headers),
    stop: async () => {
      agent.destroy();
      await child.stop();
      remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
