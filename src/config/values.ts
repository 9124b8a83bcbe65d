import * as z from 'zod';
import { ConfigError } from '../core/errors.ts';

/** Parsers of values that several settings have. */

/** Parses environment variables by a schema. An empty value counts as unset. @throws ConfigError with every wrong variable. */
export function parseVariables<T>(variables: z.ZodType<T>, env: Readonly<Record<string, string | undefined>>): T {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const result = variables.safeParse(given);
  if (result.success) return result.data;
  throw new ConfigError(result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`));
}

/** Returns the parser of a whole number in a range, `fallback` when it is unset. */
export const integer = (min: number, max: number, fallback: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be a whole number from ${min} to ${max}`)
    .default(fallback);

/** Returns the parser of an address to listen on, `fallback` when it is unset. An address of IPv6 may stand in brackets, as in a URL. */
export const hostSetting = (fallback: string) =>
  z
    .string()
    .transform((text) => text.replace(/^\[(.*)\]$/, '$1'))
    .default(fallback);

export const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });

/** Parses an address, without slashes at its end. */
export const addressSetting = z
  .string()
  .default('')
  .transform((text) => text.replace(/\/+$/, ''));

/** Returns the parser of a list that is separated by commas. */
export function listSetting(fallback = '') {
  return z.string().default(fallback).transform(splitList);
}

/** Returns the parts of a list that is separated by commas. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
