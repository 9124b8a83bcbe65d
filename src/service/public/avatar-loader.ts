import { LRUCache } from 'lru-cache';
import { messageOf } from '../../core/errors.ts';
import { avatarUrl, type PictureSize } from '../../core/ranking/picture-hash.ts';
import { plainPng } from './png.ts';

/** Longest time for one picture, in milliseconds. */
const TIMEOUT_MS = 1000;
/** Bytes of the largest picture to accept. At 128 pixels, most pictures have less than a third of it. */
const MAX_BYTES = 64 * 1024;
/** The most pixels of a side. */
const MAX_SIDE = 256;
/** Pictures to load at once. Further pictures are left out, so that nobody waits for the pictures of other people. */
const MAX_LOADING = 8;
/** Time after which to ask again for a missing picture. */
const MISSING_MS = 600_000;
/** Time for which not to ask the host again after it could not be reached. */
const PAUSE_MS = 15_000;
/** Pictures to keep, and their bytes as data URLs. */
const KEPT = { max: 10_000, maxSize: 16 * 1024 * 1024 };
/** Bytes of memory for an entry, besides its data URL. */
const OVERHEAD_BYTES = 300;
/** A user id of Discord. The host of Discord has pictures only for user ids of Discord. */
const USER_ID = /^\d{1,20}$/;

/** A picture that was asked for: its data URL, or the time after which the loader may ask for it again. */
type Kept = { readonly dataUrl: string } | { readonly missingUntilMs: number };

/** The host of an {@link AvatarLoader}, its clock and its log. */
export interface AvatarLoaderParts {
  /** Origin of the host of the pictures. */
  readonly host: string;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
  /** Called with a text for the log when the host cannot be reached. */
  readonly warn: (text: string) => void;
}

/**
 * Loads the avatars of members for the pictures that the service draws, because a picture in a web page cannot load other pictures. It asks only the
 * host whose addresses the pages contain too, and accepts only PNG of a bounded size. It keeps loaded pictures within bounds. It never throws.
 */
export class AvatarLoader {
  private readonly kept = new LRUCache<string, Kept>({
    ...KEPT,
    sizeCalculation: (kept, url) => OVERHEAD_BYTES + url.length + ('dataUrl' in kept ? kept.dataUrl.length : 0),
  });
  private readonly loading = new Map<string, Promise<string | undefined>>();
  private pausedUntilMs = Number.NEGATIVE_INFINITY;
  private isAway = false;

  constructor(private readonly parts: AvatarLoaderParts) {}

  /**
   * Returns avatars as data URLs, by user id. Avatars that do not arrive within a second are missing.
   * @param avatars Discord's hashes by user id.
   * @param size in pixels.
   */
  async load(avatars: ReadonlyMap<string, string>, size: PictureSize): Promise<ReadonlyMap<string, string>> {
    const loaded = new Map<string, string>();
    await Promise.all(
      [...avatars].map(async ([userId, hash]) => {
        const dataUrl = USER_ID.test(userId) ? await this.dataUrl(userId, hash, size) : undefined;
        if (dataUrl) loaded.set(userId, dataUrl);
      }),
    );
    return loaded;
  }

  private async dataUrl(userId: string, hash: string, size: PictureSize): Promise<string | undefined> {
    const { host, now } = this.parts;
    const url = avatarUrl(userId, hash, size, { host, format: 'png' });
    const kept = this.kept.get(url);
    if (kept && 'dataUrl' in kept) return kept.dataUrl;
    if (kept && now() < kept.missingUntilMs) return undefined;
    const loading = this.loading.get(url);
    if (loading || this.loading.size >= MAX_LOADING || now() < this.pausedUntilMs) return loading;
    const started = this.ask(url);
    this.loading.set(url, started);
    try {
      return await started;
    } finally {
      this.loading.delete(url);
    }
  }

  private async ask(url: string): Promise<string | undefined> {
    const { host, now, warn } = this.parts;
    try {
      const png = await fetchPng(url);
      this.isAway = false;
      const dataUrl = png && `data:image/png;base64,${png.toString('base64')}`;
      this.kept.set(url, dataUrl ? { dataUrl } : { missingUntilMs: now() + MISSING_MS });
      return dataUrl;
    } catch (error) {
      this.pausedUntilMs = now() + PAUSE_MS;
      if (!this.isAway) {
        const reason = (error as Error).cause ?? error;
        warn(
          `${host} cannot be reached, so drawn pictures have initials (FETCH_AVATARS=0 asks no host): ${messageOf(reason)}`,
        );
      }
      this.isAway = true;
      return undefined;
    }
  }
}

/** Fetches a picture; undefined if the answer is not a picture. @throws Error when the host cannot be reached, or takes too long. */
async function fetchPng(url: string): Promise<Buffer | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { redirect: 'manual', signal, headers: { accept: 'image/png' } });
  const [type] = (response.headers.get('content-type') ?? '').split(';');
  const isWanted = response.status === 200 && type?.trim() === 'image/png';
  const bytes = isWanted ? await bodyOf(response) : undefined;
  if (!bytes) await response.body?.cancel().catch(() => {});
  return bytes && plainPng(bytes, MAX_SIDE);
}

/** Returns the body of a response; undefined for a body that is too large. */
async function bodyOf({ body }: Response): Promise<Buffer | undefined> {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
    if (done) return Buffer.concat(chunks);
    size += value.length;
    if (size > MAX_BYTES) {
      await reader?.cancel();
      return undefined;
    }
    chunks.push(value);
  }
}
