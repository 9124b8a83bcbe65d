import { type GuildAbout, type GuildChannel, type GuildRole, readAbout } from '../../core/guilds/description.ts';
import type { ClientStore } from '../../core/store/store.ts';
import { visibleName } from '../shown-server.ts';

/** A role or a channel, as pages show it. */
export interface Named {
  readonly id: string;
  /** Its name, or its id if the bot has told no name. Among roles or channels with names, words before the id say that it is unknown. */
  readonly name: string;
  /** "#rrggbb" of a role; null for a role without a colour, and for a channel. */
  readonly colour: string | null;
  /** Whether the bot has told this role or channel. Rules can name a role or channel that was deleted since. */
  readonly isTold: boolean;
}

/** Channels that stand below one category. */
export interface ChannelGroup {
  /** The name of the category; "" for channels without a category. */
  readonly label: string;
  readonly channels: readonly Named[];
}

/** The roles and channels of a guild to choose from. Without what the bot tells, all lists are empty. */
export interface Choices {
  /** The highest role first. */
  readonly roles: readonly Named[];
  readonly groups: readonly ChannelGroup[];
  /** Returns a role by its id, even if the bot has not told the role. */
  role(id: string): Named;
  /** Returns a channel or category by its id, even if the bot has not told it. */
  channel(id: string): Named;
  /** Returns the category of a channel; undefined for a channel without a category. */
  parentOf(channelId: string): string | undefined;
}

/** Discord's numbers of the kinds of channels that are told apart here. */
const CATEGORY = 4;
const VOICE_KINDS = [2, 13];

/** Reads the roles and channels of a guild. O(their bytes), one round trip. @throws StoreUnavailableError */
export async function readChoices(store: ClientStore, guildId: string): Promise<Choices> {
  return choicesOf(await readAbout(store, guildId));
}

/** Returns the roles and channels to choose from. @param about what the bot has told; null for nothing. */
export function choicesOf(about: GuildAbout | null): Choices {
  const { roles = [], channels = [] } = about ?? {};
  const shownRoles = new Map(roles.map((role) => [role.id, shownRole(role)]));
  const shownChannels = new Map(channels.map((channel) => [channel.id, shownChannel(channel)]));
  const parents = new Map(channels.map(({ id, parent }) => [id, parent ?? undefined]));
  const sorted = [...roles].sort((a, b) => b.position - a.position);
  return {
    roles: sorted.map(shownRole),
    groups: groupsOf(channels),
    role: (id) => shownRoles.get(id) ?? untold(id, roles.length > 0 ? 'Unknown role ' : ''),
    channel: (id) => shownChannels.get(id) ?? untold(id, channels.length > 0 ? 'Unknown channel ' : ''),
    parentOf: (channelId) => parents.get(channelId),
  };
}

/**
 * Returns the channels by their categories. The first choice of a category is the category itself: rules for a category count for all its channels.
 */
function groupsOf(channels: readonly GuildChannel[]): ChannelGroup[] {
  const categories = channels.filter(({ type }) => type === CATEGORY);
  const known = new Set(categories.map(({ id }) => id));
  const others = channels.filter(({ type }) => type !== CATEGORY);
  const loose = others.filter(({ parent }) => parent === null || !known.has(parent));
  const groups = categories.map((category) => ({
    label: visibleName(category.name, category.id),
    channels: [category, ...others.filter(({ parent }) => parent === category.id)].map(shownChannel),
  }));
  return [...(loose.length > 0 ? [{ label: '', channels: loose.map(shownChannel) }] : []), ...groups];
}

function shownRole({ id, name, color }: GuildRole): Named {
  const colour = color === 0 ? null : `#${color.toString(16).padStart(6, '0')}`;
  return { id, name: visibleName(name, id), colour, isTold: true };
}

function shownChannel({ id, name, type }: GuildChannel): Named {
  const visible = visibleName(name, id);
  const place = VOICE_KINDS.includes(type) ? `${visible} (voice)` : `#${visible}`;
  return { id, name: type === CATEGORY ? `All of ${visible}` : place, colour: null, isTold: true };
}

/** Returns a role or a channel that the bot has not told. @param words stand before its id. */
function untold(id: string, words: string): Named {
  return { id, name: words + id, colour: null, isTold: false };
}
