import { hash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { LeaderboardMember, LeaderboardPage, LeaderboardStats } from '../../../core/ranking/model.ts';
import type { Encoding } from './encoding.ts';
import { type HeaderBlock, headerBlock } from './headers.ts';

/** Length from which a body is compressed. Smaller bodies fit into one or two packets. */
const MIN_COMPRESSED_BYTES = 2000;
/** Level of gzip. Higher levels take up to three times as long for 6 % fewer bytes. */
const GZIP_LEVEL = 4;
/** Level of brotli. It is as fast as gzip at the level above, with 8 % fewer bytes. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
/** The longest that a compressed body may be, as a part of the body. */
const COMPRESSED_SHARE = 0.5;

const JSON_TYPE = 'application/json; charset=utf-8';

/** The body of a 200 response with its headers: rendered once, sent many times. */
export class RenderedBody {
  /** ETag, Content-Type and Content-Length. */
  readonly headers: HeaderBlock;
  /** Whether a client may get it compressed. */
  readonly isLarge: boolean;
  private readonly compressed = new Map<Encoding, RenderedBody>();

  /**
   * @param body the bytes, one in each character, to be written as latin1. Node then sends head and body as one string in one write; a
   * Buffer takes a vectored write of two (hot path, see ADR 11).
   * @param etag strong entity tag, from the body's content.
   * @param type its media type.
   * @param more further headers of a 200, as a flat list.
   * @param heldBytes memory of what it holds beside its text.
   */
  constructor(
    readonly body: string,
    readonly etag: string,
    private readonly type: string = JSON_TYPE,
    private readonly more: readonly string[] = [],
    readonly heldBytes: number = 0,
  ) {
    const length = String(body.length);
    this.headers = headerBlock('ETag', etag, 'Content-Type', type, 'Content-Length', length, ...more);
    this.isLarge = body.length >= MIN_COMPRESSED_BYTES;
  }

  /** Returns the body in a coding, or itself if that saves less than half. Works once for each coding. */
  encoded(coding: Encoding): RenderedBody {
    const known = this.compressed.get(coding) ?? this.compress(coding);
    this.compressed.set(coding, known);
    return known;
  }

  private compress(coding: Encoding): RenderedBody {
    const whole = Buffer.from(this.body, 'latin1');
    const bytes = coding === 'br' ? brotliCompressSync(whole, BROTLI) : gzipSync(whole, { level: GZIP_LEVEL });
    if (bytes.length > this.body.length * COMPRESSED_SHARE) return this;
    const etag = `${this.etag.slice(0, -1)}-${coding}"`;
    return new RenderedBody(bytes.toString('latin1'), etag, this.type, [...this.more, 'Content-Encoding', coding]);
  }
}

/** Memory of a rendered body apart from its text, and of what keeps it: measured, rounded up. */
const OVERHEAD_BYTES = 1000;

/** Codings in which a body may be kept. */
const CODINGS = 2;

/** Returns the memory that a rendered body takes in a cache, in bytes. V8 keeps a latin1 text with one byte a character. */
export function sizeInMemory(rendered: RenderedBody | null): number {
  if (rendered === null) return OVERHEAD_BYTES;
  const { length } = rendered.body;
  const own = length + rendered.heldBytes + OVERHEAD_BYTES;
  if (!rendered.isLarge) return own;
  // A large body may be compressed in each coding while it is in the cache.
  return own + CODINGS * (Math.ceil(length * COMPRESSED_SHARE) + OVERHEAD_BYTES);
}

/** Renders a page or a member. */
export function renderJson(value: LeaderboardPage | LeaderboardMember): RenderedBody {
  return toBody(JSON.stringify(value));
}

/** Renders statistics. JSON.stringify rejects bigints and a Number would round a total beyond 2^53, so its digits go in as they are. */
export function renderStats(stats: LeaderboardStats): RenderedBody {
  return toBody(statsText(stats));
}

/** Returns statistics as JSON text. */
export function statsText({ total_members, total_xp, ...rest }: LeaderboardStats): string {
  return `{"total_members":${total_members},"total_xp":${total_xp},${JSON.stringify(rest).slice(1)}`;
}

/** Renders a text of this media type. @param more further headers of a 200, as a flat list: a 304 lacks them, so the ETag changes with them. */
export function toBody(text: string, type?: string, more?: readonly string[]): RenderedBody {
  // A text that is only ASCII has the same bytes as latin1.
  const isAscii = Buffer.byteLength(text) === text.length;
  const body = isAscii ? text : Buffer.from(text).toString('latin1');
  const content = more ? [text, ...more].join('\n') : text;
  const etag = ['"', hash('sha1', content, 'base64url'), '"'].join('');
  return new RenderedBody(body, etag, type, more);
}
