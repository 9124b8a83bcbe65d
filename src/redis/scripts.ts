import { readFileSync } from 'node:fs';
import type { Cluster, Redis } from 'ioredis';
import { StoreUnavailableError } from '../errors.ts';
import type { TimeoutQueue } from './timeouts.ts';

/** The Lua commands and how many keys each takes. One file a command, in ./lua, with its contract in the header. */
export const SCRIPT_KEYS = {
  record: 3,
  remove: 3,
  batch: 1,
  recount: 3,
  configure: 2,
  replace: 4,
  probe: 1,
} as const;

export type ScriptName = keyof typeof SCRIPT_KEYS;

/**
 * The complete source of a command, with its `--- @include NAME` lines replaced by the files they name: what SCRIPT LOAD
 * or EVAL takes from any language.
 * @throws when the installation lacks the file.
 */
export function scriptSource(name: string): string {
  const source = readFileSync(new URL(`./lua/${name}.lua`, import.meta.url), 'utf8');
  return source.replace(/^--- @include (\S+)$/gm, (_line, include: string) => scriptSource(include));
}

/** A connection to a single Redis, a Sentinel set or a Cluster. */
export type RedisClient = Redis | Cluster;

type Command = (...args: (string | number)[]) => Promise<unknown>;

/** Called after each command with its duration in milliseconds and whether it failed. */
export type CommandObserver = (command: string, ms: number, failed: boolean) => void;

export interface ScriptsOptions {
  /** Limits the time of each command, retries and redirections of a Cluster included; none = no limit. */
  readonly timeouts?: TimeoutQueue;
  readonly observe?: CommandObserver;
}

/** The project's Lua commands, bound to one connection. Each is one command and one round trip. */
export class Scripts {
  private readonly client: RedisClient & Readonly<Record<string, Command>>;

  /** Defines every command on the connection. Do it at start: defining one while a pipeline is pending throws out of band. */
  constructor(
    client: RedisClient,
    private readonly options: ScriptsOptions = {},
  ) {
    for (const [name, numberOfKeys] of Object.entries(SCRIPT_KEYS)) {
      client.defineCommand(methodName(name), { numberOfKeys, lua: scriptSource(name) });
    }
    this.client = client as RedisClient & Record<string, Command>;
  }

  /**
   * Runs a command: its keys, then its arguments, as the Lua file's header says.
   * @throws StoreUnavailableError when Redis or the connection fails, or when the time is up.
   */
  async run<T = (string | number)[]>(name: ScriptName, ...args: (string | number)[]): Promise<T> {
    const { timeouts, observe } = this.options;
    const sentAt = performance.now();
    let failed = true;
    try {
      const reply = withStoreErrors((this.client[methodName(name)] as Command)(...args));
      const value = await (timeouts ? timeouts.limit(reply) : reply);
      failed = false;
      return value as T;
    } finally {
      observe?.(name, performance.now() - sentAt, failed);
    }
  }
}

/** Awaits a reply. @throws StoreUnavailableError for any failure. */
export async function withStoreErrors<T>(reply: Promise<T>): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    throw new StoreUnavailableError(error);
  }
}

function methodName(script: string): string {
  return `gr${script}`;
}
