import { InvalidInputError } from '../../core/errors.ts';

/** Most uploads at once, and most imports at once. */
export const MAX_AT_ONCE = 20;
/** What a person is told when all places are taken. */
export const TOO_MANY = 'Too many imports run: try again in some minutes';

/** Files that are being uploaded, or read for the first time. */
interface Receiving {
  /** Aborted when the place is needed for other files, which only happens during the upload. */
  readonly signal: AbortSignal;
  /** Says that the upload is complete. From now on the place is safe. */
  received(): void;
}

/** A place for the files of a guild. */
interface UploadPlace extends Receiving {
  readonly since: number;
  /** Takes the place away; undefined once the upload is complete. */
  cut: (() => void) | undefined;
}

/** The uploads of guilds at this moment, at most one of each guild. */
export class ReceivingFiles {
  private readonly places = new Map<string, UploadPlace>();

  /** @param slowMs an upload that takes longer gives its place to another guild when all places are taken. */
  constructor(private readonly slowMs: number) {}

  /** Whether the guild has a place. */
  has(guildId: string): boolean {
    return this.places.has(guildId);
  }

  /** Gives a guild a place. If all places are taken, the slowest upload loses its place. @throws InvalidInputError when no upload is slow. */
  begin(guildId: string): Receiving {
    if (this.places.size >= MAX_AT_ONCE && !this.cutSlowest()) throw new InvalidInputError(TOO_MANY);
    const controller = new AbortController();
    const place: UploadPlace = {
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

  /** Gives the place back, unless another upload has it by now. */
  end(guildId: string, receiving: Receiving): void {
    if (this.places.get(guildId) === receiving) this.places.delete(guildId);
  }

  /** Takes the place of the upload that has lasted longest, if it is slow. @returns whether there was a slow upload. */
  private cutSlowest(): boolean {
    // The uploads are in the order in which they began.
    const slowest = [...this.places].find(([, { since, cut }]) => cut && performance.now() - since >= this.slowMs);
    if (!slowest) return false;
    const [guildId, { cut }] = slowest;
    this.places.delete(guildId);
    cut?.();
    return true;
  }
}
