import { StoreUnavailableError } from '../errors.ts';
import { BOARDS, boardKeys, READ_KEYS, type RedisKeys } from '../store/redis-keys.ts';
import { defineScript } from '../store/script.ts';
import type { Scripts } from '../store/scripts.ts';

/** The reply of a command: a text, or a list of two values or more. */
export type CommandReply = string | readonly [unknown, unknown, ...unknown[]];

/** What became of a command: its reply, or the message of its error. */
type CommandOutcome = { readonly reply: CommandReply } | { readonly failure: string };

/**
 * The commands of one guild or several. `keys` names the keys of the first guild. The keys of its boards, and the keys of the other guilds, follow
 * them.
 */
export const batchScript = defineScript({
  name: 'batch',
  keys: ['quota', ...READ_KEYS],
  args: ({ lines }: { lines: string }) => [lines],
  decode: (replies: readonly (CommandReply | readonly [message: string])[]) => replies.map(outcomeOf),
});

/** A reply that is a list has two values or more, so a list with one value is the message of an error. */
function outcomeOf(reply: CommandReply | readonly [message: string]): CommandOutcome {
  if (typeof reply === 'string' || reply.length > 1) return { reply: reply as CommandReply };
  return { failure: reply[0] as string };
}

/** A command that reads one guild. It is a flat object, because the service caches thousands of commands (docs/adr/0011). */
export interface ReadCommand<T> {
  readonly guildId: string;
  /** As batch.lua documents it, without the cached revision: a name and its arguments, which contain no space and no line break. */
  readonly line: string;
  /** Rows of data that the command reads, about. */
  readonly weight: number;
  /** Whether the command reads a board of the guild. If it does, the keys of the boards are declared. */
  readonly isOfBoard: boolean;
  /** Whether the command reads what a public page shows. If it does, the keys of the description and the avatars are declared. */
  readonly isPublic: boolean;
  /** Makes the result from the reply. */
  decode(reply: CommandReply): T;
}

/** Commands of one guild that leave together. */
class GuildCommands {
  /** One line a command, as batch.lua documents them. */
  lines = '';
  count = 0;
  /** Whether one of the commands reads what a public page shows. */
  isPublic = false;
  /** Ids of the API keys with a cap that are counted, whose counters are declared. */
  cappedKeys: Set<string> | undefined;
  /** One outcome a command, in the order of the commands. */
  readonly outcomes: Promise<readonly CommandOutcome[]>;
  resolve!: (outcomes: readonly CommandOutcome[] | Promise<readonly CommandOutcome[]>) => void;
  reject!: (failure: unknown) => void;

  constructor(
    readonly guildId: string,
    /** Whether all of the commands read boards; otherwise none of them does. */
    readonly isOfBoard: boolean,
  ) {
    this.outcomes = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/** The parts of a connection of ioredis that a batcher uses. A connection to a Cluster and a connection of ioredis-mock have no stream. */
interface BatchConnection {
  readonly isCluster: boolean;
  readonly stream?: { cork(): void; uncork(): void };
}

/** The connection of a batcher, and the call that tells about a host with several servers. */
export interface BatcherOptions {
  /** The connection of the scripts. Without it, as on a client of a bot, the commands of each guild are sent alone. */
  readonly client?: BatchConnection;
  /** Called once, when the host turns out to keep guilds on several servers behind its address. */
  readonly onSharded?: (() => void) | undefined;
}

/** Rows that one Redis command may read. Redis needs about a millisecond for these rows, in which it serves no other client. */
const MAX_WEIGHT = 500;

/**
 * Runs the commands of batch.lua for guilds. Commands that are collected together leave as one Redis command, so that they share the cost for ioredis
 * and Redis (docs/adr/0006). The Redis command declares all keys of all its guilds. A host that keeps guilds on several servers therefore refuses the
 * Redis command as a whole, before anything is counted or read. The batcher then sends the commands again, with a Redis command for each guild, as it
 * does with all later commands (docs/adr/0012).
 */
export class CommandBatcher {
  /**
   * Commands not yet sent, by guild id. Commands on boards are kept apart because they declare further keys, by the guild id and `~`, which is in no id.
   */
  private waiting = new Map<string, GuildCommands>();
  private weight = 0;
  private collecting = false;
  private sharded: boolean;

  constructor(
    private readonly scripts: Scripts,
    private readonly redisKeys: RedisKeys,
    private readonly options: BatcherOptions = {},
  ) {
    const { client } = options;
    this.sharded = client === undefined || client.isCluster;
  }

  /** Whether the guilds are on several servers, as in a Cluster. If the servers share an address, a refused command shows it. */
  get isSharded(): boolean {
    return this.sharded;
  }

  /** Sends all commands together that `work` runs before it returns. */
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
   * Runs a command that counts requests, or tries what a request does. Outside of {@link collect} the command is sent at once, alone.
   * @param command as batch.lua documents it: a name and its arguments, which contain no space and no line break.
   * @param decode makes the result from the reply, in the form that the command has.
   * @param cappedKeyId id of the API key with a cap that the command counts, if it is "capped".
   * @throws StoreUnavailableError
   */
  run<T, R extends CommandReply = string>(
    guildId: string,
    command: string,
    decode: (reply: R) => T,
    cappedKeyId?: string,
  ): Promise<T> {
    const commands = this.waitingOf(guildId, 1, false);
    if (cappedKeyId !== undefined) {
      commands.cappedKeys ??= new Set();
      commands.cappedKeys.add(cappedKeyId);
    }
    return this.add(commands, command, decode);
  }

  /**
   * Reads a guild, without a cached result of the caller.
   * @returns the result.
   * @throws StoreUnavailableError
   */
  read<T>(command: ReadCommand<T>): Promise<T>;
  /**
   * Reads a guild. Outside of {@link collect} the read is sent at once, alone.
   * @param cachedRevision revision of the caller's cached result.
   * @returns the result; undefined if the guild still has `cachedRevision`.
   * @throws StoreUnavailableError
   */
  read<T>(command: ReadCommand<T>, cachedRevision?: string): Promise<T | undefined>;
  read<T>(command: ReadCommand<T>, cachedRevision = ''): Promise<T | undefined> {
    const commands = this.waitingOf(command.guildId, command.weight, command.isOfBoard);
    if (command.isPublic) commands.isPublic = true;
    const decode = (reply: CommandReply) => (reply === '' ? undefined : command.decode(reply));
    return this.add(commands, `${command.line} ${cachedRevision}`, decode);
  }

  /** Returns the commands of the guild that a further command joins. Sends all waiting commands first if they would become too heavy with it. */
  private waitingOf(guildId: string, weight: number, isOfBoard: boolean): GuildCommands {
    if (this.waiting.size > 0 && this.weight + weight > MAX_WEIGHT) this.flush();
    this.weight += weight;
    const key = isOfBoard ? `${guildId}~` : guildId;
    let commands = this.waiting.get(key);
    if (!commands) {
      commands = new GuildCommands(guildId, isOfBoard);
      this.waiting.set(key, commands);
    }
    return commands;
  }

  /** Adds a command to the commands of its guild. Returns its result. */
  private add<T, R extends CommandReply>(commands: GuildCommands, line: string, decode: (reply: R) => T): Promise<T> {
    commands.lines += `${line}\n`;
    const index = commands.count++;
    const result = commands.outcomes.then((outcomes) => decode(replyOf(outcomes[index]) as R));
    if (!this.collecting) this.flush();
    return result;
  }

  private flush(): void {
    const all = [...this.waiting.values()];
    if (all.length === 0) return;
    this.waiting = new Map();
    this.weight = 0;
    if (all.length > 1 && !this.sharded) void this.sendJoined(all);
    else this.sendApart(all);
  }

  /** Sends the commands of several guilds as one Redis command. */
  private async sendJoined(all: readonly GuildCommands[]): Promise<void> {
    try {
      const outcomes = await this.send(all);
      let first = 0;
      for (const { count, resolve } of all) {
        resolve(outcomes.slice(first, first + count));
        first += count;
      }
    } catch (failure) {
      if (failure instanceof StoreUnavailableError && failure.code === 'CROSSSLOT') {
        this.becomeSharded();
        return this.sendApart(all);
      }
      for (const { reject } of all) reject(failure);
    }
  }

  /** Sends the commands of each guild as a Redis command of their own, all in one write to the connection: each write is a system call. */
  private sendApart(all: readonly GuildCommands[]): void {
    const stream = this.options.client?.stream;
    stream?.cork();
    for (const commands of all) commands.resolve(this.send([commands]));
    stream?.uncork();
  }

  private becomeSharded(): void {
    if (this.sharded) return;
    this.sharded = true;
    this.options.onSharded?.();
  }

  /** Sends one Redis command, which declares all keys of its guilds. */
  private send(all: readonly GuildCommands[]): Promise<readonly CommandOutcome[]> {
    const keys: string[] = [];
    let lines = '';
    for (const commands of all) {
      if (keys.length > 0) lines += `guild ${keys.length + 1}\n`;
      lines += commands.lines;
      this.declareKeys(commands, keys);
    }
    const [quota = '', xp = '', stats = '', config = '', members = '', ...further] = keys;
    return batchScript.run(this.scripts, { quota, xp, stats, config, members }, { lines }, further);
  }

  /** Adds the keys of a guild's commands, in the order that batch.lua documents. */
  private declareKeys({ guildId, isOfBoard, isPublic, cappedKeys }: GuildCommands, keys: string[]): void {
    const guild = this.redisKeys.guild(guildId);
    keys.push(this.redisKeys.quota(guildId));
    for (const name of READ_KEYS) keys.push(guild[name]);
    if (isOfBoard) for (const board of BOARDS) keys.push(boardKeys(guild.xp, board).xp);
    if (isPublic) keys.push(guild.about, guild.avatars);
    for (const keyId of cappedKeys ?? []) keys.push(this.redisKeys.keyQuota(guildId, keyId));
  }
}

/** Returns the reply of a command. @throws StoreUnavailableError with the message of its error. */
function replyOf(outcome: CommandOutcome | undefined): CommandReply {
  if (outcome && 'reply' in outcome) return outcome.reply;
  throw new StoreUnavailableError(new Error(outcome?.failure ?? 'the batch has no reply for the command'));
}
