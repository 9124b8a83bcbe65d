import { InvalidInputError } from '../../core/errors.ts';
import { ID_PATTERN } from '../../core/ranking/model.ts';

/** A kind of id: its name, and its mention as a person copies it from a chat. */
export interface IdKind {
  readonly name: string;
  readonly mention: RegExp;
}

export const ROLE: IdKind = { name: 'role', mention: /^<@&(\d+)>$/ };
export const CHANNEL: IdKind = { name: 'channel', mention: /^<#(\d+)>$/ };

/** Returns the id that a text is, or mentions. @throws InvalidInputError which quotes it. */
export function idOf(kind: IdKind, text: string): string {
  const id = kind.mention.exec(text)?.[1] ?? text;
  if (ID_PATTERN.test(id)) return id;
  throw new InvalidInputError(`"${text.slice(0, 80)}" is not the id of a ${kind.name}, such as 400000000000000003`);
}

/** Returns the ids in some texts, each once. Spaces, commas, semicolons and ends of lines part them. @throws InvalidInputError which quotes the first wrong one. */
export function idsIn(kind: IdKind, texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => text.split(/[\s,;]+/)).filter(Boolean);
  return [...new Set(words.map((word) => idOf(kind, word)))];
}

/** Returns the number that a text is. Another text stays, and the parser of rules names it. */
export function numberOr(text: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
