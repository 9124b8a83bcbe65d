import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInputError } from '../../core/errors.ts';
import { withNoun } from '../../core/format-numbers.ts';
import { countStored } from '../../core/guilds/overview.ts';
import type { FieldMap } from '../../imports/fields.ts';
import type { ImportTarget } from '../../imports/import-job.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type HowToImport, type ImportRun, importFiles } from './import-files.ts';
import { type ImportChoice, shortened } from './read-files.ts';
import { MAX_AT_ONCE, ReceivingFiles, TOO_MANY } from './receiving-files.ts';
import {
  type CheckedImport,
  checkImport,
  tooManyMembers,
  type UnreadImport,
  type WaitingFiles,
} from './waiting-files.ts';

/** Milliseconds for which a checked file, or the result of an import, is kept. */
const KEPT_MS = 30 * 60_000;
/** If all slots are taken, a file that has been arriving for longer than this gives its slot to the file of another guild. */
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

/** The answer of a person to the question about a file: which field is which, or which of its guilds to import. */
type FileAnswer = { readonly map: FieldMap } | { readonly sourceGuild: string };

/** Returns the choice of the person together with the answer. */
function answered({ choice, questioned }: UnreadImport, answer: FileAnswer): ImportChoice {
  if ('sourceGuild' in answer) return { ...choice, ...answer };
  const files = choice.files.map((each, index) => (questioned.includes(index) ? { ...each, ...answer } : each));
  return { ...choice, files };
}

const waitingOf = ({ checked, unread }: State): WaitingFiles | undefined => checked ?? unread;

/** Deletes files that exist. */
async function remove(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => rm(path, { force: true })));
}

/** The imports of the guilds, one import of a guild at a time, from the upload of the files to the end of the import. The files are temporary. */
export class GuildImports {
  private readonly states = new Map<string, State>();
  private readonly receiving: ReceivingFiles;
  private readonly running = new Set<Promise<unknown>>();
  private folder: string | undefined;

  constructor(
    private readonly target: ImportTarget,
    /** Most members of a file, and most members of a guild to which a file may be added, because owners share the Redis of the bot. */
    private readonly maxMembers: number,
    private readonly maxWaitingBytes = MAX_WAITING_BYTES,
    slowMs = SLOW_MS,
  ) {
    this.receiving = new ReceivingFiles(slowMs);
  }

  /** Returns the files that wait for an answer or for their import, or the import that runs or ran last. */
  of(guildId: string): Pick<State, 'unread' | 'checked' | 'run'> {
    return this.states.get(guildId) ?? {};
  }

  /** Whether an import of the guild runs. */
  isRunning(guildId: string): boolean {
    const { run } = this.of(guildId);
    return run !== undefined && run.summary === undefined;
  }

  /**
   * Receives files, reads them once, and keeps them for {@link start}, or for {@link answer}. Writes nothing to the guild.
   * @param receive writes the files to paths that it asks for, and returns the choices of the person. It must fail when its signal is aborted.
   * @throws InvalidInputError when the files cannot be read, an import of the guild runs, or too many imports run. The files are then deleted.
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
   * Reads the files again with the answer of a person to the question about them.
   * @param id of the files that the person has seen.
   * @param answer the names of the fields of the file in question, or the guild whose members are imported.
   * @throws InvalidInputError when these files are gone, or cannot be read with this answer. In the second case they are kept.
   */
  async answer(guildId: string, id: string, answer: FileAnswer): Promise<void> {
    await this.dropOld(guildId);
    const { unread } = this.of(guildId);
    if (unread?.id !== id) throw new InvalidInputError('These files are gone: upload them again');
    const state = await checkImport(this.target, guildId, answered(unread, answer), this.maxMembers);
    if (this.of(guildId).unread !== unread) throw new InvalidInputError('These files are gone: upload them again');
    this.states.set(guildId, state);
    this.discardLater(guildId, state);
  }

  /**
   * Turns checked files into files with the question which field is which, so that a person can choose other fields. Reads nothing.
   * @param id of the checked files that the person has seen.
   * @param reading number of the reading of the fields, from 0.
   * @throws InvalidInputError when these files are gone.
   */
  async askFields(guildId: string, id: string, reading: number): Promise<void> {
    await this.dropOld(guildId);
    const { checked } = this.of(guildId);
    const chosen = checked?.readings[reading];
    if (checked?.id !== id || !chosen) throw new InvalidInputError('These files are gone: upload them again');
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

  /** Drops waiting files if all sessions of the guild were ended since, because the guild can have another owner now. One round trip. */
  async dropOld(guildId: string): Promise<void> {
    const waiting = waitingOf(this.of(guildId));
    if (waiting && waiting.generation !== (await this.target.client.get(this.sessionsKey(guildId))))
      await this.discard(guildId);
  }

  /** Drops the files that have waited longest, until there is room for this number of bytes. */
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

  /** Drops the waiting files, or the import that has ended. */
  async discard(guildId: string): Promise<void> {
    if (this.isRunning(guildId)) return;
    const { checked, unread } = this.of(guildId);
    this.states.delete(guildId);
    await remove((checked ?? unread?.choice)?.files.map(({ path }) => path) ?? []);
  }

  /** Drops files that nobody imports, or an import that has ended, after {@link KEPT_MS}. */
  private discardLater(guildId: string, kept: State): void {
    setTimeout(() => {
      const { unread, checked, run } = this.of(guildId);
      if (unread === kept.unread && checked === kept.checked && run === kept.run) void this.discard(guildId);
    }, KEPT_MS).unref();
  }

  /**
   * Starts to import the checked files. Two round trips.
   * @param id of the checked files that the person has seen.
   * @param onEnd called with the last line of the import.
   * @throws InvalidInputError when these files are gone, too many imports run, or the guild has too many members already.
   */
  async start(
    guildId: string,
    id: string,
    how: HowToImport,
    onEnd: (summary: string) => Promise<unknown>,
  ): Promise<void> {
    await this.dropOld(guildId);
    const stored = how.replace ? 0 : await countStored(this.target, guildId);
    if (stored > this.maxMembers)
      throw tooManyMembers(`This server has ${withNoun(stored, 'member')}`, this.maxMembers);
    const { checked } = this.of(guildId);
    if (checked?.id !== id || this.receiving.has(guildId))
      throw new InvalidInputError('These files are gone: upload them again');
    if (this.running.size >= MAX_AT_ONCE) throw new InvalidInputError(TOO_MANY);
    const run: ImportRun = {
      name: checked.name,
      ...how,
      notes: [],
      members: 0,
      share: 0,
      refused: [],
      repeated: [],
      avatars: [],
      refusedCsv: '',
      isComplete: false,
    };
    const controller = new AbortController();
    this.states.set(guildId, { run, stop: () => controller.abort() });
    const running = importFiles(this.target, guildId, checked, run, controller.signal, this.maxMembers)
      .then(onEnd)
      .catch(() => {}) // An error of `onEnd` changes nothing: the import is done, and the page shows its last line.
      .finally(() => {
        if (this.of(guildId).run === run) this.states.set(guildId, { run });
        this.discardLater(guildId, { run });
        this.running.delete(running);
        return remove(checked.files.map(({ path }) => path));
      });
    this.running.add(running);
  }

  /** Stops all imports, and waits until they have ended. */
  async end(): Promise<void> {
    for (const { stop } of this.states.values()) stop?.();
    await Promise.all(this.running);
  }

  /** Asks the running import to stop. A replacement that is already putting its members in place still finishes. */
  stop(guildId: string): void {
    this.states.get(guildId)?.stop?.();
  }
}
