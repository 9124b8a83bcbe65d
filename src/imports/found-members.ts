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
  private readonly byPlace = new Map<string, FoundList>();
  /** The settings outside the members, by their names in the file. In a file with several guilds, the name is `guild.name`. */
  readonly settings = new Map<string, unknown>();
  /** Places of arrays and objects, including empty arrays and objects. */
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

  /** Returns the list at a place, and creates the list when the place is new; undefined when the file has too many lists. */
  list(place: string): FoundList | undefined {
    const found = this.byPlace.get(place);
    if (found) return found;
    this.isCutOff = this.byPlace.size >= MAX_LISTS;
    if (this.isCutOff) return undefined;
    const created = new FoundList(place, this.guildField);
    this.byPlace.set(place, created);
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

  /** Records that an array or object at a place has ended. @param isFilled whether it contained a value. */
  container(place: string, kind: 'array' | 'object', isFilled: boolean): void {
    const before = this.containers.get(place);
    if (before) before.isFilled ||= isFilled;
    else if (this.containers.size < MAX_LISTS) this.containers.set(place, { kind, isFilled });
  }

  /** Whether there are arrays or objects at a place, and all of them are empty. */
  isEmptyAt(place: string, kind: 'array' | 'object'): boolean {
    const container = this.containers.get(place);
    return container?.kind === kind && !container.isFilled;
  }

  /** Whether the arrays at a place contain values, but no objects. */
  hasValuesAt(place: string): boolean {
    const container = this.containers.get(place);
    return container?.kind === 'array' && container.isFilled && !this.byPlace.has(`${place}.*`);
  }

  /** Returns the list at a place; undefined when nothing was found there. */
  at(place: string): FoundList | undefined {
    return this.byPlace.get(place);
  }

  /** All lists of the file, in the order in which they begin. */
  get lists(): readonly FoundList[] {
    return [...this.byPlace.values()];
  }
}
