import { StoreUnavailableError } from '../errors.ts';
import type { RedisKeys } from './redis-keys.ts';
import type { Scripts } from './scripts.ts';

/** A command's text, or the message of its error. */
type Reply = string | [message: string];

/** A command that reads one guild. A flat object, because thousands are cached (docs/adr/0011). */
export interface ReadCommand<T> {
  readonly guildId: string;
  /** As batch.lua documents it, without the cached revision: a name and its arguments, none with a space or a line break in it. */
  readonly command: string;
  /** Rows of data that the command reads, about. */
  readonly weight: number;
  /** Makes the result from the values of the reply. */
  decode(reply: string[]): T;
}

/** Commands that leave as one Redis command. */
interface CommandBatch {
  readonly firstGuild: string;
  lastGuild: string;
  /** One line a command, as batch.lua documents them. */
  lines: string;
  weight: number;
  count: number;
  readonly replies: Promise<Reply[]>;
  /** Settles the batch with the reply of its Redis command. */
  readonly resolve: (replies: Promise<Reply[]>) => void;
}

/** Rows that one batch may read. Redis serves nobody else meanwhile: these take it about a millisecond. */
const MAX_WEIGHT = 500;
/** Attempts to read a page whose members change between its two readings, in a Cluster. */
const MAX_ATTEMPTS = 5;

/**
 * Runs the commands of batch.lua for guilds. Commands that are collected together leave as one Redis command, which shares the cost for
 * ioredis and Redis (docs/adr/0006). In a Cluster each guild has a Redis command of its own, because its keys are in a slot of their own.
 * It declares its keys, so that a Cluster refuses it while the slot moves. Those of the members of a page are known from its first reply
 * only, so such a command runs a second time.
 */
export class CommandBatcher {
  /** Batches not yet sent, by {@link batchKey}. */
  private batches = new Map<string, CommandBatch>();
  private collecting = false;
  private readonly declaresKeys: boolean;

  constructor(
    client: { readonly isCluster: boolean },
    private readonly scripts: Scripts,
    private readonly redisKeys: RedisKeys,
  ) {
    this.declaresKeys = client.isCluster;
  }

  /** Sends all commands that `work` runs, before it returns, together. */
  collect(work: () => void): void {
    this.collecting = true;
    try {
      work();
    } finally {
      this.collecting = false;
      this.flush();
    }
  }

  /**
   * Runs a command. Outside of {@link collect} it leaves at once, alone.
   * @param command as batch.lua documents it: a name and its arguments, none with a space or a line break in it.
   * @param decode makes the result from the reply, with the help of {@link fields}.
   * @param weight rows of data that the command reads, about.
   * @throws StoreUnavailableError
   */
  run<T>(guildId: string, command: string, decode: (reply: string) => T, weight = 1): Promise<T> {
    if (!this.declaresKeys) return this.enqueue(guildId, command, decode, weight);
    const first = this.enqueue(guildId, command, (reply) => reply, weight);
    return this.scripts.limit(first.then((reply) => this.declareMembers(guildId, command, reply)).then(decode));
  }

  /**
   * Reads a guild.
   * @returns undefined when the guild is still at the cached revision.
   * @throws StoreUnavailableError
   */
  read<T>(read: ReadCommand<T>): Promise<T>;
  read<T>(read: ReadCommand<T>, cachedRevision?: string): Promise<T | undefined>;
  read<T>(read: ReadCommand<T>, cachedRevision = ''): Promise<T | undefined> {
    const decode = (reply: string) => (reply === '' ? undefined : read.decode(fields(reply)));
    return this.run(read.guildId, `${read.command} ${cachedRevision}`, decode, read.weight);
  }

  private enqueue<T>(guildId: string, command: string, decode: (reply: string) => T, weight: number): Promise<T> {
    const key = this.batchKey(guildId);
    let batch = this.batches.get(key);
    if (batch && batch.weight + weight > MAX_WEIGHT) {
      this.send(batch);
      batch = undefined;
    }
    if (!batch) {
      batch = newBatch(guildId);
      this.batches.set(key, batch);
    }
    if (guildId !== batch.lastGuild) {
      batch.lastGuild = guildId;
      batch.lines += `guild ${guildId}\n`;
    }
    batch.lines += `${command}\n`;
    batch.weight += weight;
    const index = batch.count++;
    const result = batch.replies.then((replies) => decode(textOf(replies[index])));
    if (!this.collecting) this.flush();
    return result;
  }

  /** Names the batch that a guild's commands may join. */
  private batchKey(guildId: string): string {
    return this.declaresKeys ? guildId : '';
  }

  private flush(): void {
    const { batches } = this;
    this.batches = new Map();
    for (const batch of batches.values()) this.send(batch);
  }

  private send({ firstGuild, lines, resolve }: CommandBatch): void {
    const keys = this.declaresKeys ? this.guildKeys(firstGuild) : [this.redisKeys.quota(firstGuild)];
    resolve(this.scripts.run<Reply[]>('batch', keys, lines));
  }

  /** Runs a command again, with the keys of the members that its reply asks for, until they are all it needs. */
  private async declareMembers(guildId: string, command: string, firstReply: string): Promise<string> {
    let reply = firstReply;
    for (let attempt = 0; reply.startsWith('?'); attempt++) {
      if (attempt === MAX_ATTEMPTS)
        throw new StoreUnavailableError(new Error('the page changed during each attempt to read it'));
      const { memberPrefix } = this.redisKeys.guild(guildId);
      const memberKeys = fields(reply)
        .slice(1)
        .map((userId) => memberPrefix + userId);
      const replies = await this.scripts.run<Reply[]>(
        'batch',
        [...this.guildKeys(guildId), ...memberKeys],
        `${command}\n`,
      );
      reply = textOf(replies[0]);
    }
    return reply;
  }

  private guildKeys(guildId: string): string[] {
    const { xp, stats, config } = this.redisKeys.guild(guildId);
    return [this.redisKeys.quota(guildId), xp, stats, config];
  }
}

function newBatch(guildId: string): CommandBatch {
  let resolve!: CommandBatch['resolve'];
  const replies = new Promise<Reply[]>((settle) => {
    resolve = settle;
  });
  return { firstGuild: guildId, lastGuild: guildId, lines: '', weight: 0, count: 0, replies, resolve };
}

/** Returns the text of a command's reply. @throws StoreUnavailableError with the message of its error. */
function textOf(reply: Reply | undefined): string {
  if (typeof reply === 'string') return reply;
  throw new StoreUnavailableError(new Error(reply?.[0] ?? 'the batch has no reply for the command'));
}

/** Splits a command's reply into the values that lib-fields.lua joined. */
export function fields(reply: string): string[] {
  const lines = reply.split('\n');
  return reply.includes('\\') ? lines.map(unescapeField) : lines;
}

function unescapeField(line: string): string {
  return line.replace(/\\(.)/g, (_pair, character: string) => (character === 'n' ? '\n' : character));
}
