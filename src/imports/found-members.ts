import { FoundList } from './found-list.ts';
import { PageGuilds } from './page-guilds.ts';

/** What a file was found to have: its lists of objects, with the fields of each. */

/** Different lists that are told apart. Each file that a person exports has fewer. */
const MAX_LISTS = 200;

/** Names of the id of a document. */
export const DOCUMENT_IDS = ['_id', 'id'] as const;

/** A page that says its number. */
export interface NumberedPage {
  readonly page: number;
  readonly members: number;
  /** The fields that can name its guild, with their values. */
  readonly guilds: ReadonlyMap<string, string>;
}

/** All that one file was found to have. */
export class FoundMembers {
  private readonly byPlace = new Map<string, FoundList>();
  /** The settings beside the members, by the names in the file. Those of a guild in a file of several: by `guild.name`. */
  readonly settings = new Map<string, unknown>();
  /** Places of arrays and of other objects, also of empty ones. */
  private readonly containers = new Map<string, { readonly kind: 'array' | 'object'; isFilled: boolean }>();
  /** Whether it has more lists than are told apart. */
  isCutOff = false;
  /** What documents say of themselves, outside their lists. */
  readonly document: FoundList;
  /** The numbers that pages say of themselves, and the members of each. */
  readonly pages: NumberedPage[] = [];
  /** What each page says of its guild. */
  readonly pageGuilds = new PageGuilds();

  /** @param guildField the field that a person names as that of the guild. */
  constructor(private readonly guildField?: string) {
    this.document = new FoundList('', guildField, DOCUMENT_IDS);
  }

  list(place: string): FoundList | undefined {
    const found = this.byPlace.get(place);
    if (found) return found;
    this.isCutOff = this.byPlace.size >= MAX_LISTS;
    if (this.isCutOff) return undefined;
    const created = new FoundList(place, this.guildField);
    this.byPlace.set(place, created);
    return created;
  }

  /** Forgets the settings, of which nobody knows whose they are. @returns whether there were any, but for what a page says of itself. */
  dropSettings(): boolean {
    const names = [...this.settings.keys()].filter((name) => name !== 'guild' && name !== 'page');
    this.settings.clear();
    return names.length > 0;
  }

  /** Takes an array or object that has ended, by its place. @param isFilled whether it has values. */
  container(place: string, kind: 'array' | 'object', isFilled: boolean): void {
    const before = this.containers.get(place);
    if (before) before.isFilled ||= isFilled;
    else if (this.containers.size < MAX_LISTS) this.containers.set(place, { kind, isFilled });
  }

  /** Whether there are arrays or objects at a place, with nothing in any of them. */
  isEmptyAt(place: string, kind: 'array' | 'object'): boolean {
    const container = this.containers.get(place);
    return container?.kind === kind && !container.isFilled;
  }

  /** Whether there is an array at a place that has values, and no objects. */
  hasValuesAt(place: string): boolean {
    const container = this.containers.get(place);
    return container?.kind === 'array' && container.isFilled && !this.byPlace.has(`${place}.*`);
  }

  at(place: string): FoundList | undefined {
    return this.byPlace.get(place);
  }

  get lists(): readonly FoundList[] {
    return [...this.byPlace.values()];
  }
}
