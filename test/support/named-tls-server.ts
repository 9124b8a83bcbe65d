import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:tls';
import type { Certificates } from './certificates.ts';

/** A host of TLS that routes by the name of the handshake (SNI), and answers as a Redis, a Sentinel and a node of a Cluster at once. */
export interface NamedTlsServer {
  readonly port: number;
  /** The names that connections asked for; `false` for those without a name. */
  readonly names: readonly (string | false)[];
  stop(): void;
}

/** @param name the only name that is served. Other connections are closed. @param master the host that it names as the master. */
export async function startNamedTlsServer(
  { server: files }: Certificates,
  name: string,
  master = name,
): Promise<NamedTlsServer> {
  const names: (string | false)[] = [];
  const sockets = new Set<Socket>();
  const bulk = (text: string | number): string => `$${String(text).length}\r\n${text}\r\n`;
  const server = createServer({ cert: readFileSync(files.cert), key: readFileSync(files.key) }, (socket) => {
    const asked = socket.servername as string | false;
    names.push(asked);
    sockets.add(socket);
    socket.on('error', () => {});
    if (asked !== name) return void socket.destroy();
    const { port } = server.address() as AddressInfo;
    const replyTo = (command: string): string => {
      if (command.includes('get-master-addr-by-name')) return `*2\r\n${bulk(master)}${bulk(port)}`;
      if (command.includes('sentinel')) return '*0\r\n';
      if (command.includes('SLOTS')) {
        return `*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n${bulk(master)}:${port}\r\n${bulk('a'.repeat(40))}`;
      }
      if (command.includes('cluster')) return bulk('cluster_state:ok');
      if (command.includes('info')) return bulk('redis_version:7.0.0');
      if (command.includes('subscribe')) return `*3\r\n${bulk('subscribe')}${bulk('channel')}:1\r\n`;
      return command.includes('ping') ? '+PONG\r\n' : '+OK\r\n';
    };
    socket.on('data', (data) => {
      for (const command of String(data)
        .split(/^\*\d+\r\n/m)
        .slice(1))
        socket.write(replyTo(command));
    });
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    names,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
