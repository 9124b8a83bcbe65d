import { StoreUnavailableError } from '../errors.ts';
import { BOARDS, boardKeys, READ_KEYS, type RedisKeys } from './keys.ts';
import { defineScript } from './script.ts';
import type { Scripts } from './scripts.ts';

export const batch = defineScript('batch', ['quota']);
/** The same with the keys that a Cluster wants declared. */
export const batchOfOneGuild = defineScript('batch', ['quota', ...READ_KEYS]);

/** The reply of a command: a text, or a list of two values or more. */
export type CommandReply = string | readonly [unknown, unknown, ...unknown[]];

/** A command's reply, or the message of its error. */
type Reply = CommandReply | readonly [message: string];

/** A command that reads one guild. A flat object, because thousands are cached (docs/adr/0011). */
export interface ReadCommand<T> {
  readonly guildId: string;
  /** As batch.lua documents it, without the cached revision: a name and its arguments, none with a space or a line break in it. */
  readonly command: string;
  /** Rows of data that the command reads, about. */
  readonly weight: number;
  /** Makes the result from the reply. */
  decode(reply: CommandReply): T;
}

/** Commands that leave as one Redis command. */
class CommandBatch {
  lastGuild: string;
  /** One line a command, as batch.lua documents them. */
  lines = '';
  /** Ids of its API keys with a cap, whose counters a Cluster wants declared. */
  cappedKeys: Set<string> | undefined;
  weight = 0;
  count = 0;
  readonly replies: Promise<Reply[]>;
  /** Settles the batch with the reply of its Redis command. */
  resolve!: (replies: Promise<Reply[]>) => void;

  constructor(readonly firstGuild: string) {
    this.lastGuild = firstGuild;
    this.replies = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }
}

/** Rows that one batch may read. Redis serves nobody else meanwhile: these take it about a millisecond. */
const MAX_WEIGHT = 500;

/**
 * Runs the commands of batch.lua for guilds. Commands that are collected together leave as one Redis command, which shares the cost for
 * ioredis and Redis (docs/adr/0006). In a Cluster each guild has a Redis command of its own, because its keys are in a slot of their own.
 * It declares its keys, so that a Cluster refuses it while the slot moves.
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
   * @param decode makes the result from the reply, in the form that the command has.
   * @param weight rows of data that the command reads, about.
   * @param cappedKeyId id of the API key with a cap that the command counts, if it is "capped".
   * @throws StoreUnavailableError
   */
  run<T, R extends CommandReply = string>(
    guildId: string,
    command: string,
    decode: (reply: R) => T,
    weight = 1,
    cappedKeyId?: string,
  ): Promise<T> {
    const key = this.batchKey(guildId, command);
    let batch = this.batches.get(key);
    if (batch && batch.weight + weight > MAX_WEIGHT) {
      this.send(batch);
      batch = undefined;
    }
    if (!batch) {
      batch = new CommandBatch(guildId);
      this.batches.set(key, batch);
    }
    if (guildId !== batch.lastGuild) {
      batch.lastGuild = guildId;
      batch.lines += `guild ${guildId}\n`;
    }
    batch.lines += `${command}\n`;
    batch.weight += weight;
    if (cappedKeyId !== undefined) {
      batch.cappedKeys ??= new Set();
      batch.cappedKeys.add(cappedKeyId);
    }
    const index = batch.count++;
    const result = batch.replies.then((replies) => decode(replyOf(replies[index]) as R));
    if (!this.collecting) this.flush();
    return result;
  }

  /**
   * Reads a guild.
   * @returns undefined when the guild is still at the cached revision.
   * @throws StoreUnavailableError
   */
  read<T>(read: ReadCommand<T>): Promise<T>;
  read<T>(read: ReadCommand<T>, cachedRevision?: string): Promise<T | undefined>;
  read<T>(read: ReadCommand<T>, cachedRevision = ''): Promise<T | undefined> {
    const decode = (reply: CommandReply) => (reply === '' ? undefined : read.decode(reply));
    return this.run(read.guildId, `${read.command} ${cachedRevision}`, decode, read.weight);
  }

  /** Names the batch that a command may join. Those of boards declare further keys in a Cluster. */
  private batchKey(guildId: string, command: string): string {
    if (!this.declaresKeys) return '';
    return isOfBoard(command) ? `${guildId}~` : guildId;
  }

  private flush(): void {
    const { batches } = this;
    this.batches = new Map();
    for (const batch of batches.values()) this.send(batch);
  }

  private send(commands: CommandBatch): void {
    const { firstGuild, lines, resolve } = commands;
    const quota = this.redisKeys.quota(firstGuild);
    resolve(this.declaresKeys ? this.sendDeclared(commands, quota) : batch<Reply[]>(this.scripts, { quota }, [lines]));
  }

  private sendDeclared({ firstGuild, lines, cappedKeys }: CommandBatch, quota: string): Promise<Reply[]> {
    const guild = this.redisKeys.guild(firstGuild);
    const further = isOfBoard(lines) ? BOARDS.map((board) => boardKeys(guild.xp, board).xp) : [];
    for (const keyId of cappedKeys ?? []) further.push(this.redisKeys.keyQuota(firstGuild, keyId));
    return batchOfOneGuild(this.scripts, { ...guild, quota }, [lines], further);
  }
}

/** No id of a guild or user has this character. */
function isOfBoard(command: string): boolean {
  return command.includes('~');
}

/** Returns the reply of a command. @throws StoreUnavailableError with the message of its error. */
function replyOf(reply: Reply | undefined): CommandReply {
  if (typeof reply === 'string' || (reply && reply.length > 1)) return reply as CommandReply;
  throw new StoreUnavailableError(new Error(String(reply?.[0] ?? 'the batch has no reply for the command')));
}
