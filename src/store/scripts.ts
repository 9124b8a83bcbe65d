import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { InvalidInputError, StoreUnavailableError } from '../errors.ts';
import { allBoardKeys, type RedisKeys } from './keys.ts';
import type { TimeLimit } from './timeouts.ts';

/**
 * The complete source of a command, with its `--- @include NAME` lines replaced by the files they name, each once: what SCRIPT LOAD
 * or EVAL takes from any language.
 * @throws when the installation lacks the file.
 */
export function scriptSource(name: string, included = new Set<string>()): string {
  included.add(name);
  const source = readFileSync(scriptFile(name), 'utf8');
  return source.replace(/^--- @include (\S+)$/gm, (_line, include: string) =>
    included.has(include) ? '' : scriptSource(include, included),
  );
}

const SOURCES = new URL('..', import.meta.url);
let placesInSource: Map<string, string> | undefined;

/** A build has all commands in one folder. */
function scriptFile(name: string): URL {
  const built = new URL(`lua/${name}.lua`, SOURCES);
  if (existsSync(built)) return built;
  placesInSource ??= new Map(
    readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).map((path) => [basename(path), path]),
  );
  return new URL(placesInSource.get(`${name}.lua`) ?? built, SOURCES);
}

/** Returns the names of all commands: the files of Lua that no other file includes. */
export function scriptNames(): string[] {
  const built = new URL('lua/', SOURCES);
  const files = existsSync(new URL('batch.lua', built))
    ? readdirSync(built)
    : readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const names = files.filter((path) => path.endsWith('.lua')).map((path) => basename(path, '.lua'));
  return names.filter((name) => !/^(lib|command)-/.test(name)).sort();
}

/** Returns the version of a guild's data that the scripts know. */
export function knownModel(): string {
  return String(/^local MODEL = '(\d+)'/m.exec(scriptSource('configure'))?.[1]);
}

/** A connection that runs scripts, with the arguments of EVALSHA and EVAL. */
export interface ScriptClient {
  evalsha(sha: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  eval(source: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
}

/** Called after each command with its duration in milliseconds and whether it failed. */
export type CommandObserver = (command: string, ms: number, failed: boolean) => void;

export interface ScriptsOptions {
  /** Limits the time of each command, retries and redirections of a Cluster included; none = no limit. */
  readonly limit?: TimeLimit;
  readonly observe?: CommandObserver;
}

/** Returns a script with its digest, and whether it takes the keys of the boards. */
function loadScript(name: string) {
  const source = scriptSource(name);
  const sha = createHash('sha1').update(source).digest('hex');
  // A built script has the included text instead of its include lines: here, the error for a missing key of a board.
  return { source, sha, takesBoards: source.includes("raise_error('BOARDS ") };
}

/** Guilds with boards that a connection remembers. */
const MAX_KNOWN_GUILDS = 10_000;

/** The project's Lua commands on one connection. Each call takes one round trip, and a second one if Redis does not know the script yet. */
export class Scripts {
  private readonly loaded = new Map<string, ReturnType<typeof loadScript>>();
  /** The first keys of guilds that have boards. Calls for other guilds leave out the keys of boards, because each key takes time. */
  private readonly withBoards = new Set<string>();

  constructor(
    private readonly client: ScriptClient,
    private readonly options: ScriptsOptions = {},
  ) {}

  /** Reads the sources of all commands now. If a long-lived process read them at their first use, a build in between could replace them. */
  loadAll(): void {
    for (const name of scriptNames()) this.script(name);
  }

  /**
   * Runs a command: its keys and its arguments, as the Lua file's header says.
   * @throws StoreUnavailableError when Redis or the connection fails, or when the time is up.
   */
  run<T = (string | number)[]>(
    name: string,
    keys: readonly string[],
    ...args: (string | number | Uint8Array)[]
  ): Promise<T> {
    const { limit, observe } = this.options;
    // A bot has neither of the two, and each further promise would cost its writes time (hot path, see docs/operations.md).
    return limit || observe ? this.runObserved(name, keys, args) : this.evaluate(name, keys, args);
  }

  private async runObserved<T>(
    name: string,
    keys: readonly string[],
    args: readonly (string | number | Uint8Array)[],
  ): Promise<T> {
    const { limit, observe } = this.options;
    const sentAt = performance.now();
    let failed = true;
    try {
      const reply = this.evaluate<T>(name, keys, args);
      const value = await (limit ? limit(reply) : reply);
      failed = false;
      return value;
    } finally {
      observe?.(name, performance.now() - sentAt, failed);
    }
  }

  /** Runs the script by its digest. A server that does not know it, new or after SCRIPT FLUSH, gets the source. */
  private async evaluate<T>(
    name: string,
    keys: readonly string[],
    values: readonly (string | number | Uint8Array)[],
  ): Promise<T> {
    const script = this.script(name);
    const hasBoards = script.takesBoards && this.withBoards.has(keys[0] ?? '');
    const sent = hasBoards ? keysWithBoards(keys) : keys;
    // Only commands of the operator send bytes, and ioredis takes them.
    const args = values as (string | number)[];
    let reply: unknown;
    let failure: StoreUnavailableError | undefined;
    try {
      reply = await this.client.evalsha(script.sha, sent.length, ...sent, ...args);
    } catch (error) {
      failure = StoreUnavailableError.of(error);
    }
    if (failure?.reason.includes('NOSCRIPT')) {
      failure = undefined;
      try {
        reply = await this.client.eval(script.source, sent.length, ...sent, ...args);
      } catch (error) {
        failure = StoreUnavailableError.of(error);
      }
    }
    if (failure) {
      if (hasBoards || !script.takesBoards || !failure.reason.includes('BOARDS ')) throw failure;
      this.rememberBoards(keys[0] ?? '');
      return this.evaluate(name, keys, values);
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
