import type { Cluster, Redis } from 'ioredis';
import { StoreUnavailableError } from '../errors.ts';
import { SCRIPT_KEYS, type ScriptName, scriptSource } from './scripts.ts';

/** A connection to a single Redis, a Sentinel set or a Cluster. */
export type RedisClient = Redis | Cluster;

type Command = (...args: (string | number)[]) => Promise<unknown>;

/** Told of every command once it is answered: how long it took, in milliseconds, and whether it failed. */
export type CommandObserver = (command: string, ms: number, failed: boolean) => void;

/** The project's Lua commands, bound to one connection. Each is one command and one round trip. */
export class Scripts {
  private readonly commands: Record<ScriptName, Command>;

  /** Defines every command on the connection. Do it at start: defining one while a pipeline is pending throws out of band. */
  constructor(
    client: RedisClient,
    private readonly observe?: CommandObserver,
  ) {
    const names = Object.keys(SCRIPT_KEYS) as ScriptName[];
    for (const name of names) {
      client.defineCommand(commandName(name), { numberOfKeys: SCRIPT_KEYS[name], lua: scriptSource(name) });
    }
    const methods = client as unknown as Record<string, Command>;
    this.commands = Object.fromEntries(
      names.map((name) => [
        name,
        (...args: (string | number)[]) => (methods[commandName(name)] as Command).apply(client, args),
      ]),
    ) as Record<ScriptName, Command>;
  }

  /**
   * Runs a command: its keys, then its arguments, as the Lua file's header says.
   * @throws StoreUnavailableError for whatever Redis or the connection answers instead of a reply.
   */
  async run<T = (string | number)[]>(name: ScriptName, ...args: (string | number)[]): Promise<T> {
    const sentAt = performance.now();
    let failed = true;
    try {
      const reply = await withStoreErrors(this.commands[name](...args) as Promise<T>);
      failed = false;
      return reply;
    } finally {
      this.observe?.(name, performance.now() - sentAt, failed);
    }
  }
}

/** Awaits a Redis reply; any failure becomes the one domain error for "the store did not answer". */
export async function withStoreErrors<T>(reply: Promise<T>): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    throw new StoreUnavailableError(error);
  }
}

function commandName(name: ScriptName): string {
  return `gr${name}`;
}
