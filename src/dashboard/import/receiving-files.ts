import { InvalidInputError } from '../../core/errors.ts';

/** Most uploads at once, and most imports at once. */
export const MAX_AT_ONCE = 20;
/** What a person is told when all slots are taken. */
export const TOO_MANY = 'Too many imports run: try again in some minutes';

/** Files that are being uploaded, or read for the first time. */
interface Receiving {
  /** Aborted when the slot is needed for other files, which only happens during the upload. */
  readonly signal: AbortSignal;
  /** Says that the upload is complete. From now on the slot is safe. */
  received(): void;
}

/** A slot for the files of a guild. */
interface UploadSlot extends Receiving {
  readonly since: number;
  /** Takes the slot away; undefined once the upload is complete. */
  cut: (() => void) | undefined;
}

/** The uploads of guilds at this moment, at most one of each guild. */
export class ReceivingFiles {
  private readonly slots = new Map<string, UploadSlot>();

  /** @param slowMs an upload that takes longer gives its slot to another guild when all slots are taken. */
  constructor(private readonly slowMs: number) {}

  /** Whether the guild has a slot. */
  has(guildId: string): boolean {
    return this.slots.has(guildId);
  }

  /** Gives a guild a slot. If all slots are taken, the slowest upload loses its slot. @throws InvalidInputError when no upload is slow. */
  begin(guildId: string): Receiving {
    if (this.slots.size >= MAX_AT_ONCE && !this.cutSlowest()) throw new InvalidInputError(TOO_MANY);
    const controller = new AbortController();
    const slot: UploadSlot = {
      signal: controller.signal,
      since: performance.now(),
      cut: () => controller.abort(),
      received() {
        slot.cut = undefined;
      },
    };
    this.slots.set(guildId, slot);
    return slot;
  }

  /** Gives the slot back, unless another upload has it by now. */
  end(guildId: string, receiving: Receiving): void {
    if (this.slots.get(guildId) === receiving) this.slots.delete(guildId);
  }

  /** Takes the slot of the upload that has lasted longest, if it is slow. @returns whether there was a slow upload. */
  private cutSlowest(): boolean {
    // The uploads are in the order in which they began.
    const slowest = [...this.slots].find(([, { since, cut }]) => cut && performance.now() - since >= this.slowMs);
    if (!slowest) return false;
    const [guildId, { cut }] = slowest;
    this.slots.delete(guildId);
    cut?.();
    return true;
  }
}
