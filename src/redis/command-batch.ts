import { StoreUnavailableError } from '../errors.ts';

/** A command's text, or the message of its error. */
export type Reply = string | [message: string];

/** Commands that leave as one Redis command. */
export class CommandBatch {
  /** One line a command, as batch.lua documents them. */
  lines = '';
  weight = 0;
  /** Settles the batch with the reply of its Redis command. */
  resolve!: (replies: Promise<Reply[]>) => void;
  private lastGuild: string;
  private count = 0;
  private readonly replies = new Promise<Reply[]>((resolve) => {
    this.resolve = resolve;
  });

  constructor(readonly firstGuild: string) {
    this.lastGuild = firstGuild;
  }

  add<T>(guildId: string, command: string, decode: (reply: string) => T, weight: number): Promise<T> {
    if (guildId !== this.lastGuild) {
      this.lastGuild = guildId;
      this.lines += `guild ${guildId}\n`;
    }
    this.lines += `${command}\n`;
    this.weight += weight;
    const index = this.count++;
    return this.replies.then((replies) => decode(textOf(replies[index])));
  }
}

/** Returns the text of a command's reply. @throws StoreUnavailableError with the message of its error. */
export function textOf(reply: Reply | undefined): string {
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
