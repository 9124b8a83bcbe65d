import { createHash } from 'node:crypto';
import { InvalidInputError, StoreUnavailableError } from '../errors.ts';
import { luaFiles, readLua } from './lua-files.ts';
import { allBoardKeys, type RedisKeys } from './redis-keys.ts';
import type { TimeLimit } from './timeouts.ts';

/**
 * The complete source of a script, with its `--- @include NAME` lines replaced by the files they name, each once: what SCRIPT LOAD
 * or EVAL takes from any language.
 * @throws when the installation lacks the file.
 */
export function scriptSource(name: string, included = new Set<string>()): string {
  included.add(name);
  return readLua(name).replace(/^--- @include (\S+)$/gm, (_line, include: string) =>
    included.has(include) ? '' : scriptSource(include, included),
  );
}

/** Returns the names of all scripts: the files of Lua that no other file includes. */
export function scriptNames(): string[] {
  return luaFiles()
    .filter((name) => !/^(lib|command)-/.test(name))
    .sort();
}

/** An argument of a script. Only the commands of the operator send bytes. */
export type ScriptArgument = string | number | Uint8Array;

/** A connection that runs scripts, with the arguments of EVALSHA and EVAL. */
export interface ScriptClient {
  evalsha(sha: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  eval(source: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
}

/** Called after each script, and after each command of a client, with its duration in milliseconds and whether it failed. */
export type CommandObserver = (command: string, ms: number, failed: boolean) => void;

/** The time limit and the observer of {@link Scripts}. */
export interface ScriptsOptions {
  /** Limits the time of each call of a script, retries and redirections of a Cluster included; left out = no limit. */
  readonly limit?: TimeLimit;
  readonly observe?: CommandObserver;
}

/** A script by its name. */
export interface NamedScript {
  /** Name of its file, without the ending. */
  readonly name: string;
  /** Whether it works on the boards of a guild. Their keys then follow the first five, for a guild that has boards. */
  readonly boards?: boolean;
}

/** The code of a script, with its digest. */
function loadScript(name: string) {
  const source = scriptSource(name);
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

/** Guilds with boards that a connection remembers. */
const MAX_KNOWN_GUILDS = 10_000;

/** The scripts of the project on one connection. Each call takes one round trip, and a second one if Redis does not know the script yet. */
export class Scripts {
  private readonly loaded = new Map<string, ReturnType<typeof loadScript>>();
  /** The first keys of guilds that have boards. Calls for other guilds leave out the keys of boards, which cost 15 % more of Redis's time. */
  private readonly withBoards = new Set<string>();

  constructor(
    private readonly client: ScriptClient,
    private readonly options: ScriptsOptions = {},
  ) {}

  /** Reads the sources of all scripts now. If a long-lived process read them at their first use, a build in between could replace them. */
  loadAll(): void {
    for (const name of scriptNames()) this.script(name);
  }

  /**
   * Runs a script with its keys and its arguments, as the header of the Lua file says.
   * @throws StoreUnavailableError when Redis or the connection fails, or when the time is up.
   */
  run<T = (string | number)[]>(script: NamedScript, keys: readonly string[], ...args: ScriptArgument[]): Promise<T> {
    const { limit, observe } = this.options;
    // A bot has neither of the two, and each further promise would cost its writes time (see ADR 11).
    return limit || observe ? this.runObserved(script, keys, args) : this.evaluate(script, keys, args);
  }

  private async runObserved<T>(
    script: NamedScript,
    keys: readonly string[],
    args: readonly ScriptArgument[],
  ): Promise<T> {
    const { limit, observe } = this.options;
    const sentAt = performance.now();
    let failed = true;
    try {
      const reply = this.evaluate<T>(script, keys, args);
      const value = await (limit ? limit(reply) : reply);
      failed = false;
      return value;
    } finally {
      observe?.(script.name, performance.now() - sentAt, failed);
    }
  }

  /**
   * Runs the script by its digest. A server that does not know the script, new or after SCRIPT FLUSH, gets the source. The code of the error tells
   * both this and a guild with boards (see ADR 12).
   */
  private async evaluate<T>(
    { name, boards = false }: NamedScript,
    keys: readonly string[],
    values: readonly ScriptArgument[],
  ): Promise<T> {
    const script = this.script(name);
    const hasBoards = boards && this.withBoards.has(keys[0] ?? '');
    const sent = hasBoards ? keysWithBoards(keys) : keys;
    // Only the commands of the operator send bytes, and ioredis takes bytes.
    const args = values as (string | number)[];
    let reply: unknown;
    let failure: StoreUnavailableError | undefined;
    try {
      reply = await this.client.evalsha(script.sha, sent.length, ...sent, ...args);
    } catch (error) {
      failure = StoreUnavailableError.of(error);
    }
    if (failure?.code === 'NOSCRIPT') {
      failure = undefined;
      try {
        reply = await this.client.eval(script.source, sent.length, ...sent, ...args);
      } catch (error) {
        failure = StoreUnavailableError.of(error);
      }
    }
    if (failure) {
      if (hasBoards || !boards || failure.code !== 'BOARDS') throw failure;
      this.rememberBoards(keys[0] ?? '');
      return this.evaluate({ name, boards }, keys, values);
    }
    if (reply === 'QUEUED')
      throw new InvalidInputError('The connection is in a transaction, which gives no replies before exec');
    return reply as T;
  }

  private rememberBoards(guildXpKey: string): void {
    if (this.withBoards.size >= MAX_KNOWN_GUILDS) this.withBoards.clear();
    this.withBoards.add(guildXpKey);
  }

  private script(name: string): ReturnType<typeof loadScript> {
    let script = this.loaded.get(name);
    if (!script) {
      script = loadScript(name);
      this.loaded.set(name, script);
    }
    return script;
  }
}

/** Scripts with the names of their keys. The kit of bots has only this part of a store. */
export interface ScriptStore {
  readonly scripts: Scripts;
  readonly redisKeys: RedisKeys;
}

/** Puts the keys of the boards after the five of the guild. */
function keysWithBoards([xp = '', ...keys]: readonly string[]): string[] {
  return [xp, ...keys.slice(0, 4), ...allBoardKeys(xp), ...keys.slice(4)];
}
