import type { Redis } from 'ioredis';
import { GUILDS, keyNamed } from './data.ts';
import type { Section, Sent } from './requests/request.ts';
import { raw } from './requests/request.ts';
import { transcript } from './transcript.ts';
import { exchange } from './wire.ts';

/** Recordings by title; a title names the exchange's section and its number there. */
export type Recording = Readonly<Record<string, string>>;

const REFUSED = /^HTTP\/1\.1 429 /;

/** Sends the requests of sections to a service and records the answers. */
export class Player {
  private readonly etags = new Map<string, string>();

  /** @param redis the service's, or undefined when it is gone: the quota's counters are not recorded then. */
  constructor(
    private readonly port: number,
    private readonly redis: Redis | undefined,
  ) {}

  /** Plays one exchange after the other; or all together, and then without a look at Redis. */
  async play(section: Section, together = false): Promise<Recording> {
    const titled = Object.entries(section).flatMap(([title, all]) =>
      all.map((sent, i) => [`${title} ${i + 1}`, sent] as const),
    );
    const recording: Record<string, string> = {};
    const record = async ([title, sent]: readonly [string, Sent]) => {
      recording[title] = together ? await this.send(sent) : await this.counted(sent);
    };
    if (together) await Promise.all(titled.map(record));
    else for (const each of titled) await record(each);
    // In the order of the section, whatever came first.
    return Object.fromEntries(titled.map(([title]) => [title, recording[title] as string]));
  }

  /** The same service once its Redis is gone. */
  withoutRedis(): Player {
    return new Player(this.port, undefined);
  }

  /** Returns the status of a GET that is not recorded. */
  async statusOf(path: string): Promise<number> {
    return (await fetch(`http://127.0.0.1:${this.port}${path}`)).status;
  }

  /** With how many requests each guild's quota was charged. */
  private async counted(sent: Sent): Promise<string> {
    const { redis } = this;
    if (!redis) return this.send(sent);
    const ids = Object.keys(GUILDS);
    const counters = ids.map((id) => `gr:quota:{${id}}`);
    await this.resolved(sent);
    await redis.del(counters);
    const commands = (sent.before ?? []).map((command) => (typeof command === 'string' ? command.split(' ') : command));
    for (const [name = '', ...args] of commands) await redis.call(name, ...args);
    const text = await this.send(sent);
    const counts = await redis.mget(counters);
    const used = ids.flatMap((id, i) => (counts[i] ? [`${id} ${counts[i]}`] : []));
    const before = commands.map((words) => `! ${words.join(' ')}\n`).join('');
    // Where the parser ends a connection, it is a matter of luck whether a request before the end is still counted.
    if (text.includes('"request_id":"none"')) return before + text;
    return `${before}${text}\n= ${used.length > 0 ? `counted: ${used.join(', ')}` : 'not counted'}`;
  }

  private async send(sent: Sent): Promise<string> {
    const bytes = (await this.resolved(sent)).map((text) => Buffer.from(withKeys(text), 'latin1'));
    const { requests, pipelined = false, refusedWithin } = sent;
    if (refusedWithin === undefined) return transcript(requests, await exchange(this.port, bytes, pipelined));
    for (let i = 0; i < refusedWithin; i++) {
      const received = await exchange(this.port, bytes, pipelined);
      if (REFUSED.test(received.bytes.toString('latin1'))) return `! until refused\n${transcript(requests, received)}`;
    }
    throw new Error(`Not refused within ${refusedWithin} requests: ${requests[0]}`);
  }

  /** Puts present entity tags into requests. */
  private async resolved({ requests }: Sent): Promise<string[]> {
    const resolved: string[] = [];
    for (const request of requests) {
      const path = /<etag ([^>]+)>/.exec(request)?.[1];
      resolved.push(path === undefined ? request : request.replaceAll(`<etag ${path}>`, await this.etag(path)));
    }
    return resolved;
  }

  private async etag(path: string): Promise<string> {
    let etag = this.etags.get(path);
    if (etag === undefined) {
      const guild = path.split('/')[4] ?? 'guild';
      const request = raw('GET', path, { 'x-api-key': keyNamed(guild) });
      const { bytes } = await exchange(this.port, [Buffer.from(request)], false);
      etag = /^ETag: (".+")\r$/m.exec(bytes.toString('latin1'))?.[1];
      if (etag === undefined) throw new Error(`${path} has no ETag`);
      this.etags.set(path, etag);
    }
    return etag;
  }
}

function withKeys(text: string): string {
  return text.replaceAll(/<key ([^>]+)>/g, (_, name: string) => keyNamed(name));
}
