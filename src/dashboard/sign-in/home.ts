import type { Session } from './session-types.ts';

/** Returns the first page of a server, or of the operator (null). */
export function pathOf(guildId: string | null): string {
  return guildId === null ? '/operator' : `/guilds/${encodeURIComponent(guildId)}`;
}

/** Returns the servers of a session, including servers that Discord has to confirm again. */
export function guildIdsOf({ guildIds, unconfirmed }: Session): string[] {
  return [...guildIds, ...unconfirmed.flatMap((guildId) => guildId ?? [])];
}

/** Returns the page that a session begins with. @param last the server that this browser showed last. */
export function homeOf(session: Session, last: string | undefined): string {
  const guildIds = guildIdsOf(session);
  if (session.isOperator || session.unconfirmed.includes(null)) return pathOf(null);
  // While Discord is away, nobody can open a server that Discord has to confirm. The list leads to the servers that links have opened.
  const known = (session.guildIds.length > 0 ? session.guildIds : guildIds).find((guildId) => guildId === last);
  if (known !== undefined) return pathOf(known);
  const [only, ...others] = guildIds;
  return only !== undefined && others.length === 0 ? pathOf(only) : '/servers';
}
