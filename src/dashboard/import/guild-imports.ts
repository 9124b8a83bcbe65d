import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionGeneration } from '../../core/access/session-generation.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { countStored } from '../../core/guilds/overview.ts';
import { count } from '../../core/readable.ts';
import type { LoadTarget } from '../../imports/load-job.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import {
  type CheckedFile,
  checkFile,
  type ImportChoice,
  type ImportRun,
  type LoadChoice,
  loadFile,
  shortened,
} from './import-file.ts';

/** A file that was received and read once. */
interface CheckedImport extends ImportChoice, CheckedFile {
  readonly id: string;
  readonly path: string;
  readonly bytes: number;
  /** The generation of the guild's sessions when it came. */
  readonly generation: string;
}

/** A checked file, and the end of a load, wait this long for their person. */
const KEPT_MS = 30 * 60_000;
/** Files that are received, and loads that run, each at the same time. */
const MAX_AT_ONCE = 20;
/** A file that has been coming for longer gives its place to another guild's, when all are taken. */
const SLOW_MS = 20_000;
const TOO_MANY = 'Too many imports run: try again in some minutes';
/** Disk for the files that wait for their persons. The oldest go first. */
const MAX_WAITING_BYTES = 1024 ** 3;

/** A file that comes, or is read for the first time. */
interface Receiving {
  readonly since: number;
  /** Only while it comes. */
  cut: (() => void) | undefined;
}

type State = { readonly checked?: CheckedImport; readonly run?: ImportRun; readonly stop?: () => void };

/** The imports of the guilds, one of each at a time: from the file that was received to the end of its load. Files are temporary. */
export class GuildImports {
  private readonly states = new Map<string, State>();
  private readonly receiving = new Map<string, Receiving>();
  private readonly loads = new Set<Promise<unknown>>();
  private folder: string | undefined;

  constructor(
    private readonly target: LoadTarget,
    /** Members that a file may have, and a guild before members are added to it. Owners share the Redis of the bot. */
    private readonly maxMembers: number,
    private readonly maxWaitingBytes = MAX_WAITING_BYTES,
    private readonly slowMs = SLOW_MS,
  ) {}

  /** Returns the file that waits for its person, or the load that runs or ran last. */
  of(guildId: string): Pick<State, 'checked' | 'run'> {
    return this.states.get(guildId) ?? {};
  }

  isRunning(guildId: string): boolean {
    const { run } = this.of(guildId);
    return run !== undefined && run.summary === undefined;
  }

  /**
   * Receives a file, reads it once, and keeps it for {@link start}. Writes nothing to the guild.
   * @param receive writes the file to a path, and returns what the person chose. It fails once the signal says so.
   * @throws InvalidInputError when it cannot be read, an import of the guild runs, or too many run. The file is then deleted.
   */
  async add(guildId: string, receive: (path: string, signal: AbortSignal) => Promise<ImportChoice>): Promise<void> {
    if (this.receiving.has(guildId) || this.isRunning(guildId))
      throw new InvalidInputError('An import of this guild is running: wait for its end');
    if (this.receiving.size >= MAX_AT_ONCE && !this.cutSlowest()) throw new InvalidInputError(TOO_MANY);
    const controller = new AbortController();
    const receiving: Receiving = { since: performance.now(), cut: () => controller.abort() };
    this.receiving.set(guildId, receiving);
    this.folder ??= temporaryFolder();
    const path = join(this.folder, randomUUID());
    try {
      const choice = await receive(path, controller.signal);
      receiving.cut = undefined;
      const checked = await this.check(guildId, path, choice);
      await this.discard(guildId);
      await this.makeRoom(checked.bytes);
      this.states.set(guildId, { checked });
      this.discardLater(guildId, checked);
    } catch (error) {
      await rm(path, { force: true });
      throw error instanceof InvalidInputError ? new InvalidInputError(shortened(error.message)) : error;
    } finally {
      if (this.receiving.get(guildId) === receiving) this.receiving.delete(guildId);
    }
  }

  /** Takes the place of the file that has been coming for longest, if it is slow. @returns whether there was one. */
  private cutSlowest(): boolean {
    // They are in the order in which they began.
    const slowest = [...this.receiving].find(([, { since, cut }]) => cut && performance.now() - since >= this.slowMs);
    if (!slowest) return false;
    const [guildId, { cut }] = slowest;
    this.receiving.delete(guildId);
    cut?.();
    return true;
  }

  private async check(guildId: string, path: string, choice: ImportChoice): Promise<CheckedImport> {
    const { preview, notes } = await checkFile(this.target, guildId, path, choice);
    // Of a larger file nobody knows how many are the same: the load ends at the limit.
    if (preview.repeated_exact && preview.members > this.maxMembers)
      throw this.tooMany(`The file has ${count(preview.members, 'member')}`);
    // One of a guild where nobody has signed in begins here. The first sign-in leaves it.
    const { text: generation } = await sessionGeneration(this.target, guildId);
    return { ...choice, id: randomUUID(), path, bytes: (await stat(path)).size, generation, preview, notes };
  }

  private sessionsKey(guildId: string): string {
    return this.target.redisKeys.guild(guildId).sessions;
  }

  /** Drops the file of an owner whose sessions were ended since: the guild can have another one. One round trip. */
  async dropOld(guildId: string): Promise<void> {
    const { checked } = this.of(guildId);
    if (checked && checked.generation !== (await this.target.client.get(this.sessionsKey(guildId))))
      await this.discard(guildId);
  }

  /** Lets the files go that have waited longest, until another one of this size has room. */
  private async makeRoom(bytes: number): Promise<void> {
    let waiting = bytes;
    for (const { checked } of this.states.values()) waiting += checked?.bytes ?? 0;
    for (const [guildId, { checked }] of [...this.states]) {
      if (waiting <= this.maxWaitingBytes) return;
      if (!checked) continue;
      waiting -= checked.bytes;
      await this.discard(guildId);
    }
  }

  /** Drops the file that waits, and the load that has ended. */
  async discard(guildId: string): Promise<void> {
    const { checked } = this.of(guildId);
    if (this.isRunning(guildId)) return;
    this.states.delete(guildId);
    if (checked) await rm(checked.path, { force: true });
  }

  /** Drops a file that nobody loads, or a load that has ended, after a time. */
  private discardLater(guildId: string, kept: CheckedImport | ImportRun): void {
    setTimeout(() => {
      const { checked, run } = this.of(guildId);
      if (checked === kept || run === kept) void this.discard(guildId);
    }, KEPT_MS).unref();
  }

  /**
   * Starts to load the file that waits. Two round trips.
   * @param id of the file that its person has seen checked.
   * @param onEnd called with the last line.
   * @throws InvalidInputError when this file is gone, too many loads run, or the guild has too many members already.
   */
  async start(
    guildId: string,
    id: string,
    how: LoadChoice,
    onEnd: (summary: string) => Promise<unknown>,
  ): Promise<void> {
    await this.dropOld(guildId);
    const stored = how.replace ? 0 : await countStored(this.target, guildId);
    if (stored > this.maxMembers) throw this.tooMany(`The guild has ${count(stored, 'member')}`);
    const { checked } = this.of(guildId);
    if (checked?.id !== id || this.receiving.has(guildId))
      throw new InvalidInputError('There is no file: upload it again');
    if (this.loads.size >= MAX_AT_ONCE) throw new InvalidInputError(TOO_MANY);
    const run: ImportRun = { name: checked.name, ...how, notes: [], members: 0, share: 0 };
    const controller = new AbortController();
    this.states.set(guildId, { run, stop: () => controller.abort() });
    const load = loadFile(this.target, guildId, checked, run, controller.signal, this.maxMembers)
      .then(onEnd)
      .catch(() => {}) // The load is done, and its line is on the page.
      .finally(() => {
        if (this.of(guildId).run === run) this.states.set(guildId, { run });
        this.discardLater(guildId, run);
        this.loads.delete(load);
        return rm(checked.path, { force: true });
      });
    this.loads.add(load);
  }

  private tooMany(what: string): InvalidInputError {
    const limit = count(this.maxMembers, 'member');
    return new InvalidInputError(`${what}, and the dashboard loads up to ${limit}: ask the operator for more`);
  }

  /** Stops all loads, and waits for their ends. */
  async end(): Promise<void> {
    for (const { stop } of this.states.values()) stop?.();
    await Promise.all(this.loads);
  }

  /** Asks the load that runs to stop. A replacement that puts its members in place still finishes. */
  stop(guildId: string): void {
    this.states.get(guildId)?.stop?.();
  }
}
