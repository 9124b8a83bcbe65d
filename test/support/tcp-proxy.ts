import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Stands between the service and Redis and breaks connections on request. */
export interface TcpProxy {
  readonly port: number;
  /** Cuts every connection in the middle of a reply, from now on: after `bytes` more bytes from Redis. */
  cutAfter(bytes: number): void;
  /** Cuts the connection on which Redis replies next, instead of passing the reply on. Others stay. */
  dropNextReply(): void;
  /** Delays replies by `ms`, from now on. */
  slowBy(ms: number): void;
  /** Forwards everything again, on new connections and on those that are still open. */
  behave(): void;
  stop(): Promise<void>;
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  let allowance = Number.POSITIVE_INFINITY;
  let lateBy = 0;
  let dropsNext = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    let left = allowance;
    let turn: Promise<void> = Promise.resolve();
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {}); // Broken on purpose.
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => {
      if (dropsNext) {
        dropsNext = false;
        client.destroy();
        return;
      }
      left = Math.min(left, allowance);
      const passed = chunk.subarray(0, left);
      left -= passed.length;
      const pass = () => {
        client.write(passed);
        if (passed.length < chunk.length) client.destroySoon();
      };
      // A reply must not overtake an earlier one that is delayed.
      const due = Promise.all([turn, lateBy > 0 ? delay(lateBy) : undefined]);
      turn = due.then(pass);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cutAfter: (bytes) => {
      allowance = bytes;
    },
    dropNextReply: () => {
      dropsNext = true;
    },
    slowBy: (ms) => {
      lateBy = ms;
    },
    behave: () => {
      allowance = Number.POSITIVE_INFINITY;
      lateBy = 0;
      dropsNext = false;
    },
    stop: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
