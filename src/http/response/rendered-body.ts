import { hash } from 'node:crypto';
import type { GuildStats, LeaderboardPage, Member } from '../../leaderboard/model.ts';
import { type HeaderBlock, headerBlock } from './headers.ts';

/** The body of a 200 answer with its headers: rendered once, sent many times. */
export interface RenderedBody {
  /**
   * The UTF-8 bytes, one in each character, to be written as latin1. Node then sends head and body as one string in one write; a
   * Buffer takes a vectored write of two (hot path, see ADR 11).
   */
  readonly body: string;
  /** Strong entity tag, from the body's content. */
  readonly etag: string;
  /** ETag, Content-Type and Content-Length. */
  readonly headers: HeaderBlock;
}

/** Memory of a rendered body apart from its text, and of what keeps it: measured, rounded up. */
const OVERHEAD_BYTES = 1000;

/** Returns the memory that a rendered body takes in a cache, in bytes. V8 keeps a latin1 text with one byte a character. */
export function sizeInMemory(rendered: RenderedBody | null): number {
  return (rendered?.body.length ?? 0) + OVERHEAD_BYTES;
}

/** Renders a page or a member. */
export function renderJson(value: LeaderboardPage | Member): RenderedBody {
  return toBody(JSON.stringify(value));
}

/** Renders statistics. JSON.stringify rejects bigints and a Number would round a total beyond 2^53, so its digits go in as they are. */
export function renderStats(stats: GuildStats): RenderedBody {
  const { total_members, total_xp, ...rest } = stats;
  return toBody(`{"total_members":${total_members},"total_xp":${total_xp},${JSON.stringify(rest).slice(1)}`);
}

function toBody(json: string): RenderedBody {
  const length = Buffer.byteLength(json);
  // Text of ASCII alone is its own bytes.
  const body = length === json.length ? json : Buffer.from(json).toString('latin1');
  const etag = ['"', hash('sha1', json, 'base64url'), '"'].join('');
  const type = 'application/json; charset=utf-8';
  return {
    body,
    etag,
    headers: headerBlock('ETag', etag, 'Content-Type', type, 'Content-Length', String(length)),
  };
}
