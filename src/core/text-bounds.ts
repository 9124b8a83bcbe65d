/** Origins of one API key. */
export const MAX_ORIGINS = 20;
/** Their bytes together, with a space between two. Each use of the key holds them in the memory of the service. */
export const MAX_ORIGINS_BYTES = 2000;

/** The most bytes of a member's name; record.lua refuses a longer name. */
export const MAX_USERNAME_BYTES = 512;
/** The most bytes of a profile: level, streak, and the time of a claim with its offset, each with a space after it, and the name. */
const MAX_PROFILE_BYTES = 16 + 1 + 16 + 1 + 22 + 1 + MAX_USERNAME_BYTES;
/** The most bytes of the id of an event. */
export const MAX_EVENT_ID_BYTES = 64;

/** The most characters of the name of a guild, a role or a channel. */
export const MAX_ABOUT_NAME = 100;
/** The most bytes of what a bot tells of a guild: name, icon, roles and channels together, as they are stored. */
export const MAX_ABOUT_BYTES = 262_144;
/** The most bytes of the hash of a picture on Discord. */
const MAX_PICTURE_HASH_BYTES = 34;

/** The most bytes of the name of an API key: 64 characters. */
const MAX_KEY_NAME_BYTES = 256;

/** The most bytes of each field of the record of an API key. */
const KEY_FIELD_BYTES = {
  id: 32,
  guild_id: 64,
  name: MAX_KEY_NAME_BYTES,
  created_at: 32,
  expires_at: 32,
  lifetime_ms: 16,
  origins: MAX_ORIGINS_BYTES,
  cap: 10,
  prefix: 16,
} as const;

const MAX_WHO_BYTES = 100;
const MAX_FROM_BYTES = 64;
const MAX_WHAT_BYTES = 300;
/** The most bytes of each text of an entry of an audit log: the author, the address of the author, and the action. A longer text is cut. */
export const AUDIT_BYTES = { who: MAX_WHO_BYTES, from: MAX_FROM_BYTES, what: MAX_WHAT_BYTES } as const;

/** A stored text that a person, a bot or a file can give. */
interface Bound {
  /** The name of the text, for messages. */
  readonly what: string;
  /** Where it is stored: Redis key and field. */
  readonly where: string;
  /** The most bytes of UTF-8. */
  readonly bytes: number;
}

/** Every stored text that a person, a bot or a file can give, with its bound in bytes. docs/reference.md shows them. */
export const BOUNDS = {
  guildId: { what: 'id of a guild', where: 'each Redis key', bytes: 64 },
  userId: { what: 'id of a user', where: '`gr:{G}:xp`', bytes: 64 },
  username: { what: 'name of a member', where: '`gr:{G}:members`', bytes: MAX_USERNAME_BYTES },
  profile: { what: 'profile of a member, with its name', where: '`gr:{G}:members`', bytes: MAX_PROFILE_BYTES },
  avatar: { what: 'avatar of a member', where: '`gr:{G}:avatars`', bytes: MAX_PICTURE_HASH_BYTES },
  eventId: { what: 'id of an event', where: '`gr:{G}:event:ID`', bytes: MAX_EVENT_ID_BYTES },
  plan: { what: 'plan', where: '`plan` of `gr:{G}:config`', bytes: 32 },
  curve: { what: 'numbers of a custom curve', where: '`xp_curve_custom` of `gr:{G}:config`', bytes: 80 },
  multiplier: { what: 'multiplier of XP', where: '`xp_multiplier` of `gr:{G}:config`', bytes: 32 },
  timeZone: { what: 'time zone', where: '`time_zone` of `gr:{G}:config`', bytes: 64 },
  utcOffsets: { what: 'changes of the clocks in the time zone', where: '`utc_offsets` of `gr:{G}:config`', bytes: 500 },
  rules: { what: 'rules', where: '`rules` of `gr:{G}:config`', bytes: 16_384 },
  title: { what: 'title of the public page', where: '`page_title` of `gr:{G}:config`', bytes: 400 },
  colour: { what: 'colour of the public page', where: '`page_accent` and the like of `gr:{G}:config`', bytes: 7 },
  picture: { what: 'picture of the public page', where: '`page_picture` of `gr:{G}:config`', bytes: 3072 },
  guildName: { what: 'name of a guild', where: '`name` of `gr:{G}:about`', bytes: 4 * MAX_ABOUT_NAME },
  guildIcon: { what: 'icon of a guild', where: '`icon` of `gr:{G}:about`', bytes: MAX_PICTURE_HASH_BYTES },
  about: {
    what: 'name, icon, roles and channels of a guild together',
    where: '`gr:{G}:about`',
    bytes: MAX_ABOUT_BYTES,
  },
  keyName: { what: 'name of an API key', where: '`name` of `gr:key:SHA256`', bytes: MAX_KEY_NAME_BYTES },
  origins: { what: 'origins of an API key', where: '`origins` of `gr:key:SHA256`', bytes: MAX_ORIGINS_BYTES },
  sessionName: { what: 'name of a person who is signed in with Discord', where: '`gr:session:SHA256`', bytes: 128 },
  auditWhat: { what: 'change in an audit log', where: '`what` of `gr:{G}:audit`', bytes: MAX_WHAT_BYTES },
  auditWho: { what: 'author of a change in an audit log', where: '`who` of `gr:{G}:audit`', bytes: MAX_WHO_BYTES },
  auditFrom: { what: 'address of the author of a change', where: '`from` of `gr:{G}:audit`', bytes: MAX_FROM_BYTES },
} as const satisfies Record<string, Bound>;

/** The fields of the hashes of a guild that have a bound. */
export const GUILD_FIELDS = {
  config: {
    plan: BOUNDS.plan,
    xp_curve_custom: BOUNDS.curve,
    xp_multiplier: BOUNDS.multiplier,
    time_zone: BOUNDS.timeZone,
    utc_offsets: BOUNDS.utcOffsets,
    rules: BOUNDS.rules,
    page_title: BOUNDS.title,
    page_accent: BOUNDS.colour,
    page_accent_dark: BOUNDS.colour,
    page_background: BOUNDS.colour,
    page_background_dark: BOUNDS.colour,
    page_picture: BOUNDS.picture,
  },
  about: { name: BOUNDS.guildName, icon: BOUNDS.guildIcon, roles: BOUNDS.about, channels: BOUNDS.about },
} as const satisfies Record<string, Record<string, Bound>>;

/** Ends a text that was cut. */
const CUT = '…';
const CUT_BYTES = 3;

const encoder = /* @__PURE__ */ new TextEncoder();

/** Returns whether a text has more bytes of UTF-8 than a bound. A huge text is not encoded: it has at least a byte a character. */
export function isAbove(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && encoder.encode(text).length > bytes);
}

/** Returns the fields of the record of an API key, as it is stored, whose values are above their bounds. */
export function oversizedKeyFields(record: Readonly<Record<string, string>>): string[] {
  const bounds = Object.entries(KEY_FIELD_BYTES);
  return bounds.flatMap(([name, bytes]) => {
    const value = record[name] ?? '';
    const isOversized = isAbove(value, bytes) || (name === 'origins' && value.split(/[\s,]+/).length > MAX_ORIGINS);
    return isOversized ? [name] : [];
  });
}

/** Returns a text of at most `bytes` bytes of UTF-8. A longer text is cut, and ends with "…". */
export function cutText(text: string, bytes: number): string {
  if (!isAbove(text, bytes)) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(bytes - CUT_BYTES));
  return text.slice(0, read) + CUT;
}
