import { LRUCache } from 'lru-cache';
import { newToken } from '../../core/access/invites.ts';
import type { Core } from '../../core/core.ts';
import { InvalidInputError, RefusedError, StoreUnavailableError } from '../../core/errors.ts';
import { correctMembers } from '../../core/members/correct.ts';
import { Problems } from '../../imports/problems.ts';
import { inTurn } from '../one-at-a-time.ts';
import { messageForPerson } from '../sentences.ts';
import { type PreviewedList, previewList } from './preview-list.ts';
import { type ReadList, readList } from './read-list.ts';

/** Milliseconds for which a list is kept. Redis recognises a repeat of its changes for longer. */
const KEPT_MS = 30 * 60_000;
/** About how many bytes all kept lists may take, and a change takes without its texts. */
const MAX_BYTES = 64 * 1024 * 1024;
const CHANGE_BYTES = 500;
/** About how many bytes a character takes, because it is in the text that was read and in the texts that the list keeps. */
const CHARACTER_BYTES = 4;

/** The changes of a file, from its check to the end of its run. */
export interface CorrectionList extends Pick<ReadList, 'notes'> {
  /** The id of its corrections. */
  readonly id: string;
  /** Name of the file. */
  readonly name: string;
  /** Lines that are left out, with their reasons, and the same as CSV. */
  readonly problems: readonly string[];
  readonly refused: string;
  readonly preview: PreviewedList;
  /** The values that the changes replace, at the check or just before the run. They are a CSV file that restores them as a list of changes. */
  earlier: string;
  run?: ListRun;
}

/** A run of a list that has begun. */
export interface ListRun {
  /** How many members of the list are done. */
  done: number;
  /** How many of them were removed since the check. */
  passedOver: number;
  /** Why the other members are not done; "" when all are done. */
  problem: string;
}

/**
 * The lists of changes that wait or have run, at most one for each owner. An owner is a text, such as the id of a session. The lists are in the
 * memory of this process.
 */
export class CorrectionLists {
  private readonly lists = new LRUCache<string, CorrectionList>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ preview, earlier, refused }) =>
      CHANGE_BYTES * (preview.corrections.length + 1) + CHARACTER_BYTES * (earlier.length + refused.length),
    ttl: KEPT_MS,
    ttlAutopurge: true,
  });
  /** The text of one file at a time is in memory. */
  private readonly readInTurn = inTurn();
  private readonly runInTurn = inTurn();

  constructor(private readonly core: Core) {}

  /** Returns the list of an owner; undefined for an owner without a list. */
  of(owner: string): CorrectionList | undefined {
    return this.lists.get(owner);
  }

  /** Drops the list of an owner. */
  discard(owner: string): void {
    this.lists.delete(owner);
  }

  /**
   * Reads a file, compares it with the members, and keeps it for {@link run}. Changes nothing. A round trip for each 250 members.
   * @throws InvalidInputError for a file that is no list of changes, and StoreUnavailableError.
   */
  async add(owner: string, guildId: string, path: string, name: string): Promise<void> {
    const { problems, notes, refused, ...read } = await this.readInTurn('all', () => readList(path, name));
    const preview = await previewList(this.core, guildId, { ...read, problems }, name);
    this.lists.set(owner, {
      id: newToken(),
      name,
      notes,
      preview,
      earlier: preview.earlier,
      problems: problems.lines(),
      refused: refused(),
    });
  }

  /**
   * Runs the list of an owner, or goes on where the run has stopped. Does nothing for a list that is done. One script call for each 200 members.
   * @param id of the list that the person has seen.
   * @param change is called with the list before the first change, and calls back to make the changes.
   * @throws InvalidInputError when the owner has a different list now, and everything that `change` throws.
   */
  async run(
    owner: string,
    guildId: string,
    id: string,
    change: (list: CorrectionList, make: () => Promise<ListRun>) => Promise<void>,
  ): Promise<void> {
    const list = this.of(owner);
    if (list?.id !== id)
      throw new InvalidInputError('This is not the file that was checked last: look at it, or choose it again');
    // A second press of the button waits for the first press, and finds the list done.
    await this.runInTurn(id, async () => {
      if (list.run?.problem === '') return;
      await change(list, () => this.make(guildId, list));
    });
  }

  private async make(guildId: string, list: CorrectionList): Promise<ListRun> {
    const { id, name, preview } = list;
    const { corrections } = preview;
    // If a list goes on after a stop, it keeps the earlier values from before its first run.
    if (!list.run) {
      const present = await previewList(this.core, guildId, { corrections, problems: new Problems() }, name);
      list.earlier = present.earlier;
    }
    const run: ListRun = { done: 0, passedOver: 0, problem: 'The changes have not ended yet: load this page again' };
    list.run = run;
    try {
      run.passedOver = await correctMembers(this.core, guildId, id, corrections, (done) => {
        run.done = done;
      });
      run.problem = '';
    } catch (error) {
      run.problem = problemOfRun(error, preview);
    }
    return run;
  }
}

/** Returns why a run has stopped. @throws the error itself if it is neither about the data nor about Redis. */
function problemOfRun(error: unknown, { corrections }: PreviewedList): string {
  if (error instanceof StoreUnavailableError) return 'The database does not answer';
  const problem = messageForPerson(error);
  if (problem === undefined) throw error;
  const line =
    error instanceof RefusedError && 'index' in error.params ? corrections[error.params.index]?.line : undefined;
  return line === undefined ? problem : `Line ${line}: ${problem}`;
}
