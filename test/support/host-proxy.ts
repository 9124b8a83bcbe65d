import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { exists, getKeyIndexes } from '@ioredis/commands';
import calculateSlot from 'cluster-key-slot';
import { Redis } from 'ioredis';
import { DeclaredKeys, replyToLoad } from './declared-keys.ts';
import { MessageSplitter, messageOfWords, wordsOf } from './resp.ts';

/** A proxy that makes one Redis or two look like a hosted service. Clients speak RESP2 with it. */
export interface HostProxy {
  readonly port: number;
  /**
   * Moves the guilds of the upper half of the slots to the second server, as a host does that grows, and routes by slot from then on. The
   * first server keeps its copies, as hosts do for a while. Commands wait meanwhile.
   */
  split(): Promise<void>;
  stop(): Promise<void>;
}

export interface HostProxyOptions {
  /** Refuses a script that touches a key which it has not declared. */
  readonly isStrict?: boolean;
  /** Ports of the servers. With two, each command goes to the one that has the slot of its keys. */
  readonly servers: readonly [number] | readonly [number, number];
  /** Begins with one server of the two, until {@link HostProxy.split}. */
  readonly beginsWithOne?: boolean;
}

const FIRST_SLOT_OF_SECOND = 8192;
const CROSSSLOT = Buffer.from("-CROSSSLOT Keys in request don't hash to the same slot\r\n");
/** Commands that every server must get. The reply is that of the first server, when all have replied. */
const FOR_ALL = /^(auth|select|script|flushall|flushdb|hello)$/i;

/** What the client waits for, in the order of its commands. */
interface PendingReply {
  bytes?: Buffer;
}

/** One connection of a client, with one to each server. */
class ProxiedConnection {
  private readonly pending: PendingReply[] = [];
  private readonly servers: { readonly socket: Socket; readonly waiting: ((reply: Buffer) => void)[] }[];
  private queued: Buffer[][] | undefined;
  private isSubscriber = false;

  constructor(
    private readonly client: Socket,
    private readonly host: { routes(keys: readonly string[]): ReadonlySet<number>; readonly scripts?: DeclaredKeys },
    ports: readonly number[],
  ) {
    this.servers = ports.map((port) => {
      const socket = connect(port, '127.0.0.1').setNoDelay(true);
      const waiting: ((reply: Buffer) => void)[] = [];
      const splitter = new MessageSplitter();
      socket.on('data', (chunk) => {
        if (this.isSubscriber) client.write(chunk);
        else for (const reply of splitter.push(chunk)) waiting.shift()?.(reply);
      });
      socket.on('error', () => client.destroy());
      socket.on('close', () => client.destroy());
      return { socket, waiting };
    });
  }

  close(): void {
    for (const { socket } of this.servers) socket.destroy();
  }

  get isIdle(): boolean {
    return this.pending.length === 0;
  }

  /** Handles a command of the client. */
  handle(words: Buffer[]): void {
    const name = String(words[0]).toLowerCase();
    if (/^p?(un)?subscribe$/.test(name)) {
      this.isSubscriber = true;
      this.servers[0]?.socket.write(messageOfWords(words));
      return;
    }
    const reply: PendingReply = {};
    this.pending.push(reply);
    const settle = (bytes: Buffer): void => {
      reply.bytes = bytes;
      while (this.pending[0]?.bytes) this.client.write(this.pending.shift()?.bytes as Buffer);
    };
    if (name === 'multi') {
      this.queued = [];
      settle(Buffer.from('+OK\r\n'));
    } else if (this.queued && name === 'exec') {
      this.sendTransaction(this.queued, settle);
      this.queued = undefined;
    } else if (this.queued) {
      this.queued.push(words);
      settle(Buffer.from('+QUEUED\r\n'));
    } else if (name === 'scan') {
      this.scan(words, settle);
    } else if (name === 'keys') {
      this.listKeys(words, settle);
    } else {
      this.send(words, settle);
    }
  }

  private send(words: Buffer[], settle: (reply: Buffer) => void): void {
    const name = String(words[0]);
    const isLoad = /^script$/i.test(name) && /^load$/i.test(String(words[1]));
    const done = isLoad ? () => settle(replyToLoad(String(words[2]))) : settle;
    const checked = messageOfWords(this.host.scripts?.checked(words) ?? words);
    if (FOR_ALL.test(name)) {
      this.askAll(checked, ([first]) => done(first as Buffer));
      return;
    }
    const servers = this.host.routes(keysOf(words));
    if (servers.size > 1) settle(CROSSSLOT);
    else this.ask([...servers][0] ?? 0, checked, done);
  }

  /** Sends the commands of a transaction to the one server that has all their keys. */
  private sendTransaction(queued: readonly Buffer[][], settle: (reply: Buffer) => void): void {
    const servers = this.host.routes(queued.flatMap(keysOf));
    if (servers.size > 1) {
      settle(CROSSSLOT);
      return;
    }
    const server = [...servers][0] ?? 0;
    const ignore = () => {};
    this.ask(server, messageOfWords(['MULTI']), ignore);
    for (const words of queued) this.ask(server, messageOfWords(this.host.scripts?.checked(words) ?? words), ignore);
    this.ask(server, messageOfWords(['EXEC']), settle);
  }

  /** Walks over the keys of one server after the other: the cursor of the client is that of the server, doubled, with the server in its last bit. */
  private scan([name, cursor, ...options]: Buffer[], settle: (reply: Buffer) => void): void {
    const from = BigInt(String(cursor));
    const server = this.servers.length > 1 ? from % 2n : 0n;
    const own = this.servers.length > 1 ? from / 2n : from;
    this.ask(Number(server), messageOfWords([name as Buffer, String(own), ...options]), (reply) => {
      const start = reply.indexOf('$');
      const line = reply.indexOf('\r\n', start);
      const end = line + 2 + Number(reply.toString('latin1', start + 1, line)) + 2;
      const next = BigInt(reply.toString('latin1', line + 2, end - 2));
      const text = String(this.cursorAfter(server, next));
      settle(Buffer.concat([Buffer.from(`*2\r\n$${text.length}\r\n${text}\r\n`), reply.subarray(end)]));
    });
  }

  /** Returns the cursor for the client when a server has told its own. A server that has no more keys is followed by the next one. */
  private cursorAfter(server: bigint, own: bigint): bigint {
    if (this.servers.length === 1) return own;
    if (own > 0n) return own * 2n + server;
    const next = server + 1n;
    return next < this.servers.length ? next : 0n;
  }

  /** Lists the keys of all servers. */
  private listKeys(words: Buffer[], settle: (reply: Buffer) => void): void {
    this.askAll(messageOfWords(words), (replies) => settle(messageOfWords(replies.flatMap(wordsOf))));
  }

  /** Sends a command to all servers, and waits for all replies. */
  private askAll(message: Buffer, done: (replies: readonly Buffer[]) => void): void {
    const replies: Buffer[] = [];
    let missing = this.servers.length;
    for (const [index] of this.servers.entries()) {
      this.ask(index, message, (reply) => {
        replies[index] = reply;
        missing--;
        if (missing === 0) done(replies);
      });
    }
  }

  private ask(server: number, message: Buffer, done: (reply: Buffer) => void): void {
    this.servers[server]?.waiting.push(done);
    this.servers[server]?.socket.write(message);
  }
}

/** Returns the keys of a command. */
function keysOf([name, ...args]: readonly Buffer[]): string[] {
  const command = String(name).toLowerCase();
  if (!exists(command)) return [];
  return getKeyIndexes(command, args.map(String)).map((index) => String(args[index]));
}

/** Starts a proxy in front of servers that are running. */
export async function startHostProxy({ servers, isStrict, beginsWithOne }: HostProxyOptions): Promise<HostProxy> {
  let isSplit = servers.length === 2 && !beginsWithOne;
  let paused: (() => void)[] | undefined;
  const routes = (keys: readonly string[]): ReadonlySet<number> =>
    new Set(keys.map((key) => (isSplit && calculateSlot(key) >= FIRST_SLOT_OF_SECOND ? 1 : 0)));
  const host = { routes, ...(isStrict && { scripts: new DeclaredKeys() }) };
  const connections = new Map<Socket, ProxiedConnection>();
  const server = createServer((client) => {
    client.setNoDelay(true);
    const connection = new ProxiedConnection(client, host, servers);
    connections.set(client, connection);
    const splitter = new MessageSplitter();
    client.on('data', (chunk) => {
      for (const message of splitter.push(chunk)) {
        const handle = () => connection.handle(wordsOf(message));
        if (paused) paused.push(handle);
        else handle();
      }
    });
    client.on('error', () => {});
    client.on('close', () => {
      connections.delete(client);
      connection.close();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    split: async () => {
      paused = [];
      while ([...connections.values()].some(({ isIdle }) => !isIdle)) await new Promise(setImmediate);
      await copyUpperHalf(servers as readonly [number, number]);
      isSplit = true;
      const held = paused;
      paused = undefined;
      for (const handle of held) handle();
    },
    stop: async () => {
      server.close();
      for (const client of connections.keys()) client.destroy();
      await once(server, 'close');
    },
  };
}

async function copyUpperHalf([first, second]: readonly [number, number]): Promise<void> {
  const from = new Redis(first);
  const to = new Redis(second);
  try {
    for (const key of await from.keys('*')) {
      if (calculateSlot(key) < FIRST_SLOT_OF_SECOND) continue;
      const [content, ttl] = await Promise.all([from.dumpBuffer(key), from.pttl(key)]);
      await to.restore(key, Math.max(0, ttl), content);
    }
  } finally {
    from.disconnect();
    to.disconnect();
  }
}
