import { hash } from 'node:crypto';
import type { GuildStats, LeaderboardPage, Member } from '../../leaderboard/model.ts';
import { headerLines } from './headers.ts';

/** A successful answer in the form it goes out: serialised once, sent many times. */
export interface RenderedBody {
  /**
   * The UTF-8 bytes, one in each character, to be written as latin1: Node then sends headers and body as one string, in one
   * write, where a Buffer takes a vectored write of two.
   */
  readonly body: string;
  /** Strong entity tag, from the body's content. */
  readonly etag: string;
  /** The headers that tell of the body, as lines: its tag, type and length. */
  readonly lines: string;
}

/** Serialises a page or a member. */
export function renderJson(value: LeaderboardPage | Member): RenderedBody {
  return toView(JSON.stringify(value));
}

/** Serialises statistics. JSON.stringify refuses bigints and a Number would round a total beyond 2^53: its digits go in as they are. */
export function renderStats(stats: GuildStats): RenderedBody {
  const { total_members, total_xp, ...rest } = stats;
  return toView(`{"total_members":${total_members},"total_xp":${total_xp},${JSON.stringify(rest).slice(1)}`);
}

function toView(json: string): RenderedBody {
  const length = Buffer.byteLength(json);
  // Text of ASCII alone is its own bytes.
  const body = length === json.length ? json : Buffer.from(json).toString('latin1');
  const etag = ['"', hash('sha1', json, 'base64url'), '"'].join('');
  const type = 'application/json; charset=utf-8';
  return { body, etag, lines: headerLines('ETag', etag, 'Content-Type', type, 'Content-Length', String(length)) };
}
