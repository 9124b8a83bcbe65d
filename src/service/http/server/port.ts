import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { listenOn, urlOf } from './listener.ts';

/**
 * A turn of the event loop below this time is short: hardly any connection can arrive unseen in it. A busy process has no short turn, so after 500
 * turns it does not wait for a short turn any more.
 */
const SHORT_TURN_MS = 0.02;
const SHORT_TURN_TRIES = 500;
/** Most turns of the event loop. By default the kernel lets fewer connections wait. */
const MOST_TURNS = 5000;

/** A server that counts its connections, wherever they come from. */
export interface LimitedServer extends Server {
  openConnections(): number;
}

/** Where the connections of a server come from. */
export interface Port {
  /** Starts to take connections. @returns the address, such as http://127.0.0.1:8080. @throws Error when that is refused. */
  open(server: LimitedServer): Promise<string>;
  /** Settles when no further connection comes. The server keeps all earlier connections, and later connections are refused. */
  close(server: LimitedServer): Promise<void>;
}

/** A port that the server itself listens on. @param setting the variable of the port, and `hostSetting` the variable of the host, for errors. */
export function ownPort(host: string, port: number, setting: string, hostSetting?: string): Port {
  return {
    async open(server) {
      await listenOn(server, host, port, setting, hostSetting);
      return urlOf(server);
    },
    async close(server) {
      if (!server.listening) return;
      await closeWhenNoneWaits(server);
    },
  };
}

/**
 * Closes a port once no connection waits in the kernel, because closing resets the connections that wait. A turn of the event loop accepts one
 * connection (libuv 1.45 and later), so turns follow until two turns accept none and the second was short. The port closes at the end of that turn.
 */
export function closeWhenNoneWaits(server: NetServer): Promise<void> {
  // Node compiles a method at its first call. That takes longer than the rest of the turn, and a connection could come meanwhile.
  closePort(new NetServer());
  let turn = 0;
  let turnsWithout = 0;
  let begun = 0;
  server.on('connection', () => {
    turnsWithout = 0;
  });
  return new Promise((resolve) => {
    const endTurn = () => {
      const isShort = performance.now() - begun < SHORT_TURN_MS || turn > SHORT_TURN_TRIES;
      if ((turnsWithout > 1 && isShort) || turn > MOST_TURNS) {
        closePort(server);
        resolve();
        return;
      }
      turn++;
      turnsWithout++;
      begun = performance.now();
      setImmediate(endTurn);
    };
    endTurn();
  });
}

/** Closes only the port. http.Server's own close() would also end idle connections at once, even if their next request is on the wire. */
function closePort(server: NetServer): void {
  NetServer.prototype.close.call(server);
}
