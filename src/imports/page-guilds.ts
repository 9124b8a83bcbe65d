/** Stretches of pages of the same guild that are kept. Members one after the other, each with a guild, would be many: their rows tell it. */
const MAX_STRETCHES = 10_000;

/** Pages one after the other that say the same of their guild. */
interface Stretch {
  readonly pages: number;
  /** What they say, by the names of their fields. */
  readonly guilds: ReadonlyMap<string, string>;
}

/** What each page of a file says of its guild, in the order of the pages. Takes memory for changes of the guild alone. */
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

  /** Returns a function that gives the guild of each next page. @param field that names it. */
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
