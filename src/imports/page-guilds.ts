import { ownText } from './own-text.ts';

/** Most stretches that are kept. Documents that are single members may have more, but then each member names its guild itself. */
const MAX_STRETCHES = 10_000;

const NO_GUILDS: ReadonlyMap<string, string> = new Map();

/** Consecutive pages that name the same guild. */
interface Stretch {
  pages: number;
  /** The fields that can name their guild, with their values. */
  readonly guilds: ReadonlyMap<string, string>;
}

/** The guild that each page of a file names, in the order of the pages. The memory grows with the changes of the guild, not with the pages. */
export class PageGuilds {
  private readonly stretches: Stretch[] = [];
  /** Whether there are more stretches than are kept. */
  isCutOff = false;

  /**
   * Takes the next page. @param guilds the fields that can name its guild, with their values. O(fields).
   * @returns the same fields and values as they are kept: pages of one stretch share them.
   */
  add(guilds: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    const last = this.stretches.at(-1);
    if (last && haveSameValues(last.guilds, guilds)) {
      last.pages++;
      return last.guilds;
    }
    this.isCutOff ||= this.stretches.length === MAX_STRETCHES;
    if (this.isCutOff) return NO_GUILDS;
    const kept = new Map([...guilds].map(([name, value]) => [name, ownText(value)]));
    this.stretches.push({ pages: 1, guilds: kept });
    return kept;
  }

  /** Returns a function that returns the guild of the next page each time; "" for a page without a guild. @param field that names the guild. */
  inOrder(field: string): () => string {
    const { stretches } = this;
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

/** Whether two maps have the same names with the same values. */
function haveSameValues(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([name, value]) => other.get(name) === value);
}
