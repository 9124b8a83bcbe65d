import { FoundList } from './found-list.ts';
import { PageGuilds } from './page-guilds.ts';

/** What the inspection of a file found: its lists of objects, with the fields of each. */

/** Most lists that are recorded. Real exports have fewer. */
const MAX_LISTS = 200;

/** Names of the id of a document. */
export const DOCUMENT_IDS = ['_id', 'id'] as const;

/** A page that names its number. */
export interface NumberedPage {
  readonly page: number;
  readonly members: number;
  /** The fields that can name its guild, with their values. */
  readonly guilds: ReadonlyMap<string, string>;
}

/** Everything that the inspection of one file found. */
export class FoundMembers {
  private readonly byPath = new Map<string, FoundList>();
  /** The settings outside the members, by their names in the file. In a file with several guilds, the name is `guild.name`. */
  readonly settings = new Map<string, unknown>();
  /** Paths of arrays and objects, including empty arrays and objects. */
  private readonly containers = new Map<string, { readonly kind: 'array' | 'object'; isFilled: boolean }>();
  /** Whether the file has more lists than are recorded. */
  isCutOff = false;
  /** The fields of the documents themselves, outside their lists. */
  readonly document: FoundList;
  /** The pages that name their number, with the number of members of each. */
  readonly pages: NumberedPage[] = [];
  /** The fields of each page that can name its guild. */
  readonly pageGuilds = new PageGuilds();

  /** @param guildField the field that has the guild, if a person names it. */
  constructor(private readonly guildField?: string) {
    this.document = new FoundList('', guildField, DOCUMENT_IDS);
  }

  /** Returns the list at a path, and creates the list when the path is new; undefined when the file has too many lists. */
  list(path: string): FoundList | undefined {
    const found = this.byPath.get(path);
    if (found) return found;
    this.isCutOff = this.byPath.size >= MAX_LISTS;
    if (this.isCutOff) return undefined;
    const created = new FoundList(path, this.guildField);
    this.byPath.set(path, created);
    return created;
  }

  /**
   * Forgets the settings: in pages of several guilds, nothing tells which guild has set them.
   * @returns whether there were settings other than the guild and the number of a page.
   */
  dropSettings(): boolean {
    const names = [...this.settings.keys()].filter((name) => name !== 'guild' && name !== 'page');
    this.settings.clear();
    return names.length > 0;
  }

  /** Records that an array or object at a path has ended. @param isFilled whether it contained a value. */
  container(path: string, kind: 'array' | 'object', isFilled: boolean): void {
    const before = this.containers.get(path);
    if (before) before.isFilled ||= isFilled;
    else if (this.containers.size < MAX_LISTS) this.containers.set(path, { kind, isFilled });
  }

  /** Whether there are arrays or objects at a path, and all of them are empty. */
  isEmptyAt(path: string, kind: 'array' | 'object'): boolean {
    const container = this.containers.get(path);
    return container?.kind === kind && !container.isFilled;
  }

  /** Whether the arrays at a path contain values, but no objects. */
  hasValuesAt(path: string): boolean {
    const container = this.containers.get(path);
    return container?.kind === 'array' && container.isFilled && !this.byPath.has(`${path}.*`);
  }

  /** Returns the list at a path; undefined when nothing was found there. */
  at(path: string): FoundList | undefined {
    return this.byPath.get(path);
  }

  /** All lists of the file, in the order in which they begin. */
  get lists(): readonly FoundList[] {
    return [...this.byPath.values()];
  }
}
