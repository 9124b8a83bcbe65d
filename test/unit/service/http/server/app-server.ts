import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import express, { type RequestHandler } from 'express';
import { createExpressServer, type ServerObserver } from '../../../../../src/service/http/server/express-server.ts';
import { listenOn, serverOptions } from '../../../../../src/service/http/server/listener.ts';
import type { LimitedServer } from '../../../../../src/service/http/server/port.ts';

/** A server for one handler, as the service makes it, with all that it observes. */
export interface AppServer {
  readonly server: LimitedServer;
  readonly port: number;
  /** Reasons of refused and cut connections. */
  readonly cuts: string[];
  /** Statuses of the answers that did not come from the handler. */
  readonly unreadable: number[];
  /** Opens a connection that reads nothing. */
  open(): Promise<Socket>;
  /** Sends bytes over a connection of its own and reads until the server closes. */
  exchange(bytes: string): Promise<string>;
  close(): void;
}

/** Starts a server on a free loopback port. */
export async function appServer(
  handler: RequestHandler,
  {
    maxConnections = 1000,
    options = {},
    readsBodies = false,
  }: { maxConnections?: number; options?: object; readsBodies?: boolean } = {},
): Promise<AppServer> {
  const app = express().use(handler);
  const cuts: string[] = [];
  const unreadable: number[] = [];
  const observer: ServerObserver = {
    onCut: (reason) => cuts.push(reason),
    onUnreadable: (status) => unreadable.push(status),
  };
  const server = createExpressServer(app, { ...serverOptions, ...options }, maxConnections, observer, readsBodies);
  await listenOn(server, '127.0.0.1', 0, 'PORT');
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  const open = async () => {
    const socket = connect(port, '127.0.0.1').pause();
    sockets.push(socket);
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  return {
    server,
    port,
    cuts,
    unreadable,
    open,
    exchange: async (bytes) => {
      const socket = await open();
      socket.write(bytes, 'latin1');
      let text = '';
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk;
      });
      await once(socket.resume(), 'close');
      return text;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
