import type { ClientStore } from '../store/store.ts';
import { HOUR_MS, PUBLIC_USES } from './usage.ts';

export const DAY_HOURS = 24;
/** Hours that are shown: seven days. */
const SHOWN_HOURS = 7 * DAY_HOURS;

/** Requests in one time, by what the quota decided. */
export interface Requests {
  /** Requests that the quota let through. */
  readonly requests: number;
  /** Requests that got 429, because the quota was used up. */
  readonly refused: number;
}

/** The requests of a guild in the last seven days, as {@link readUsage} returns them. */
export type GuildUsage = Awaited<ReturnType<typeof readUsage>>;
/** The requests of one hour of the clock. */
export type HourUsage = GuildUsage['hours'][number];
/** The requests of one API key in the running hour, in 24 hours and in seven days, and the time of its last request. */
export type KeyUsage = ReturnType<GuildUsage['ofKey']>;

/**
 * Reads the usage of a guild. It is ten seconds old at most. O(fields), one round trip.
 * @param now milliseconds since the epoch.
 * @throws StoreUnavailableError
 */
export async function readUsage({ client, redisKeys }: ClientStore, guildId: string, now: number) {
  const { usage, apiKeysUsed } = redisKeys.guild(guildId);
  const [fields, used] = await Promise.all([client.hgetall(usage), client.hgetall(apiKeysUsed)]);
  const thisHour = Math.floor(now / HOUR_MS);
  const first = thisHour - SHOWN_HOURS + 1;
  const hours = Array.from({ length: SHOWN_HOURS }, (_, index) => ({
    /** ISO 8601 in UTC. */
    startsAt: new Date((first + index) * HOUR_MS).toISOString(),
    ...noRequests(),
  }));
  const byKey = new Map<string, { readonly day: Count; readonly week: Count }>();
  const publicUse = { page: { hour: 0, day: 0, week: 0 }, data: { hour: 0, day: 0, week: 0 } };
  for (const [field, value] of Object.entries(fields)) {
    const [, hour, keyId = '', refused] = /^(\d+):(.+?)(:refused)?$/.exec(field) ?? [];
    const index = Number(hour) - first;
    const entry = hours[index];
    if (!entry) continue;
    const isOfDay = index >= SHOWN_HOURS - DAY_HOURS;
    const use = PUBLIC_USES.find((each) => each === keyId);
    if (use) {
      publicUse[use].week += Number(value);
      if (isOfDay) publicUse[use].day += Number(value);
      if (index === SHOWN_HOURS - 1) publicUse[use].hour += Number(value);
      continue;
    }
    const ofKey = byKey.get(keyId) ?? { day: noRequests(), week: noRequests() };
    byKey.set(keyId, ofKey);
    const counts = [entry, ofKey.week, ...(isOfDay ? [ofKey.day] : [])];
    for (const count of counts) count[refused ? 'refused' : 'requests'] += Number(value);
  }
  return {
    /** The last seven days by the hour of the clock, oldest first. The last hour is the running hour. */
    hours,
    /** Requests for the public page and its data in the running hour, and in the last 24 hours and seven days with it. They are in no other number. */
    publicUse,
    /** Whether a request of a key that the guild still has was written. */
    isUsed: Object.keys(used).length > 0,
    /** Returns the usage of a key by its id: its requests in the running hour, and in the last 24 hours and seven days with it. O(1). */
    ofKey: (keyId: string) => ({
      /** ISO 8601 in UTC; null when no request of the key was written. */
      lastUsed: used[keyId] ?? null,
      requests: Number(fields[`${thisHour}:${keyId}`] ?? 0),
      refused: Number(fields[`${thisHour}:${keyId}:refused`] ?? 0),
      day: byKey.get(keyId)?.day ?? noRequests(),
      week: byKey.get(keyId)?.week ?? noRequests(),
    }),
  };
}

/** Requests that are added up. */
type Count = { -readonly [N in keyof Requests]: Requests[N] };

function noRequests(): Count {
  return { requests: 0, refused: 0 };
}

/** Returns the sum of the last hours. */
export function sumOfHours(hours: readonly Requests[]): Requests {
  return hours.reduce((a, b) => ({ requests: a.requests + b.requests, refused: a.refused + b.refused }), noRequests());
}
