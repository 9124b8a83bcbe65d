import { GuildCounters } from '../counters/counters.ts';
import { InvalidInputError } from '../errors.ts';
import type { CurveText } from '../ranking/curves.ts';
import { redisTime } from '../store/clock.ts';
import { BOARD_KINDS, type BoardKind, GUILD_KEYS } from '../store/redis-keys.ts';
import { defineScript } from '../store/script.ts';
import { publishInvalidation, type Store } from '../store/store.ts';
import { BOUNDS } from '../text-bounds.ts';
import type { Indexing } from './indexing.ts';
import { LOOK, LOOK_SETTINGS, type PageLook, parseLook } from './page-look.ts';
import { areCurrentOffsets, isTimeZone, parseTimeZone, utcOffsetsOf } from './time-zone.ts';

/** Fields of a config with their values, as Redis stores them. */
type ConfigFields = Readonly<Record<string, string>>;

/** Stores fields of a config, and returns the new revision of the guild. */
export const configureScript = defineScript({
  name: 'configure',
  keys: GUILD_KEYS,
  boards: true,
  args: (fields: ConfigFields) => Object.entries(fields).flat(),
  decode: (revision: string) => revision,
});

/** The config fields to change. A field left out stays as it is. */
export interface GuildConfigChange {
  readonly plan?: string;
  readonly xpCurve?: CurveText;
  readonly xpMultiplier?: number;
  /** The boards that the guild has from now on. A board that is left out is deleted. */
  readonly boards?: readonly BoardKind[];
  /** Time zone by whose clock weeks and months begin: an IANA name, such as Europe/Berlin. A time zone takes the place of minutes from UTC. */
  readonly timeZone?: string;
  /** Minutes from UTC of the clock by which weeks and months begin, such as 60 or -300; -720 to 840. They take the place of a time zone. */
  readonly utcOffsetMinutes?: number;
  /** Whether the guild has a public page. */
  readonly publicPage?: boolean;
  /** The pages of the public page that search engines may list. */
  readonly pageIndex?: Indexing;
  /** Whether the public page shows what levels give and how members earn XP. */
  readonly pageRewards?: boolean;
  /** Title of the public page, 100 characters at most; "" = the guild id. */
  readonly pageTitle?: string;
  /** Whether pages show the avatars of members. Their host then sees who opens the pages. */
  readonly avatars?: boolean;
  /** Colours and picture of the public page; "" takes one back. */
  readonly pageLook?: Partial<PageLook>;
}

/** The titles of a public page. A title that turns its direction would also turn the direction of texts beside it. */
const TITLE_PATTERN =
  /^(?:\p{Zs}{0,100}|(?=.*[^\p{DI}\p{C}\p{Z}\p{M}\u2800])[^\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]{1,100})$/su;

/** Parses a title of the public page. @returns it without spaces around it. @throws InvalidInputError with the rule that it breaks. */
export function parseTitle(text: string): string {
  if (TITLE_PATTERN.test(text)) return text.trim();
  throw new InvalidInputError(
    'The title of the public page has 100 characters at most that can be seen, without line breaks and direction controls',
  );
}

/** Parses a multiplier of XP. @throws InvalidInputError unless it is a number from 0 to 1000, with ten decimals at most. */
export function parseMultiplier(text: string): number {
  const multiplier = /^\d{1,4}(\.\d{1,10})?$/.test(text) ? Number(text) : Number.NaN;
  if (multiplier <= 1000) return multiplier;
  throw new InvalidInputError('The multiplier is a number from 0 to 1000, such as 1.5');
}

/** Parses an offset of the clock in minutes from UTC. @throws InvalidInputError unless it is a whole number from -720 to 840. */
export function parseUtcOffset(text: string): number {
  const minutes = /^-?\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (minutes >= -720 && minutes <= 840) return minutes;
  throw new InvalidInputError(
    'The clock is a whole number of minutes from UTC, from -720 to 840 (UTC-12:00 to UTC+14:00), such as 60 for UTC+01:00',
  );
}

/** The most bytes of a guild's rules: a bot reads them all at once. */
const MAX_RULES_BYTES = BOUNDS.rules.bytes;

/** Changes the configuration of guilds. */
export class GuildConfig {
  constructor(private readonly store: Store) {}

  /**
   * Stores config fields, raises the revision and publishes the invalidation. Two round trips, three with a time zone; O(1). A new curve moves
   * every computed level, so it is stored with recounted counters before the other fields: O(n log n), see {@link GuildCounters.rebuild}.
   * @throws InvalidInputError when title, look or time zone do not fit, and as {@link GuildCounters.check}; nothing is stored then.
   */
  async update(guildId: string, change: GuildConfigChange): Promise<void> {
    const { xpCurve, timeZone, utcOffsetMinutes } = change;
    if (timeZone !== undefined && utcOffsetMinutes !== undefined)
      throw new InvalidInputError('Give a time zone or minutes from UTC, not both: each takes the place of the other');
    const fields = toFields(change);
    if (timeZone !== undefined) Object.assign(fields, await this.fieldsOfZone(parseTimeZone(timeZone)));
    // First, because another count can refuse it.
    if (xpCurve !== undefined) await new GuildCounters(this.store).rebuild(guildId, xpCurve, curveFields(xpCurve));
    if (Object.keys(fields).length > 0) await this.configure(guildId, fields);
    await publishInvalidation(this.store, guildId);
  }

  /**
   * Stores the rules of a guild, a JSON text that `parseRules` has checked, or removes them with null. Raises the revision and publishes the
   * invalidation. Two round trips, O(1).
   * @throws InvalidInputError for a text above 16,384 bytes.
   * @throws StoreUnavailableError
   */
  async setRules(guildId: string, rules: string | null): Promise<void> {
    const bytes = Buffer.byteLength(rules ?? '');
    if (bytes > MAX_RULES_BYTES)
      throw new InvalidInputError(`The rules have ${bytes} bytes, and the most is ${MAX_RULES_BYTES}: leave some out`);
    await this.configure(guildId, { rules: rules ?? '' });
    await publishInvalidation(this.store, guildId);
  }

  /**
   * Stores the clock changes of a guild's time zone anew, if the stored changes end within five years, or if a government has changed the rules and
   * Node knows it. Takes two round trips when there is nothing to do, as for a guild without a time zone. O(1).
   * @throws StoreUnavailableError
   */
  async renewTimeZone(guildId: string): Promise<void> {
    const { config } = this.store.redisKeys.guild(guildId);
    let renewed: string | undefined;
    for (;;) {
      const [timeZone, utcOffsets] = await this.store.client.hmget(config, 'time_zone', 'utc_offsets');
      const nowMs = (await redisTime(this.store.client)) / 1000;
      // If somebody chose another time zone meanwhile, its changes were overwritten, and it comes next.
      if (!timeZone || timeZone === renewed || !isTimeZone(timeZone)) break;
      if (areCurrentOffsets(utcOffsets ?? '', timeZone, nowMs)) break;
      await this.configure(guildId, { utc_offsets: utcOffsetsOf(timeZone, nowMs) });
      renewed = timeZone;
    }
    if (renewed !== undefined) await publishInvalidation(this.store, guildId);
  }

  private async fieldsOfZone(timeZone: string): Promise<ConfigFields> {
    const utcOffsets = utcOffsetsOf(timeZone, (await redisTime(this.store.client)) / 1000);
    return { time_zone: timeZone, utc_offsets: utcOffsets, utc_offset_minutes: '' };
  }

  private configure(guildId: string, fields: ConfigFields): Promise<unknown> {
    return configureScript.run(this.store.scripts, this.store.redisKeys.guild(guildId), fields);
  }
}

/** Returns the fields that a change stores, without the fields of the curve and the time zone. @throws InvalidInputError for what does not fit. */
function toFields(change: GuildConfigChange): Record<string, string> {
  const { plan, xpMultiplier, boards, utcOffsetMinutes, publicPage, pageTitle, pageLook = {} } = change;
  const { pageIndex, pageRewards, avatars } = change;
  const fields: Record<string, string> = {};
  if (plan !== undefined) fields.plan = plan;
  if (xpMultiplier !== undefined) fields.xp_multiplier = String(xpMultiplier);
  if (boards !== undefined) fields.boards = BOARD_KINDS.filter((kind) => boards.includes(kind)).join(',');
  if (utcOffsetMinutes !== undefined)
    Object.assign(fields, { utc_offset_minutes: String(utcOffsetMinutes), time_zone: '', utc_offsets: '' });
  if (publicPage !== undefined) fields.public_page = publicPage ? 'on' : '';
  if (pageIndex !== undefined) fields.page_index = pageIndex === 'leaderboard' ? '' : pageIndex;
  if (pageRewards !== undefined) fields.page_rewards = pageRewards ? '' : 'off';
  if (pageTitle !== undefined) fields.page_title = parseTitle(pageTitle);
  if (avatars !== undefined) fields.avatars = avatars ? '1' : '';
  for (const setting of LOOK_SETTINGS) {
    const value = pageLook[setting];
    if (value !== undefined) fields[LOOK[setting].field] = parseLook(setting, value.trim());
  }
  return fields;
}

/** Returns a curve as fields of a config: field, value, ... */
export function curveFields(curve: CurveText): string[] {
  const [name, coefficients] = curve.split('=') as [string, string?];
  return coefficients === undefined ? ['xp_curve', name] : ['xp_curve', name, 'xp_curve_custom', coefficients];
}
