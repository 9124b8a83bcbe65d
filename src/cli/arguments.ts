import { type Command, InvalidArgumentError, Option } from 'commander';
import { KEY_NAME_PATTERN } from '../core/access/api-key-issuer.ts';
import { parseCap } from '../core/access/api-key-record.ts';
import { parseOrigins } from '../core/access/origins.ts';
import { InvalidInputError } from '../core/errors.ts';
import { CURVE_NAMES, type CurveText, curveTextOf, MAX_XP, parseCurve } from '../core/ranking/curves.ts';
import { ID_PATTERN, parseRankingId, type RankingId } from '../core/ranking/model.ts';
import { parseMultiplier, parseTitle, parseUtcOffset } from '../core/settings/guild-config.ts';
import { parseTimeZone } from '../core/settings/time-zone.ts';
import { BOARD_KINDS, type BoardKind } from '../core/store/redis-keys.ts';
import { MAX_USERNAME_BYTES } from '../core/text-bounds.ts';
import { FIELD_WORDS, type FieldMap, type FieldWord } from '../imports/fields.ts';
import { readTime } from '../imports/times.ts';
import { parseDuration } from './duration.ts';

/** The options of a command about a guild. */
export interface GuildOptions {
  readonly guild: string;
  readonly json?: boolean;
}

/** Argument parsers for commander. Each returns the value, or throws InvalidArgumentError with the rule that the text breaks. */

/** Makes a parser for commander from a parser of core. An InvalidInputError of the parser becomes an InvalidArgumentError. */
export function asArgument<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof InvalidInputError) throw new InvalidArgumentError(`${error.message}.`);
      throw error;
    }
  };
}

/** Parses the id of a guild or of a user. */
export function parseId(text: string): string {
  if (!ID_PATTERN.test(text)) throw new InvalidArgumentError('It must be 1 to 64 of A-Z a-z 0-9 _ - .');
  return text;
}

/** Parses the id of a guild, or the id of a board, such as `123~week`. */
export function parseRanking(text: string): RankingId {
  const id = parseRankingId(text);
  if (!id)
    throw new InvalidArgumentError(
      'It must be 1 to 64 of A-Z a-z 0-9 _ - . and for a board end with ~week, ~week.prev, ~month or ~month.prev.',
    );
  return id;
}

/**
 * Adds a required option with an id as its value. Commander's own `requiredOption` would call `--guild` missing in a call with the misspelt
 * `--gild g`. This option is checked only after all names of options are known, so that commander reports the misspelt name.
 */
export function requireId(
  command: Command,
  flags: string,
  description: string,
  parse: (text: string) => unknown = parseId,
): Command {
  const option = new Option(flags, description).argParser(parse);
  return command.addOption(option).hook('preAction', (_, called) => {
    if (called.getOptionValue(option.attributeName()) === undefined)
      called.error(`error: required option '${flags}' not specified`);
  });
}

/** Returns a function that adds a subcommand with the required option --guild. @param guild description of the option --guild. */
export function guildCommands(command: Command, guild = 'guild id') {
  return (name: string, description: string) =>
    requireId(command.command(name).description(description), '--guild <id>', guild);
}

/** Parses the name of an API key. */
export function parseKeyName(text: string): string {
  if (!KEY_NAME_PATTERN.test(text)) {
    throw new InvalidArgumentError('It must be 1 to 64 characters, without line breaks or control characters.');
  }
  return text;
}

/** Parses the lifetime of a key, in milliseconds. */
export function parseLifetime(text: string): number {
  const ms = parseDuration(text);
  if (ms === 0)
    throw new InvalidArgumentError('A key must work for a while: give at least 1m, or leave --expires out.');
  return ms;
}

/** Parses the web origins that a key is limited to, separated by commas. */
export function parseOriginList(text: string): string[] {
  const origins = asArgument(parseOrigins)(text);
  // A key without origins works on every site, and nobody means that by --origins ''.
  if (origins.length === 0) throw new InvalidArgumentError('Name at least one origin, or leave --origins out.');
  return origins;
}

/** Parses the requests an hour that a key allows. */
export const parseKeyCap = asArgument(parseCap);

/** Parses a multiplier of XP. */
export const parseXpMultiplier = asArgument(parseMultiplier);

/** The curves that {@link parseCurveText} takes. */
export const CURVES = `${CURVE_NAMES.join(', ')}, or custom=a,b,c,d,q,m`;

/** Parses a number of requests a second. */
export function parseRate(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 9999999.');
  return Number(text);
}

/** Parses a curve: the name of a known curve, or `custom=` with six coefficients. */
export function parseCurveText(text: string): CurveText {
  const isCustom = text.startsWith('custom=');
  if (isCustom ? !parseCurve(text) : curveTextOf(text) !== text) {
    throw new InvalidArgumentError(
      isCustom
        ? 'Give six whole numbers a,b,c,d,q,m, for (a n^3 + b n^2 + c n + d) / q rounded to m. docs/guilds.md has their bounds.'
        : `Allowed choices are ${CURVES}.`,
    );
  }
  return curveTextOf(text);
}

/** Parses a list of boards, or "none". */
export function parseBoards(text: string): BoardKind[] {
  const names = text === 'none' ? [] : text.split(',');
  const kinds = BOARD_KINDS.filter((kind) => names.includes(kind));
  if (kinds.length !== names.length) throw new InvalidArgumentError('It must be week, month, week,month or none.');
  return kinds;
}

/** Parses the name of a time zone. */
export const parseZone = asArgument(parseTimeZone);

/** Parses minutes from UTC. */
export const parseOffset = asArgument(parseUtcOffset);

/** Parses on or off. */
export function parseSwitch(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new InvalidArgumentError('It must be on or off.');
  return text === 'on';
}

/** Parses a title of the public page. */
export const parsePageTitle = asArgument(parseTitle);

/** The fields that {@link parseFieldMap} takes. */
export const FIELD_LIST = Object.keys(FIELD_WORDS).join(', ');
/** A comma separates two fields only before a word of `--map` and "=", because names of fields in files can have commas too. */
const BETWEEN_FIELDS = new RegExp(`,(?=(?:${Object.keys(FIELD_WORDS).join('|')})=)`);

/** Parses the fields of a file, such as `xp=total_xp,name=tag`. */
export function parseFieldMap(text: string): FieldMap {
  const map: { [Word in FieldWord]?: string } = {};
  for (const part of text.split(BETWEEN_FIELDS)) {
    const [, word = '', name = ''] = /^([^=]*)=(.*)$/.exec(part) ?? [];
    if (!Object.hasOwn(FIELD_WORDS, word) || name === '')
      throw new InvalidArgumentError(`It must be like xp=total_xp,name=tag, with the fields ${FIELD_LIST}.`);
    map[word as FieldWord] = name;
  }
  if (!map.xp) throw new InvalidArgumentError('It must name the field with the XP, such as xp=total_xp.');
  return map;
}

/** Parses a number of members to generate. */
export function parseMemberCount(text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 99999999.');
  return Number(text);
}

/** Collects user ids. */
export function parseIds(text: string, before: readonly string[] = []): string[] {
  return [...before, parseId(text)];
}

/** Parses a whole number 0 .. 2^53-1. */
export function parseWhole(text: string): number {
  if (!/^\d{1,16}$/.test(text) || Number(text) > MAX_XP)
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${MAX_XP}.`);
  return Number(text);
}

/** Parses XP to add, which may be negative. */
export function parseXpChange(text: string): number {
  return text.startsWith('-') ? -parseWhole(text.slice(1)) : parseWhole(text);
}

/** Parses an explicit level, or "none". */
export function parseLevel(text: string): number | 'none' {
  return text === 'none' ? text : parseWhole(text);
}

/** Parses the display name of a member. */
export function parseName(text: string): string {
  if (Buffer.byteLength(text) > MAX_USERNAME_BYTES)
    throw new InvalidArgumentError(`It must have at most ${MAX_USERNAME_BYTES} bytes.`);
  return text;
}

/** Parses a time as imports do: a time without a zone is in UTC. */
export function parseTime(text: string): string {
  const time = readTime(text);
  if (time === undefined || time === 'ambiguous')
    throw new InvalidArgumentError('It must be a time such as 2026-01-31T18:30:00Z.');
  return time;
}
