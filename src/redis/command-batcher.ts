import { StoreUnavailableError } from '../errors.ts';
import type { RedisClient, Scripts } from './commands.ts';
import type { RedisKeys } from './redis-keys.ts';

/** Redis serves nobody else while a batch runs: no batch is given jobs of more weight, which is about a millisecond's work. */
const MAX_WEIGHT = 500;

/**
 * Runs jobs for guilds. All that is asked for until the event loop's turn ends leaves as one command, whose cost to ioredis and
 * to Redis is then shared (docs/adr/0006); in a Cluster as one command a guild.
 */
export class CommandBatcher {
  /** Batches to be sent, by what may share one; "" where guilds may. */
  private batches = new Map<string, CommandBatch>();
  private readonly perGuild: boolean;

  constructor(
    client: RedisClient,
    private readonly scripts: Scripts,
    private readonly redisKeys: RedisKeys,
  ) {
    this.perGuild = client.isCluster;
  }

  /**
   * Adds a job to this turn's batch.
   * @param job as batch.lua documents it: a name and its arguments, none with a space or a line break in it.
   * @param decode makes of the reply what is wanted, with the help of {@link fields}.
   * @param weight rows of data that the job reads, about.
   * @throws StoreUnavailableError
   */
  run<T>(guildId: string, job: string, decode: (reply: string) => T, weight = 1): Promise<T> {
    const together = this.perGuild ? guildId : '';
    let batch = this.batches.get(together);
    if (!batch || batch.weight + weight > MAX_WEIGHT) {
      if (batch) this.send(batch);
      else if (this.batches.size === 0) process.nextTick(this.flush);
      batch = new CommandBatch(guildId);
      this.batches.set(together, batch);
    }
    return batch.add(guildId, job, decode, weight);
  }

  private readonly flush = (): void => {
    const { batches } = this;
    this.batches = new Map();
    for (const batch of batches.values()) this.send(batch);
  };

  private send(batch: CommandBatch): void {
    batch.sent(this.scripts.run<Reply[]>('batch', this.redisKeys.quota(batch.firstGuild), batch.jobs));
  }
}

/** A job's text, or the message of what kept it from running. */
type Reply = string | [message: string];

/** Jobs on their way to leave as one command. */
class CommandBatch {
  /** A line each, as batch.lua documents them. */
  jobs = '';
  weight = 0;
  private guild: string;
  private count = 0;
  /** Called once, with what the batch's command will reply. */
  sent!: (replies: Promise<Reply[]>) => void;
  private readonly replies = new Promise<Reply[]>((resolve) => {
    this.sent = resolve;
  });

  constructor(readonly firstGuild: string) {
    this.guild = firstGuild;
  }

  add<T>(guildId: string, job: string, decode: (reply: string) => T, weight: number): Promise<T> {
    if (guildId !== this.guild) {
      this.guild = guildId;
      this.jobs += `guild ${guildId}\n`;
    }
    this.jobs += `${job}\n`;
    this.weight += weight;
    const index = this.count++;
    return this.replies.then((replies) => decode(text(replies[index])));
  }
}

function text(reply: Reply | undefined): string {
  if (typeof reply === 'string') return reply;
  throw new StoreUnavailableError(new Error(reply?.[0] ?? 'the batch has no reply for the job'));
}

/** The values of a job's reply, as lib-fields.lua joined them. */
export function fields(reply: string): string[] {
  const lines = reply.split('\n');
  return reply.includes('\\') ? lines.map(unescaped) : lines;
}

function unescaped(line: string): string {
  return line.replace(/\\(.)/g, (_pair, character: string) => (character === 'n' ? '\n' : character));
}
