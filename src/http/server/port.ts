import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { listenOn, urlOf } from './listener.ts';

/** In a turn of the event loop this short, hardly any connection can come unseen. A busy process has none: it takes one of the first. */
const SHORT_TURN_MS = 0.06;
const SHORT_TURN_TRIES = 500;
/** More turns than connections that the kernel lets wait by default. */
const MOST_TURNS = 5000;

/** A server that counts its connections, wherever they come from. */
export interface LimitedServer extends Server {
  openConnections(): number;
}

/** Where the connections of a server come from. */
export interface Port {
  /** Starts to take connections. @returns the address, such as http://127.0.0.1:8080. @throws Error when that is refused. */
  open(server: LimitedServer): Promise<string>;
  /** Settles when no further connection comes: those before are the server's, later ones are refused. */
  close(server: LimitedServer): Promise<void>;
}

/** A port that the server itself listens on. @param setting the variable of the port, and `hostSetting` that of the host, for errors. */
export function ownPort(host: string, port: number, setting: string, hostSetting?: string): Port {
  return {
    async open(server) {
      await listenOn(server, host, port, setting, hostSetting);
      return urlOf(server);
    },
    async close(server) {
      if (!server.listening) return;
      await acceptPending(server);
      // http.Server's own close() ends idle connections at once, also one whose next request is on the wire.
      NetServer.prototype.close.call(server);
    },
  };
}

/**
 * Accepts the connections that wait in the kernel, because closing the port resets them. A turn of the event loop accepts one (libuv 1.45 and
 * later), so turns follow until two accept none and the last one was short.
 */
export async function acceptPending(server: NetServer): Promise<void> {
  let turnsWithout = 0;
  const onConnection = () => {
    turnsWithout = 0;
  };
  server.on('connection', onConnection);
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    turnsWithout++;
    const begun = performance.now();
    await nextTurn();
    const isShort = performance.now() - begun < SHORT_TURN_MS || turn > SHORT_TURN_TRIES;
    if (turnsWithout > 1 && isShort) break;
  }
  server.off('connection', onConnection);
}
