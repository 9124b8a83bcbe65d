import { seededRandom, zipfSampler } from './zipf.ts';

/** A guild that the load requests. */
export interface FilledGuild {
  readonly id: string;
  readonly key: string;
  readonly members: number;
}

type RequestKind = 'page' | 'deep page' | 'member' | 'stats';

/** A request of the mix. */
export interface MixedRequest {
  readonly kind: RequestKind;
  readonly guild: FilledGuild;
  /** Path with query, below the host. */
  readonly path: string;
}

export const CONNECTIONS = 64;

/** Distance of the first requests of two rounds: each round sends other requests, and the same to every contender. */
export const ROUND_OFFSET = 37_777;

/** Kinds of requests as fractions of all. */
const SHARES: readonly (readonly [RequestKind, number])[] = [
  ['page', 0.7],
  ['deep page', 0.1],
  ['member', 0.15],
  ['stats', 0.05],
];

/** Rows of a page. */
export const PAGE_SIZE = 10;

/** Returns the id of a member by its number from 0. */
export function userIdOf(index: number): string {
  return `1${String((index * 7919) % 1e15).padStart(15, '0')}42`;
}

/** Returns requests to guilds (most visited first) that are chosen by Zipf's law, the same for the same seed. */
export function mixOf(guilds: readonly FilledGuild[], count: number, seed: number): MixedRequest[] {
  const random = seededRandom(seed);
  const guildIndex = zipfSampler(guilds.length, random);
  return Array.from({ length: count }, () => {
    const guild = guilds[guildIndex()] as FilledGuild;
    const kind = pickKind(random());
    return { kind, guild, path: `/api/v1/servers/${guild.id}${subPath(kind, guild, random)}` };
  });
}

/** Returns the path of a page below the guild. */
export function pagePath(page: number): string {
  return `/leaderboard?page=${page}&limit=${PAGE_SIZE}`;
}

/** Returns the bytes of the request. */
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

function subPath(kind: RequestKind, { members }: FilledGuild, random: () => number): string {
  if (kind === 'stats') return '/stats';
  if (kind === 'member') return `/members/${userIdOf(Math.floor(random() * members))}`;
  const pages = Math.ceil(members / PAGE_SIZE);
  // The deep page of a guild with one page is the empty page after it.
  return pagePath(kind === 'page' ? 1 : 2 + Math.floor(random() * Math.max(1, pages - 1)));
}
