import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInputError } from '../../core/errors.ts';
import { count } from '../../core/format-numbers.ts';
import { countStored } from '../../core/guilds/overview.ts';
import type { FieldMap } from '../../imports/fields.ts';
import type { LoadTarget } from '../../imports/load-job.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type ImportRun, type LoadChoice, loadFiles } from './load-files.ts';
import { type ImportChoice, shortened } from './read-files.ts';
import { MAX_AT_ONCE, ReceivingFiles, TOO_MANY } from './receiving-files.ts';
import {
  type CheckedImport,
  checkImport,
  tooManyMembers,
  type UnreadImport,
  type WaitingFiles,
} from './waiting-files.ts';

/** How long a checked file, or the result of a load, waits for the person. */
const KEPT_MS = 30 * 60_000;
/** If all places are taken, a file that has been arriving for longer than this gives its place to the file of another guild. */
const SLOW_MS = 20_000;
/** Most bytes on disk of the files that wait for people. The oldest files are deleted first. */
const MAX_WAITING_BYTES = 1024 ** 3;

/** The import of a guild. */
type State = {
  readonly unread?: UnreadImport;
  readonly checked?: CheckedImport;
  readonly run?: ImportRun;
  readonly stop?: () => void;
};

/** What a person says of a file: which of its fields is which, or which of its guilds is loaded. */
export type FileAnswer = { readonly map: FieldMap } | { readonly sourceGuild: string };

function answered({ choice, questioned }: UnreadImport, answer: FileAnswer): ImportChoice {
  if ('sourceGuild' in answer) return { ...choice, ...answer };
  const files = choice.files.map((each, index) => (questioned.includes(index) ? { ...each, ...answer } : each));
  return { ...choice, files };
}

const waitingOf = ({ checked, unread }: State): WaitingFiles | undefined => checked ?? unread;

async function remove(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => rm(path, { force: true })));
}

/** The imports of the guilds, one of each at a time: from the file that was received to the end of its load. Files are temporary. */
export class GuildImports {
  private readonly states = new Map<string, State>();
  private readonly receiving: ReceivingFiles;
  private readonly loads = new Set<Promise<unknown>>();
  private folder: string | undefined;

  constructor(
    private readonly target: LoadTarget,
    /** Members that a file may have, and a guild before members are added to it. Owners share the Redis of the bot. */
    private readonly maxMembers: number,
    private readonly maxWaitingBytes = MAX_WAITING_BYTES,
    slowMs = SLOW_MS,
  ) {
    this.receiving = new ReceivingFiles(slowMs);
  }

  /** Returns the files that wait for their person, or the load that runs or ran last. */
  of(guildId: string): Pick<State, 'unread' | 'checked' | 'run'> {
    return this.states.get(guildId) ?? {};
  }

  isRunning(guildId: string): boolean {
    const { run } = this.of(guildId);
    return run !== undefined && run.summary === undefined;
  }

  /**
   * Receives files, reads them once, and keeps them for {@link start}, or for {@link answer}. Writes nothing to the guild.
   * @param receive writes the files to the paths that it asks for, and returns what the person chose. It fails once the signal says so.
   * @throws InvalidInputError when they cannot be read, an import of the guild runs, or too many run. The files are then deleted.
   */
  async add(
    guildId: string,
    receive: (pathOf: (number: number) => string, signal: AbortSignal) => Promise<ImportChoice>,
  ): Promise<void> {
    if (this.receiving.has(guildId) || this.isRunning(guildId))
      throw new InvalidInputError('An import of this server is running: wait for its end');
    const receiving = this.receiving.begin(guildId);
    this.folder ??= temporaryFolder();
    const base = join(this.folder, randomUUID());
    const paths: string[] = [];
    const pathOf = (number: number): string => {
      paths[number] = `${base}-${number}`;
      return paths[number];
    };
    try {
      const choice = await receive(pathOf, receiving.signal);
      receiving.received();
      await this.keep(guildId, await checkImport(this.target, guildId, choice, this.maxMembers));
    } catch (error) {
      await remove(paths);
      throw error instanceof InvalidInputError ? new InvalidInputError(shortened(error.message)) : error;
    } finally {
      this.receiving.end(guildId, receiving);
    }
  }

  /**
   * Reads files again about which a person was asked.
   * @param id of the files that the person has seen.
   * @param answer the names of the fields of the file in question, or the guild whose members are loaded.
   * @throws InvalidInputError when these files are gone, or cannot be read so. They are kept then.
   */
  async answer(guildId: string, id: string, answer: FileAnswer): Promise<void> {
    await this.dropOld(guildId);
    const { unread } = this.of(guildId);
    if (unread?.id !== id) throw new InvalidInputError('There is no file: upload it again');
    const state = await checkImport(this.target, guildId, answered(unread, answer), this.maxMembers);
    if (this.of(guildId).unread !== unread) throw new InvalidInputError('There is no file: upload it again');
    this.states.set(guildId, state);
    this.discardLater(guildId, state);
  }

  /**
   * Asks the person of checked files which of their fields is which, so that other fields can be chosen. Reads nothing.
   * @param id of the files that the person has seen checked.
   * @param reading the number of the reading of their fields, from 0.
   * @throws InvalidInputError when these files are gone.
   */
  async askFields(guildId: string, id: string, reading: number): Promise<void> {
    await this.dropOld(guildId);
    const { checked } = this.of(guildId);
    const chosen = checked?.readings[reading];
    if (checked?.id !== id || !chosen) throw new InvalidInputError('There is no file: upload it again');
    const { bytes, generation, name, files, format, curve, sourceGuild } = checked;
    const choice = { name, files, format, curve, ...(sourceGuild !== undefined && { sourceGuild }) };
    const question = { questioned: chosen.files, problem: '', fields: chosen.fields, likeliest: chosen.map };
    const state = { unread: { id, bytes, generation, choice, ...question } };
    this.states.set(guildId, state);
    this.discardLater(guildId, state);
  }

  private async keep(guildId: string, state: State): Promise<void> {
    await this.discard(guildId);
    await this.makeRoom(waitingOf(state)?.bytes ?? 0);
    this.states.set(guildId, state);
    this.discardLater(guildId, state);
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
    if (stored > this.maxMembers) throw tooManyMembers(`This server has ${count(stored, 'member')}`, this.maxMembers);
    const { checked } = this.of(guildId);
    if (checked?.id !== id || this.receiving.has(guildId))
      throw new InvalidInputError('There is no file: upload it again');
    if (this.loads.size >= MAX_AT_ONCE) throw new InvalidInputError(TOO_MANY);
    const run: ImportRun = {
      ...{ name: checked.name, ...how, notes: [], members: 0, share: 0 },
      ...{ refused: [], repeated: [], avatars: [], refusedCsv: '', isComplete: false },
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
