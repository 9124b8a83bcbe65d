/** Most stretches that are kept. Documents that are single members may have more, but then each member names its guild itself. */
const MAX_STRETCHES = 10_000;

/** Consecutive pages that name the same guild. */
interface Stretch {
  readonly pages: number;
  /** The fields that can name their guild, with their values. */
  readonly guilds: ReadonlyMap<string, string>;
}

/** The guild that each page of a file names, in the order of the pages. The memory grows with the changes of the guild, not with the pages. */
export class PageGuilds {
  private readonly stretches: { pages: number; readonly guilds: ReadonlyMap<string, string> }[] = [];
  /** Whether there are more stretches than are kept. */
  isCutOff = false;

  /** Takes the next page. @param guilds the fields that can name its guild, with their values. O(fields). */
  add(guilds: ReadonlyMap<string, string>): void {
    const last = this.stretches.at(-1);
    if (last && haveSameValues(last.guilds, guilds)) last.pages++;
    else if (this.stretches.length < MAX_STRETCHES) this.stretches.push({ pages: 1, guilds });
    else this.isCutOff = true;
  }

  /** Returns a function that returns the guild of the next page each time; "" for a page without a guild. @param field that names the guild. */
  inOrder(field: string): () => string {
    const stretches: readonly Stretch[] = this.stretches;
    let stretch = 0;
    let page = 0;
    return () => {
      if (page >= (stretches[stretch]?.pages ?? 0)) {
        stretch++;
        page = 0;
      }
      page++;
      return stretches[stretch]?.guilds.get(field) ?? '';
    };
  }
}

function haveSameValues(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([name, value]) => other.get(name) === value);
}
