import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redisOptions } from './redis-options.ts';
import { runProgram } from './run-command.ts';

/** Files of a certificate authority of a test, and of what it signed. */
export interface Certificates {
  readonly ca: string;
  /** Of a server that has only this name, and no address. */
  readonly server: CertificateFiles;
  readonly client: CertificateFiles;
  remove(): void;
}

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** Options of openssl for a certificate with a key of its own. */
export const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];

/** Makes certificates with openssl. @param serverName the only name of the server. */
export async function makeCertificates(serverName: string): Promise<Certificates> {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-tls-'));
  const make = async (name: string, ...options: string[]): Promise<CertificateFiles> => {
    const cert = join(folder, `${name}.crt`);
    const key = join(folder, `${name}.key`);
    const args = ['req', '-x509', ...NEW_KEY, '-subj', `/CN=guildrank test ${name}`, '-keyout', key, '-out', cert];
    const { code, stderr } = await runProgram('openssl', [...args, ...options]);
    if (code !== 0) throw new Error(`openssl ended with ${code}: ${stderr}`);
    return { cert, key };
  };
  const authority = await make('ca');
  const signed = ['-CA', authority.cert, '-CAkey', authority.key, '-addext', 'basicConstraints=critical,CA:FALSE'];
  return {
    ca: authority.cert,
    server: await make('server', ...signed, '-addext', `subjectAltName=DNS:${serverName}`),
    client: await make('client', ...signed),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Returns the settings of a Redis or a Sentinel that serves TLS on `port`. */
export function tlsSettings({ ca, server }: Certificates, port: number, clients: 'yes' | 'no') {
  return {
    'tls-port': port,
    'tls-auth-clients': clients,
    'tls-cert-file': server.cert,
    'tls-key-file': server.key,
    'tls-ca-cert-file': ca,
  };
}

/** Returns the options of a Redis with {@link tlsSettings}. */
export function tlsServer(certificates: Certificates, port: number, clients: 'yes' | 'no'): string[] {
  return redisOptions(tlsSettings(certificates, port, clients));
}
