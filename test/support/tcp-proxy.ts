import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** What a side that opened a connection sends, and what it is sent. */
export type Direction = 'requests' | 'replies';

/** Stands between the service and Redis and breaks connections on request. */
export interface TcpProxy {
  readonly port: number;
  /** Leads new connections to another port, as an address does that has moved to another server. Open ones stay where they are. */
  leadTo(port: number): void;
  /** Cuts every connection in the middle of a reply, from now on: after `bytes` more bytes from Redis. */
  cutAfter(bytes: number): void;
  /** Cuts the connection on which Redis replies next, instead of passing the reply on. Others stay. */
  dropNextReply(): void;
  /** Delays replies by `ms`, from now on. */
  slowBy(ms: number): void;
  /** Holds what goes in a direction on the connections from an address, ends of connections too, as a network that loses all packets. */
  hold(source: string, direction: Direction): void;
  /** Lets everything from and to an address through again, in order, and first what was held. */
  release(source: string): void;
  /** Forwards everything again, on new connections and on those that are still open. */
  behave(): void;
  stop(): Promise<void>;
}

/** One direction of a connection. */
class Flow {
  private readonly held: (() => void)[] = [];

  constructor(private readonly isHeld: () => boolean) {}

  pass(step: () => void): void {
    this.held.push(step);
    this.release();
  }

  release(): void {
    while (this.held.length > 0 && !this.isHeld()) this.held.shift()?.();
  }
}

export async function startTcpProxy(firstPort: number): Promise<TcpProxy> {
  let targetPort = firstPort;
  let allowance = Number.POSITIVE_INFINITY;
  let lateBy = 0;
  let dropsNext = false;
  const sockets = new Set<Socket>();
  const holds = new Set<string>();
  const flows = new Set<Flow>();
  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    const source = client.remoteAddress;
    const flow = (direction: Direction) => new Flow(() => holds.has(`${source} ${direction}`));
    const requests = flow('requests');
    const replies = flow('replies');
    let left = allowance;
    let turn: Promise<void> = Promise.resolve();
    for (const [one, other, way] of [
      [client, upstream, requests],
      [upstream, client, replies],
    ] as const) {
      sockets.add(one);
      flows.add(way);
      one.on('error', () => {}); // Broken on purpose.
      one.on('close', () => {
        sockets.delete(one);
        way.pass(() => {
          flows.delete(way);
          other.destroySoon();
        });
      });
    }
    client.on('data', (chunk) => requests.pass(() => upstream.write(chunk)));
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
      turn = due.then(() => replies.pass(pass));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const releaseAll = () => {
    for (const flow of flows) flow.release();
  };
  return {
    port: (server.address() as AddressInfo).port,
    leadTo: (port) => {
      targetPort = port;
    },
    cutAfter: (bytes) => {
      allowance = bytes;
    },
    dropNextReply: () => {
      dropsNext = true;
    },
    slowBy: (ms) => {
      lateBy = ms;
    },
    hold: (source, direction) => {
      holds.add(`${source} ${direction}`);
    },
    release: (source) => {
      holds.delete(`${source} requests`);
      holds.delete(`${source} replies`);
      releaseAll();
    },
    behave: () => {
      allowance = Number.POSITIVE_INFINITY;
      lateBy = 0;
      dropsNext = false;
      holds.clear();
      releaseAll();
    },
    stop: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
