import { seededRandom, zipfSampler } from './zipf.ts';

/** A guild as the load sees it. */
export interface LoadedGuild {
  readonly id: string;
  readonly key: string;
  readonly members: number;
}

export type RequestKind = 'page' | 'deep page' | 'member' | 'stats';

export interface MixedRequest {
  readonly kind: RequestKind;
  readonly guild: LoadedGuild;
  /** Path with query, below the host. */
  readonly path: string;
}

/** What widgets ask for, as fractions of all requests. */
export const SHARES: readonly (readonly [RequestKind, number])[] = [
  ['page', 0.7],
  ['deep page', 0.1],
  ['member', 0.15],
  ['stats', 0.05],
];

const PAGE_SIZE = 10;

/**
 * `count` requests over Zipf-chosen guilds, the same for the same seed: page 1, a page anywhere behind it, a member anywhere
 * in the guild, the statistics.
 * @param guilds most visited first.
 * @param userId id of a guild's member by its number from 0.
 */
export function mixOf(
  guilds: readonly LoadedGuild[],
  userId: (index: number) => string,
  count: number,
  seed: number,
): MixedRequest[] {
  const random = seededRandom(seed);
  const guildIndex = zipfSampler(guilds.length, random);
  return Array.from({ length: count }, () => {
    const guild = guilds[guildIndex()] as LoadedGuild;
    const kind = pickKind(random());
    return { kind, guild, path: `/api/v1/servers/${guild.id}${operation(kind, guild, userId, random)}` };
  });
}

/** The request as it goes over the wire. */
export function requestBytes({ path, guild }: Pick<MixedRequest, 'path' | 'guild'>): Buffer {
  return Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nx-api-key: ${guild.key}\r\n\r\n`,
  );
}

function pickKind(draw: number): RequestKind {
  let upTo = 0;
  for (const [kind, share] of SHARES) {
    upTo += share;
    if (draw < upTo) return kind;
  }
  return 'stats';
}

function operation(
  kind: RequestKind,
  { members }: LoadedGuild,
  userId: (index: number) => string,
  random: () => number,
): string {
  if (kind === 'stats') return '/stats';
  if (kind === 'member') return `/members/${userId(Math.floor(random() * members))}`;
  const pages = Math.ceil(members / PAGE_SIZE);
  // A guild of one page has nothing behind it: its deep page is the empty one past the end.
  const page = kind === 'page' ? 1 : 2 + Math.floor(random() * Math.max(1, pages - 1));
  return `/leaderboard?page=${page}&limit=${PAGE_SIZE}`;
}
