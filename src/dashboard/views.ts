import type { Response } from 'express';
import { commandLine } from '../config/command-line.ts';
import type { OperatorLinks } from '../config/dashboard.ts';
import { digits, withNoun } from '../core/format-numbers.ts';
import { readTemplates } from '../service/http/site/templates.ts';
import { nameOf } from '../widget/name.ts';
import type { Assets } from './assets.ts';
import { sentence } from './sentences.ts';
import { firstLetterOf, tintOf } from './shown-server.ts';
import { visitOf } from './visit.ts';

/** All dates of the pages are written in the language of their words and numbers. */
const dateFormat = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
const MINUTE = dateFormat({ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' });
const DAY = dateFormat({ weekday: 'long', day: 'numeric', month: 'long' });

/** Formats of the pages. Templates use them by name. */
const FORMATS = {
  number: digits,
  /** Returns an ISO 8601 time as "27 Nov 2026, 18:30 UTC". */
  time: (iso: string): string => `${MINUTE.format(new Date(iso))} UTC`,
  /** Returns an ISO 8601 time as "Friday 27 November", in UTC. */
  day: (iso: string): string => DAY.format(new Date(iso)),
  /** Returns an ISO 8601 time as "18:30", in UTC. */
  hour: (iso: string): string => iso.slice(11, 16),
  /** Returns the day of the week of an ISO 8601 time as "Sat", in UTC. */
  weekday: (iso: string): string => new Date(iso).toUTCString().slice(0, 3),
  /** Returns seconds as "45 s" or "12 min". */
  duration: (seconds: number): string => (seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`),
  withNoun,
  /** Returns a number of members that have XP, such as "182 members with XP". */
  withXp: (members: number): string => `${withNoun(members, 'member')} with XP`,
  commandLine,
  sentence,
  /** Returns the name of a member as the widget shows it: the id instead of a name that nobody can see. */
  memberName: ({ username, user_id }: { readonly username: string | null; readonly user_id: string }): string =>
    nameOf({ username: username ?? '', user_id }),
  initial: firstLetterOf,
  tint: tintOf,
};

/** Pages that stand together in the navigation. */
export interface NavigationGroup {
  /** Their name; "" for the pages at the top. */
  readonly label: string;
  readonly pages: readonly {
    readonly path: string;
    readonly label: string;
    readonly operatorLabel?: string;
    readonly icon: string;
  }[];
}

/** The data of a page. All of it is escaped: no template writes text as markup. */
interface PageData extends Readonly<Record<string, unknown>> {
  readonly title: string;
}

/** Renders the templates of the dashboard. A template sees its data, and the parts of the layout, as `it`. */
export class Views {
  private readonly render = readTemplates(new URL('.', import.meta.url));

  constructor(
    private readonly assets: Assets,
    private readonly navigation: readonly NavigationGroup[],
    /** Whether people can sign in with Discord, and the addresses of the operator's own pages. */
    private readonly facts: { readonly hasDiscord: boolean; readonly links: OperatorLinks },
  ) {}

  /** Answers with a page. */
  send(res: Response, template: string, data: PageData, status = 200): void {
    const { session, guildId, server, serverCount = 0 } = visitOf(res);
    const html = this.render(template, {
      errors: {},
      ...data,
      ...FORMATS,
      assets: this.assets.paths,
      session,
      isOperator: session?.isOperator ?? false,
      guildId,
      serverCount,
      ...this.facts,
      base: guildId === undefined ? '' : `/guilds/${encodeURIComponent(guildId)}`,
      path: res.context.route,
      navigation: this.navigation,
      server,
      formToken: session?.formToken,
    });
    res.status(status).type('html').send(html);
  }
}
