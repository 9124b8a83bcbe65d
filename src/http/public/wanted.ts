import type { Request } from 'express';
import type { RenderedBody } from '../response/rendered-body.ts';
import { renderGuildBadge, renderMember, renderMemberBadge, renderPage } from './documents.ts';
import { type MemberQuery, memberRead, pageRead, parseBadge, parseMember, parsePage } from './queries.ts';

/** The parameters of a path. */
export type Params = Readonly<Record<string, string>>;

/** A read with the function that renders what it finds. */
export interface Wanted {
  readonly cacheKey: string;
  readonly command: ReturnType<typeof pageRead> | ReturnType<typeof memberRead>;
  render(value: unknown): RenderedBody | null;
}

/** Returns what the page of a ranking needs. @throws Problem as {@link parsePage}. */
export function wantPage(params: Params, query: Request['query']): Wanted {
  const parsed = parsePage(params.guild_id ?? '', query);
  const { guildId, board, page, limit, isOverlay } = parsed;
  return {
    cacheKey: ['public', guildId, board, page, limit, isOverlay].join(' '),
    command: pageRead(parsed),
    render: rendering((found: Parameters<typeof renderPage>[1]) => renderPage(parsed, found)),
  };
}

/** Returns what the page of a member needs. @throws Problem as {@link parseMember}. */
export function wantMember(params: Params, query: Request['query']): Wanted {
  return wantedMember('member', parseMember(params.guild_id ?? '', params.user_id ?? '', query), renderMember);
}

/** Returns what a badge needs. @throws Problem as {@link parseMember}. */
export function wantBadge(params: Params, query: Request['query']): Wanted {
  const parsed = parseBadge(params.guild_id ?? '', query);
  if ('userId' in parsed) return wantedMember('badge', parsed, renderMemberBadge);
  return {
    cacheKey: ['public-badge', parsed.guildId, parsed.board].join(' '),
    command: pageRead({ ...parsed, page: 1, limit: 1 }),
    render: rendering((found: Parameters<typeof renderGuildBadge>[1]) => renderGuildBadge(parsed, found)),
  };
}

function wantedMember(kind: string, parsed: MemberQuery, render: typeof renderMember): Wanted {
  const { guildId, userId, board } = parsed;
  return {
    cacheKey: [`public-${kind}`, guildId, board, userId].join(' '),
    command: memberRead(parsed),
    render: rendering((found: Parameters<typeof renderMember>[1]) => render(parsed, found)),
  };
}

/** Makes the response of a value that may be null. */
function rendering<T>(render: (found: T) => RenderedBody): (value: unknown) => RenderedBody | null {
  return (value) => (value === null ? null : render(value as T));
}
