import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionGeneration } from '../../core/access/session-generation.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { countStored } from '../../core/guilds/overview.ts';
import { count } from '../../core/readable.ts';
import type { FieldMap } from '../../imports/choose-format.ts';
import type { LoadTarget } from '../../imports/load-job.ts';
import { UnknownFieldsError } from '../../imports/unknown-fields.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import {
  type CheckedFile,
  checkFiles,
  type ImportChoice,
  type ImportRun,
  type LoadChoice,
  loadFiles,
  shortened,
} from './import-file.ts';

/** Files that wait for their person. */
interface WaitingFiles {
  readonly id: string;
  readonly bytes: number;
  /** The generation of the guild's sessions when they came. */
  readonly generation: string;
}

/** Files that were received and read once. */
interface CheckedImport extends ImportChoice, CheckedFile, WaitingFiles {}

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

/** Files whose fields a person has to name. */
interface UnreadImport extends WaitingFiles {
  readonly choice: ImportChoice;
  /** Why they cannot be read. */
  readonly problem: string;
  readonly fields: UnknownFieldsError['fields'];
}

type State = {
  readonly unread?: UnreadImport;
  readonly checked?: CheckedImport;
  readonly run?: ImportRun;
  readonly stop?: () => void;
};

/** Fields that a page lists. */
const MAX_FIELDS = 200;

const waitingOf = ({ checked, unread }: State): WaitingFiles | undefined => checked ?? unread;

async function remove(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => rm(path, { force: true })));
}

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

  /** Returns the files that wait for their person, or the load that runs or ran last. */
  of(guildId: string): Pick<State, 'unread' | 'checked' | 'run'> {
    return this.states.get(guildId) ?? {};
  }

  isRunning(guildId: string): boolean {
    const { run } = this.of(guildId);
    return run !== undefined && run.summary === undefined;
  }

  /**
   * Receives files, reads them once, and keeps them for {@link start}, or for {@link nameFields}. Writes nothing to the guild.
   * @param receive writes the files to the paths that it asks for, and returns what the person chose. It fails once the signal says so.
   * @throws InvalidInputError when they cannot be read, an import of the guild runs, or too many run. The files are then deleted.
   */
  async add(
    guildId: string,
    receive: (pathOf: (number: number) => string, signal: AbortSignal) => Promise<ImportChoice>,
  ): Promise<void> {
    if (this.receiving.has(guildId) || this.isRunning(guildId))
      throw new InvalidInputError('An import of this server is running: wait for its end');
    if (this.receiving.size >= MAX_AT_ONCE && !this.cutSlowest()) throw new InvalidInputError(TOO_MANY);
    const controller = new AbortController();
    const receiving: Receiving = { since: performance.now(), cut: () => controller.abort() };
    this.receiving.set(guildId, receiving);
    this.folder ??= temporaryFolder();
    const base = join(this.folder, randomUUID());
    const paths: string[] = [];
    const pathOf = (number: number): string => {
      paths[number] = `${base}-${number}`;
      return paths[number];
    };
    try {
      const choice = await receive(pathOf, controller.signal);
      receiving.cut = undefined;
      await this.keep(guildId, await this.check(guildId, choice));
    } catch (error) {
      await remove(paths);
      throw error instanceof InvalidInputError ? new InvalidInputError(shortened(error.message)) : error;
    } finally {
      if (this.receiving.get(guildId) === receiving) this.receiving.delete(guildId);
    }
  }

  /**
   * Reads the files again whose fields a person has named.
   * @param id of the files that the person has seen.
   * @throws InvalidInputError when these are gone, or cannot be read so. They are kept then.
   */
  async nameFields(guildId: string, id: string, map: FieldMap): Promise<void> {
    await this.dropOld(guildId);
    const { unread } = this.of(guildId);
    if (unread?.id !== id) throw new InvalidInputError('There is no file: upload it again');
    const state = await this.check(guildId, { ...unread.choice, map });
    if (this.of(guildId).unread !== unread) throw new InvalidInputError('There is no file: upload it again');
    this.states.set(guildId, state);
    this.discardLater(guildId, state);
  }

  private async keep(guildId: string, state: State): Promise<void> {
    await this.discard(guildId);
    await this.makeRoom(waitingOf(state)?.bytes ?? 0);
    this.states.set(guildId, state);
    this.discardLater(guildId, state);
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

  /** Reads files once. @returns them checked, or with the fields that a person has to name. */
  private async check(guildId: string, choice: ImportChoice): Promise<State> {
    const sizes = await Promise.all(choice.files.map(({ path }) => stat(path)));
    // One of a guild where nobody has signed in begins here. The first sign-in leaves it.
    const { text: generation } = await sessionGeneration(this.target, guildId);
    const common = { id: randomUUID(), bytes: sizes.reduce((sum, { size }) => sum + size, 0), generation };
    try {
      const file = await checkFiles(this.target, guildId, choice);
      const { repeated_exact, members } = file.preview;
      // Of a larger file nobody knows how many are the same: the load ends at the limit.
      if (repeated_exact && members > this.maxMembers) throw this.tooMany(`The file has ${count(members, 'member')}`);
      return { checked: { ...choice, ...file, ...common } };
    } catch (error) {
      if (!(error instanceof UnknownFieldsError)) throw error;
      return {
        unread: { ...common, choice, problem: shortened(error.message), fields: error.fields.slice(0, MAX_FIELDS) },
      };
    }
  }

  private sessionsKey(guildId: string): string {
    return this.target.redisKeys.guild(guildId).sessions;
  }

  /** Drops the file of an owner whose sessions were ended since: the guild can have another one. One round trip. */
  async dropOld(guildId: string): Promise<void> {
    const waiting = waitingOf(this.of(guildId));
    if (waiting && waiting.generation !== (await this.target.client.get(this.sessionsKey(guildId))))
      await this.discard(guildId);
  }

  /** Lets the files go that have waited longest, until another one of this size has room. */
  private async makeRoom(bytes: number): Promise<void> {
    let waiting = bytes;
    for (const state of this.states.values()) waiting += waitingOf(state)?.bytes ?? 0;
    for (const [guildId, state] of [...this.states]) {
      if (waiting <= this.maxWaitingBytes) return;
      const kept = waitingOf(state);
      if (!kept) continue;
      waiting -= kept.bytes;
      await this.discard(guildId);
    }
  }

  /** Drops the file that waits, and the load that has ended. */
  async discard(guildId: string): Promise<void> {
    if (this.isRunning(guildId)) return;
    const { checked, unread } = this.of(guildId);
    this.states.delete(guildId);
    await remove((checked ?? unread?.choice)?.files.map(({ path }) => path) ?? []);
  }

  /** Drops a file that nobody loads, or a load that has ended, after a time. */
  private discardLater(guildId: string, kept: State): void {
    setTimeout(() => {
      const { unread, checked, run } = this.of(guildId);
      if (unread === kept.unread && checked === kept.checked && run === kept.run) void this.discard(guildId);
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
    if (stored > this.maxMembers) throw this.tooMany(`This server has ${count(stored, 'member')}`);
    const { checked } = this.of(guildId);
    if (checked?.id !== id || this.receiving.has(guildId))
      throw new InvalidInputError('There is no file: upload it again');
    if (this.loads.size >= MAX_AT_ONCE) throw new InvalidInputError(TOO_MANY);
    const run: ImportRun = {
      ...{ name: checked.name, ...how, notes: [], members: 0, share: 0 },
      ...{ refused: [], refusedCsv: '', isComplete: false },
    };
    const controller = new AbortController();
    this.states.set(guildId, { run, stop: () => controller.abort() });
    const load = loadFiles(this.target, guildId, checked, run, controller.signal, this.maxMembers)
      .then(onEnd)
      .catch(() => {}) // The load is done, and its line is on the page.
      .finally(() => {
        if (this.of(guildId).run === run) this.states.set(guildId, { run });
        this.discardLater(guildId, { run });
        this.loads.delete(load);
        return remove(checked.files.map(({ path }) => path));
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
