import { checkFields, checkGuildAndUsers } from '../check-fields.ts';
import { InvalidInputError } from '../errors.ts';
import type { ScriptStore } from '../store/scripts.ts';
import { createInvite, INVITE_TTL_S, MAX_INVITE_TTL_S } from './invites.ts';

/** A link to the dashboard of a guild. Whoever opens it may manage the guild, so send it to its owner alone. */
export interface DashboardLinkOptions {
  /** Address of the dashboard: its DASHBOARD_URL. */
  readonly url: string;
  /** Seconds that the link works, 1 to 86400; 900 unless given. */
  readonly ttl?: number;
  /** Id of the person that it is for. The audit log shows it, and links with one id add their servers to one session. */
  readonly userId?: string;
}

/** Stores an invite and returns its link. @throws InvalidInputError, StoreUnavailableError */
export function createDashboardLink(
  store: ScriptStore,
  guildId: string,
  options: DashboardLinkOptions,
): Promise<string> {
  checkFields(options, 'the options of createDashboardLink', ['url', 'ttl', 'userId']);
  const { url, ttl = INVITE_TTL_S, userId = '' } = options;
  checkGuildAndUsers(guildId, userId === '' ? [] : [userId]);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new InvalidInputError(
      `url must be the address of the dashboard, such as https://dash.example.com, not ${url}`,
    );
  }
  if (!Number.isInteger(ttl) || ttl < 1 || ttl > MAX_INVITE_TTL_S) {
    throw new InvalidInputError(`ttl must be a whole number of seconds from 1 to ${MAX_INVITE_TTL_S}, not ${ttl}`);
  }
  return createInvite(store, url, { guildId, userId }, ttl);
}
