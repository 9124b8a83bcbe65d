import { InvalidInputError } from '../../core/errors.ts';
import { ID_PATTERN } from '../../core/ranking/model.ts';

/** A kind of id: its name, and its mention as a person copies it from a chat. */
export interface IdKind {
  readonly name: string;
  readonly mention: RegExp;
}

export const ROLE: IdKind = { name: 'role', mention: /^<@&(\d+)>$/ };
export const CHANNEL: IdKind = { name: 'channel', mention: /^<#(\d+)>$/ };

/** Returns the id in a text that is an id or a mention. @throws InvalidInputError which quotes any other text. */
export function idIn(kind: IdKind, text: string): string {
  const id = kind.mention.exec(text)?.[1] ?? text;
  if (ID_PATTERN.test(id)) return id;
  throw new InvalidInputError(`"${text.slice(0, 80)}" is not the id of a ${kind.name}, such as 400000000000000003`);
}

/**
 * Returns the ids in some texts, each once. Spaces, commas, semicolons and ends of lines part them.
 * @throws InvalidInputError which quotes the first wrong id.
 */
export function idsIn(kind: IdKind, texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => text.split(/[\s,;]+/)).filter(Boolean);
  return [...new Set(words.map((word) => idIn(kind, word)))];
}

/** Returns a text as a number. Any other text stays a text, and the parser of rules reports it. */
export function numberOr(text: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
