import { InvalidInputError } from '../../core/errors.ts';

/** Files that are received, and loads that run, each at the same time. */
export const MAX_AT_ONCE = 20;
/** What a person is told when all places are taken. */
export const TOO_MANY = 'Too many imports run: try again in some minutes';

/** Files that come, or are read for the first time. */
export interface Receiving {
  /** Says that the place is needed for others, which only happens while the files come. */
  readonly signal: AbortSignal;
  /** Keeps the place from now on: the files are there. */
  received(): void;
}

/** A place for files. */
interface Place extends Receiving {
  readonly since: number;
  /** Only while the files come. */
  cut: (() => void) | undefined;
}

/** The files that guilds send at this moment, of each guild once. */
export class ReceivingFiles {
  private readonly places = new Map<string, Place>();

  /** @param slowMs files that have been coming for longer give their place to those of another guild, when all are taken. */
  constructor(private readonly slowMs: number) {}

  has(guildId: string): boolean {
    return this.places.has(guildId);
  }

  /** Gives a guild a place. If all places are taken, the slowest files lose theirs. @throws InvalidInputError when no files are slow. */
  begin(guildId: string): Receiving {
    if (this.places.size >= MAX_AT_ONCE && !this.cutSlowest()) throw new InvalidInputError(TOO_MANY);
    const controller = new AbortController();
    const place: Place = {
      signal: controller.signal,
      since: performance.now(),
      cut: () => controller.abort(),
      received() {
        place.cut = undefined;
      },
    };
    this.places.set(guildId, place);
    return place;
  }

  /** Gives the place back, unless other files have it by now. */
  end(guildId: string, receiving: Receiving): void {
    if (this.places.get(guildId) === receiving) this.places.delete(guildId);
  }

  /** Takes the place of the files that have been coming for longest, if they are slow. @returns whether there was one. */
  private cutSlowest(): boolean {
    // They are in the order in which they began.
    const slowest = [...this.places].find(([, { since, cut }]) => cut && performance.now() - since >= this.slowMs);
    if (!slowest) return false;
    const [guildId, { cut }] = slowest;
    this.places.delete(guildId);
    cut?.();
    return true;
  }
}
