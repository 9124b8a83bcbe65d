import type { Router } from 'express';
import type { AddressLimiter } from '../core/access/address-limiter.ts';
import type { Core } from '../core/core.ts';
import type { AuditLog } from './audit-log.ts';
import type { GuildImports } from './import/guild-imports.ts';
import type { NewKeys } from './keys/new-keys.ts';
import type { DiscordSignIn } from './sign-in/discord/discord-sign-in.ts';
import type { Sessions } from './sign-in/sessions.ts';
import type { Views } from './views.ts';

/** The parts that pages work with. */
export interface Parts extends Core {
  readonly newKeys: NewKeys;
  readonly sessions: Sessions;
  readonly auditLog: AuditLog;
  /** Limits the searches of members by the address that sends them. */
  readonly searchLimiter: AddressLimiter;
  readonly imports: GuildImports;
  readonly views: Views;
  /** The sign-in with Discord; null = nobody can sign in with Discord. */
  readonly discord: DiscordSignIn | null;
  /** Requests per hour by plan. */
  readonly planQuotas: ReadonlyMap<string, number>;
  /** Public address of the API. */
  readonly apiUrl: string;
  /** Whether the service has public pages. */
  readonly publicPages: boolean;
  /** The sites that may read the API; "*" = all. */
  readonly corsOrigins: readonly string[];
  /** The sites that may show public pages and the page for frames of the service; "*" = all; an empty list = there is no page for frames. */
  readonly embedOrigins: readonly string[];
  /** Public address of the dashboard. */
  readonly url: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * A page of a guild: a folder here with its routes, forms and templates. `pages.ts` lists them all. A handler is called after sign-in, for
 * a guild that the session may see (`guildOf(res)`); a POST, after the checks of forms.ts.
 */
export interface GuildPage {
  /** Path below /guilds/G: "" for the first page, else such as "/keys". */
  readonly path: string;
  /** Name in the navigation. */
  readonly label: string;
  /** Name in the navigation of the operator, if the operator sees more on the page. */
  readonly operatorLabel?: string;
  /** Name of its icon in the navigation, a symbol of templates/icons.eta. */
  readonly icon: string;
  /** Paths below /guilds/G of its further pages, beside the paths that begin with `path`. */
  readonly alsoAt?: readonly string[];
  /** Paths below /guilds/G that take a form with a file. Their handlers call `receiveUpload`, which checks the token of the form. */
  readonly uploads?: readonly string[];
  addTo(router: Router, parts: Parts): void;
}
