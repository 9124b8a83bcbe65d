import type { PictureSize } from '../../core/ranking/picture-hash.ts';
import type { PublicGuild } from '../../core/reads/public-page.ts';
import { RenderedBody, toBody } from '../http/response/rendered-body.ts';
import type { AvatarLoader } from './avatar-loader.ts';

const SVG = 'image/svg+xml; charset=utf-8';
/** Bytes of the data behind a picture: a few rows and the settings of their guild. Measured, rounded up. */
const HELD_BYTES = 4000;

/** Draws an SVG. @param avatars data URLs by user id. A member without a data URL is drawn with an initial. */
export type DrawAvatars = (avatars: ReadonlyMap<string, string>) => string;

/** A picture that shows initials of members who have avatars. It can be drawn anew with the avatars. */
class Illustration extends RenderedBody {
  constructor(
    { body, etag }: RenderedBody,
    private readonly draw: DrawAvatars,
    private readonly avatars: ReadonlyMap<string, string>,
    private readonly size: PictureSize,
  ) {
    super(body, etag, SVG, [], HELD_BYTES);
  }

  async illustrated(loader: AvatarLoader): Promise<RenderedBody> {
    const loaded = await loader.load(this.avatars, this.size);
    return loaded.size > 0 ? toBody(this.draw(loaded), SVG) : this;
  }
}

/**
 * Renders a picture that shows members, with their initials. {@link withAvatars} draws it anew for a guild that shows avatars.
 * @param userIds of the members whose avatars it shows.
 * @param size in pixels, of their avatars.
 */
export function illustration(
  { avatars }: Pick<PublicGuild, 'avatars'>,
  userIds: readonly string[],
  size: PictureSize,
  draw: DrawAvatars,
): RenderedBody {
  const plain = toBody(draw(new Map()), SVG);
  const shown = new Map([...avatars].filter(([userId]) => userIds.includes(userId)));
  return shown.size > 0 ? new Illustration(plain, draw, shown, size) : plain;
}

/** Returns a picture with the avatars of its members, as far as they arrive within a second; returns any other body unchanged. */
export async function withAvatars(rendered: RenderedBody, loader: AvatarLoader): Promise<RenderedBody> {
  return rendered instanceof Illustration ? rendered.illustrated(loader) : rendered;
}
