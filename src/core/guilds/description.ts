import * as z from 'zod';
import { ID_PATTERN } from '../ranking/model.ts';
import { isPictureHash } from '../ranking/picture-hash.ts';
import type { ClientStore } from '../store/store.ts';
import { BOUNDS, isAbove, MAX_ABOUT_BYTES } from '../text-bounds.ts';

/** A role of a guild. */
export interface GuildRole {
  readonly id: string;
  /** 100 characters at most. */
  readonly name: string;
  /** As 0xrrggbb; 0 for a role without a colour. */
  readonly color: number;
  /** The role with the greatest position stands at the top. */
  readonly position: number;
}

/** A channel of a guild. */
export interface GuildChannel {
  readonly id: string;
  /** 100 characters at most. */
  readonly name: string;
  /** Discord's number of its kind: 0 for text, 2 for voice, 4 for a category, and so on. */
  readonly type: number;
  /** Id of the category that the channel stands in; null for a channel without a category. */
  readonly parent: string | null;
}

/** What the bot has told of a guild. Where a name is missing, a page shows the id instead. */
export interface GuildAbout {
  readonly name: string | null;
  /** Discord's hash of the icon. */
  readonly icon: string | null;
  readonly roles: readonly GuildRole[];
  /** In the order in which they should be shown. */
  readonly channels: readonly GuildChannel[];
}

const id = z.string().regex(ID_PATTERN);
// Other programs can have stored a longer name.
const name = z.string().refine((text) => !isAbove(text, BOUNDS.guildName.bytes));
const role = z.object({ id, name, color: z.int().min(0).max(0xffffff), position: z.int() });
const channel = z.object({ id, name, type: z.int(), parent: id.nullable() });

/**
 * Reads what the bot has told of a guild. O(its bytes), 256 kB at most; one round trip.
 * @returns null if the guild was never described. A value that no kit has stored is left out, and so is an unfit entry of a list.
 * @throws StoreUnavailableError
 */
export async function readAbout({ client, redisKeys }: ClientStore, guildId: string): Promise<GuildAbout | null> {
  const [name, icon, roles, channels] = await client.hmget(
    redisKeys.guild(guildId).about,
    'name',
    'icon',
    'roles',
    'channels',
  );
  const about = {
    ...labelOf(name, icon),
    roles: entriesOf(role, roles),
    channels: entriesOf(channel, channels),
  };
  const isDescribed = about.name !== null || about.icon !== null || about.roles.length + about.channels.length > 0;
  return isDescribed ? about : null;
}

/** Name and icon of a guild. */
export type GuildLabel = Pick<GuildAbout, 'name' | 'icon'>;

/**
 * Reads names and icons of guilds, for a list of them. O(n); one command for each guild, sent together.
 * @returns a name and an icon for each id, in the order of the ids, with null for what the bot has not told.
 * @throws StoreUnavailableError
 */
export function readLabels({ client, redisKeys }: ClientStore, guildIds: readonly string[]): Promise<GuildLabel[]> {
  const labels = guildIds.map(async (guildId) => {
    const [name, icon] = await client.hmget(redisKeys.guild(guildId).about, 'name', 'icon');
    return labelOf(name, icon);
  });
  return Promise.all(labels);
}

/** Returns name and icon of a guild as they are stored. A text that is no hash counts as no icon. */
export function labelOf(name: string | null | undefined, icon: string | null | undefined): GuildLabel {
  // Other programs can have stored a longer name.
  const isName = name && !isAbove(name, BOUNDS.guildName.bytes);
  return { name: isName ? name : null, icon: isPictureHash(icon) ? icon : null };
}

/** Returns the entries of a stored list that are as a kit stores them. */
function entriesOf<Entry>(schema: z.ZodType<Entry>, text: string | null | undefined): Entry[] {
  const list = text && text.length <= MAX_ABOUT_BYTES ? parsed(text) : [];
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const { success, data } = schema.safeParse(entry);
    return success ? [data] : [];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return [];
  }
}

/** Returns the roles of a stored list. */
export function rolesIn(text: string): readonly GuildRole[] {
  return entriesOf(role, text);
}

/** Returns the channels of a stored list. */
export function channelsIn(text: string): readonly GuildChannel[] {
  return entriesOf(channel, text);
}
