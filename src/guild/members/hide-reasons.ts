/** Why a member is hidden, in the order in which reasons are stored: it left the server, wants it, or a moderator wants it. */
export const HIDE_REASONS = ['left', 'self', 'moderator'] as const;
export type HideReason = (typeof HIDE_REASONS)[number];

/** Returns the reasons that a text names, in their order. One that names none stands for "moderator". */
export function reasonsIn(text: string): readonly HideReason[] {
  const words = text.split(' ');
  const named = HIDE_REASONS.filter((reason) => words.includes(reason));
  return named.length > 0 ? named : ['moderator'];
}
