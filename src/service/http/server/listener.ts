import { once } from 'node:events';
import type { ServerOptions } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { messageOf, systemErrorOf } from '../../../core/errors.ts';

/** Limits what a slow client can hold. A request here is a few hundred bytes, so ten seconds to send it are enough. */
export const serverOptions = {
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
  // The application refuses a request without Host, with a problem document.
  requireHostHeader: false,
  // The application can refuse a second Host only if it sees both Hosts. Node would keep only the first.
  joinDuplicateHeaders: true,
  // Node 24.12 and later make no stream events for requests without a body (hot path, see ADR 11). The types are of Node 20.
  optimizeEmptyRequests: true,
} satisfies ServerOptions & { optimizeEmptyRequests: boolean };

/**
 * Connections that wait until the server takes them; the kernel can have a lower limit (net.core.somaxconn, 4096). Linux drops further connections,
 * and their clients can then wait for more than a minute.
 */
const BACKLOG = 4096;

/** Most connections of the admin listener. It has few clients, and it must answer when the public port has no place left. */
export const MAX_ADMIN_CONNECTIONS = 100;

/** The address that means all of IPv6, which Node opens for IPv4 too, and the address that means all of IPv4. */
const ALL = '::';
const ALL_IPV4 = '0.0.0.0';

/**
 * Starts listening. On a kernel without IPv6, "all addresses" (::) stands for all addresses of IPv4.
 * @param setting the variable that sets the port. The error names this variable, or the variable that sets the host.
 * @throws Error with the address, the reason and the setting.
 */
export async function listenOn(
  server: Server,
  host: string,
  port: number,
  setting: string,
  hostSetting = setting.replace('PORT', 'HOST'),
): Promise<void> {
  server.listen({ port, host, backlog: BACKLOG });
  try {
    await once(server, 'listening');
  } catch (error) {
    if (host === ALL && /^(EAFNOSUPPORT|EADDRNOTAVAIL)$/.test(systemErrorOf(error).code)) {
      return listenOn(server, ALL_IPV4, port, setting, hostSetting);
    }
    const wrong = /^(EADDRINUSE|EACCES)$/.test(systemErrorOf(error).code) ? setting : hostSetting;
    throw new Error(`Cannot listen on ${host} port ${port}: ${messageOf(error)}. Choose another ${wrong}.`);
  }
}

/** Returns the address of a listening server, such as http://127.0.0.1:8080. */
export function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
