import type { PublicGuild } from '../../core/reads/public-page.ts';

/** Returns the name of a guild for programs: the title of its page; null when there is none. */
export function nameOfGuild({ title }: PublicGuild): string | null {
  return title || null;
}

/** Returns the address of a guild's icon: the picture of its page; null when there is none. */
export function iconOf({ look }: PublicGuild): string | null {
  return look.picture || null;
}

/** Returns the address of a member's picture; null, because no picture of a member is stored. */
export function avatarOf(_guild: PublicGuild, _userId: string): string | null {
  return null;
}
