import { checkFields, checkGuildAndUsers, checkList, checkText, wholeText } from '../check-fields.ts';
import { InvalidInputError, shownText } from '../errors.ts';
import { ID_PATTERN } from '../ranking/model.ts';
import { isPictureHash, PICTURE_HASH_RULE } from '../ranking/picture-hash.ts';
import { defineScript, type ScriptReply } from '../store/script.ts';
import type { ScriptStore } from '../store/scripts.ts';
import { MAX_ABOUT_BYTES, MAX_ABOUT_NAME } from '../text-bounds.ts';
import type { GuildChannel, GuildRole } from './description.ts';

/** A checked description; "" for what the bot does not tell. */
interface DescriptionFields {
  readonly name: string;
  readonly icon: string;
  /** JSON. */
  readonly roles: string;
  /** JSON. */
  readonly channels: string;
}

/** Stores what a bot tells of its guild. It returns whether a page shows something else from now on. */
export const describeScript = defineScript({
  name: 'describe',
  keys: ['stats', 'about'],
  args: ({ name, icon, roles, channels }: DescriptionFields) => [name, icon, roles, channels],
  decode: ([, , isChanged]: ScriptReply) => isChanged === 1,
});

/** The names that a bot tells of its guild. A role or channel that is left out has no name, and shows as its id. */
export interface GuildDescription {
  /** 100 characters at most. */
  readonly name?: string;
  /** Discord's hash of the icon; null for a guild without an icon. */
  readonly icon?: string | null;
  /** 250 at most. */
  readonly roles?: readonly GuildRole[];
  /** 500 at most, in the order in which they should be shown. */
  readonly channels?: readonly GuildChannel[];
}

const MAX_ROLES = 250;
const MAX_CHANNELS = 500;
const MAX_COLOR = 0xffffff;
const MAX_POSITION = 2 ** 31 - 1;
const MAX_TYPE = 255;

/** Stores the description of a guild in place of the earlier description. @throws as GuildWriter.describeGuild. */
export async function describeGuild(
  { scripts, redisKeys }: ScriptStore,
  guildId: string,
  description: GuildDescription,
): Promise<boolean> {
  checkGuildAndUsers(guildId, []);
  return describeScript.run(scripts, redisKeys.guild(guildId), descriptionFields(description));
}

/** Returns the fields of a description. @throws InvalidInputError */
function descriptionFields(description: GuildDescription): DescriptionFields {
  checkFields(description, 'the description of a guild', ['name', 'icon', 'roles', 'channels']);
  const { name, icon = null, roles = [], channels = [] } = description;
  if (icon !== null && !isPictureHash(icon))
    throw new InvalidInputError(`icon must be ${PICTURE_HASH_RULE}, not ${shownText(icon)}`);
  const fields = {
    name: name === undefined ? '' : checkedName(name, 'name'),
    icon: icon ?? '',
    roles: listText('roles', roles, MAX_ROLES, roleOf),
    channels: listText('channels', channels, MAX_CHANNELS, channelOf),
  };
  const bytes = Object.values(fields).reduce((sum, field) => sum + Buffer.byteLength(field), 0);
  if (bytes > MAX_ABOUT_BYTES)
    throw new InvalidInputError(
      `name, icon, roles and channels have ${bytes} bytes in all, and the most is ${MAX_ABOUT_BYTES}: leave some roles or channels out`,
    );
  return fields;
}

/** Returns a list as JSON, "" for an empty list. @throws InvalidInputError */
function listText<Entry>(
  field: string,
  list: readonly Entry[],
  most: number,
  checked: (entry: Entry, path: string) => Entry,
): string {
  checkList(list, field);
  if (list.length > most)
    throw new InvalidInputError(`${field} has ${list.length} entries, and the most is ${most}: leave some out`);
  const entries = list.map((entry, index) => checked(entry, `${field}[${index}]`));
  return entries.length === 0 ? '' : JSON.stringify(entries);
}

function roleOf(role: GuildRole, path: string): GuildRole {
  checkFields(role, 'a role', ['id', 'name', 'color', 'position'], path);
  const { id, name, color, position } = role;
  checkIdOf(`${path}.id`, id);
  wholeText(`${path}.color`, color, 0, MAX_COLOR);
  wholeText(`${path}.position`, position, 0, MAX_POSITION);
  return { id, name: checkedName(name, `${path}.name`), color, position };
}

function channelOf(channel: GuildChannel, path: string): GuildChannel {
  checkFields(channel, 'a channel', ['id', 'name', 'type', 'parent'], path);
  const { id, name, type, parent = null } = channel;
  checkIdOf(`${path}.id`, id);
  wholeText(`${path}.type`, type, 0, MAX_TYPE);
  if (parent !== null) checkIdOf(`${path}.parent`, parent);
  return { id, name: checkedName(name, `${path}.name`), type, parent };
}

/** Checks the id of a role or a channel. @throws InvalidInputError */
function checkIdOf(path: string, id: unknown): void {
  if (typeof id === 'string' && ID_PATTERN.test(id)) return;
  throw new InvalidInputError(`${path} must be a text of 1 to 64 of A-Z a-z 0-9 _ - ., not ${shownText(id)}`);
}

/** Returns a name as UTF-8 can have it: a lone surrogate becomes U+FFFD. @throws InvalidInputError */
function checkedName(name: string, path: string): string {
  checkText(name, path);
  const characters = [...name].length;
  if (characters > MAX_ABOUT_NAME)
    throw new InvalidInputError(`${path} has ${characters} characters, and the most is ${MAX_ABOUT_NAME}: cut it`);
  return name.replace(/\p{Surrogate}/gu, '\ufffd');
}
