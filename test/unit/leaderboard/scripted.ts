import type { Scripts } from '../../../src/redis/scripts.ts';

/** One command as it was sent: its name, its keys, then its arguments. */
export type Sent = readonly (string | number | readonly string[])[];

/** Returns scripts that reply from a list, in order, and the commands that they were sent. */
export function scripted(...replies: (string | number | (string | number)[])[]): { scripts: Scripts; sent: Sent[] } {
  const sent: Sent[] = [];
  const run = async (...command: Sent) => {
    sent.push(command);
    if (replies.length === 0) throw new Error(`no reply is left for ${command.join(' ')}`);
    return replies.shift();
  };
  return { scripts: { run } as unknown as Scripts, sent };
}
