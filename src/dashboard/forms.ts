import { timingSafeEqual } from 'node:crypto';
import express, { type Request, type RequestHandler, type Response } from 'express';
import * as z from 'zod';
import { parseCap } from '../core/access/api-key-record.ts';
import { InvalidInputError } from '../core/errors.ts';
import { digits } from '../core/format-numbers.ts';
import { RefusedPage } from './refused-page.ts';
import { messageForPerson } from './sentences.ts';
import { sessionOf, visitOf } from './visit.ts';

/** Name of the hidden field with the token of the session. */
export const TOKEN_FIELD = '_token';

/** Largest form, in kB: 16 kB of rules as JSON, with line breaks and encoded. A page with an upload reads the body itself. */
export const MAX_FORM_KB = 96;
/** Most fields of a form. A form with 16 kB of rules has three fields for each reward. */
const MAX_FIELDS = 3000;
/** The limits of a form, for messages. */
export const FORM_LIMITS = `${MAX_FORM_KB} kB and ${digits(MAX_FIELDS)} fields`;

/**
 * Lets only pages of the dashboard change something: the browser must name the dashboard as the origin of every request but GET and HEAD.
 * @param origin address of the dashboard.
 */
export function requireSameOrigin(origin: () => string): RequestHandler {
  return (req, _res, next) => {
    if (req.method === 'GET' || req.method === 'HEAD') return next();
    if (req.method !== 'POST') throw new RefusedPage(405, 'Not allowed', 'The dashboard knows GET and POST only.');
    if (req.headers.origin === origin()) return next();
    throw new RefusedPage(
      403,
      'Refused',
      `This form was not sent from ${origin()}. Open the dashboard at ${origin()}. If you opened it at its right address, the operator has to correct DASHBOARD_URL.`,
    );
  };
}

/** How long a person may take to send a form, in milliseconds. Only the upload of a person who is signed in may take longer. */
const BODY_TIMEOUT_MS = 10_000;

/** Cuts the connection of a request whose body takes too long, unless {@link allowLongBody} is called for it. */
export const limitBodyTime: RequestHandler = (req, res, next) => {
  const timer = setTimeout(() => {
    if (!req.complete) req.socket.destroy();
  }, BODY_TIMEOUT_MS);
  visitOf(res).bodyTimer = timer;
  res.once('close', () => clearTimeout(timer));
  next();
};

/** Lets the body of a request take as long as the server allows. */
export function allowLongBody(res: Response): void {
  clearTimeout(visitOf(res).bodyTimer);
}

/** Reads forms without files into `req.body`. Each field is a text. */
export const readForm: RequestHandler = express.urlencoded({
  extended: false,
  limit: `${MAX_FORM_KB}kb`,
  parameterLimit: MAX_FIELDS,
});

/**
 * Refuses a form without the token of the session. A form with a file is not read here: the page that takes the upload reads it, and calls
 * {@link requireToken} before anything else.
 * @param uploads paths of the forms with a file, below a guild.
 */
export function checkForm(uploads: readonly string[]): RequestHandler {
  return (req, res, next) => {
    const path = /^\/guilds\/[^/]+(\/.*)$/.exec(req.path)?.[1] ?? '';
    const isUpload = req.is('multipart/form-data') && uploads.includes(path);
    if (req.method === 'POST' && !isUpload) requireToken(res, formOf(req)[TOKEN_FIELD]);
    next();
  };
}

/** @throws RefusedPage unless the text is the form token of the session. */
export function requireToken(res: Response, text: string | undefined): void {
  const given = Buffer.from(text ?? '');
  const wanted = Buffer.from(sessionOf(res).formToken);
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
  throw new RefusedPage(
    403,
    'Refused',
    'This form belongs to another sign-in. Nothing was changed. Load its page again, and repeat it.',
  );
}

/** Returns the fields of a form, each with its first value. */
export function formOf(req: Request): Readonly<Record<string, string>> {
  const fields: Readonly<Record<string, string | string[]>> = req.body ?? {};
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String([value].flat()[0] ?? '')]));
}

/** All values of the fields of a form, by their names, in the order of the form. */
export type FormValues = Readonly<Record<string, readonly string[]>>;

/** Returns the fields of a form with all values of each. */
export function valuesOf(req: Request): FormValues {
  const fields: Readonly<Record<string, string | string[]>> = req.body ?? {};
  return Object.fromEntries(Object.entries(fields).map(([name, values]) => [name, [values].flat()]));
}

/** Returns all fields of a form except the token of the session, with all their values. */
export function sentFields(req: Request): [name: string, value: string][] {
  return Object.entries(valuesOf(req)).flatMap(([name, values]) =>
    name === TOKEN_FIELD ? [] : values.map((value): [string, string] => [name, String(value)]),
  );
}

/** Fields that no person fills in. Two are secrets. */
const HIDDEN_FIELDS: readonly string[] = [TOKEN_FIELD, 'once', 'invite', 'id', 'mode', 'confirm', 'version'];

/** Returns the names and values that a person entered into a form, to show them again; empty for a form with a file. */
export function enteredOf(req: Request): [name: string, value: string][] {
  return Object.entries(formOf(req)).filter(([name, value]) => value !== '' && !HIDDEN_FIELDS.includes(name));
}

/** Messages about wrong fields of a form, by the names of the fields. The first wrong field has the focus when the form is shown again. */
export type FormErrors = Readonly<Record<string, string>>;

/** Some fields of a form are wrong. The message names all of them. */
export class WrongFieldsError extends InvalidInputError {
  constructor(
    message: string,
    readonly fields: FormErrors,
  ) {
    super(message);
  }
}

/** Returns the messages about wrong fields of a form in an error; empty for any other error. */
export function errorsOf(error: unknown): FormErrors {
  return error instanceof WrongFieldsError ? error.fields : {};
}

/** Checks the fields of a form. @throws WrongFieldsError which names all wrong fields. */
export function parseForm<T>(schema: z.ZodType<T>, fields: unknown): T {
  const { data, error } = schema.safeParse(fields);
  if (!error) return data;
  throw new WrongFieldsError(problemOfFields(error), errorsOfFields(error));
}

/** Returns a message for each wrong field of a form, or parameter of an address, by its name. */
export function errorsOfFields({ issues }: z.ZodError): FormErrors {
  return Object.fromEntries(issues.map((issue) => [issue.path.join('.'), problemOfField(issue)]));
}

/** Returns what is wrong with the fields of a form, or the parameters of an address. */
export function problemOfFields({ issues }: z.ZodError): string {
  return issues.map(problemOfField).join('. ');
}

function problemOfField({ code, path, message }: z.core.$ZodIssue): string {
  return code === 'invalid_type' ? `Give the field "${path.join('.')}" once` : message;
}

/** Does `work`. If it throws because values are wrong or the data do not allow it, calls `show` with a message for the person. */
export async function showProblem(
  show: (problem: string, error: unknown) => void | Promise<void>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const problem = messageForPerson(error);
    if (problem === undefined) throw error;
    await show(problem, error);
  }
}

/** Returns the parser of a field that is one of the names of a table. */
export function choice<T extends object>(table: T) {
  const names = Object.keys(table) as [keyof T & string, ...(keyof T & string)[]];
  return z.enum(names, { error: `Choose one of ${names.filter(Boolean).join(', ')}` });
}

/** Returns the parser of a field that `parse` reads. If `parse` throws an InvalidInputError, its message stands beside the field. */
export function parsed<T>(parse: (text: string) => T) {
  return z.string().transform((text, context): T => {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  });
}

/** The parser of the field for the cap of an API key. An empty field means no cap. */
export const capField = parsed((text) => (text.trim() === '' ? null : parseCap(text.trim()))).prefault('');
