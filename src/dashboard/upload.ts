import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { Request, Response } from 'express';
import { InvalidInputError } from '../core/errors.ts';
import { allowLongBody, requireToken, TOKEN_FIELD } from './forms.ts';
import { Refusal } from './refusal.ts';

/** A form with a file, received. */
interface Upload {
  readonly fields: Readonly<Record<string, string>>;
  /** Name of the file as the browser gave it, without control characters: 100 characters at most, and "" for no name. */
  readonly name: string;
}

const LONGEST_NAME = 100;
/** The form around the file. */
const MAX_REST = 64 * 1024;
const LIMITS = {
  files: 1,
  fields: 10,
  parts: 11,
  fieldSize: 1024,
  fieldNameSize: 100,
  headerPairs: 20,
  headerSize: 8192,
};

/**
 * Reads a form whose last part is a file, and writes the file to a path as it comes. The token of the form is checked before.
 * @param maxBytes of the file.
 * @param signal says that another file needs the place of this one.
 * @throws Refusal for a form without token, one that is malformed, or one that is too large or too slow.
 * @throws InvalidInputError for an empty file.
 */
export function receiveUpload(
  req: Request,
  res: Response,
  path: string,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Upload> {
  const type = req.headers['content-type'];
  if (type === undefined || !req.is('multipart/form-data')) throw malformed();
  if (Number(req.headers['content-length'] ?? 0) > maxBytes + MAX_REST) throw tooLarge(maxBytes);
  const fields: Record<string, string> = Object.create(null);
  return new Promise((resolve, reject) => {
    const form = openForm({ ...req.headers, 'content-type': type }, maxBytes);
    let saved: { readonly name: string; readonly file: BusboyFileStream; readonly copy: WriteStream } | undefined;
    const fail = (error: unknown): void => {
      req.unpipe(form);
      // The rest is read and thrown away, so that the browser gets the answer.
      req.resume();
      // The file can be deleted for good once it is closed.
      if (saved && !saved.copy.closed) saved.copy.once('close', () => reject(error)).destroy();
      else reject(error);
    };
    form.on('field', (name, value) => {
      // The library ends the file too early when a part follows it.
      if (saved) fail(malformed());
      fields[name] ??= value;
    });
    form.on('file', (_field, file, name = '') => {
      // A body that is cut off is an error of the file too.
      file.on('error', () => {});
      try {
        requireToken(res, fields[TOKEN_FIELD]);
        allowLongBody(res);
      } catch (error) {
        return fail(error);
      }
      saved = { name, file, copy: file.pipe(createWriteStream(path, { flags: 'wx', mode: 0o600 })) };
      saved.copy.on('error', fail);
    });
    signal?.addEventListener('abort', () => fail(tooSlow()), { once: true });
    for (const event of ['filesLimit', 'fieldsLimit', 'partsLimit']) form.on(event, () => fail(malformed()));
    form.on('error', () => fail(malformed()));
    finished(req, (error) => error && fail(malformed()));
    form.on('finish', () => {
      if (!saved) return fail(malformed());
      const { name, file, copy } = saved;
      finished(copy, (error) => {
        if (error) fail(error);
        else if (file.truncated) fail(tooLarge(maxBytes));
        else if (file.bytesRead === 0) fail(new InvalidInputError('Choose a file that is not empty'));
        else resolve({ fields, name: name.replace(/\p{Cc}/gu, '').slice(0, LONGEST_NAME) });
      });
    });
    req.pipe(form);
  });
}

function openForm(headers: ConstructorParameters<typeof Busboy>[0]['headers'], fileSize: number) {
  try {
    return new Busboy({ headers, limits: { ...LIMITS, fileSize } });
  } catch {
    throw malformed();
  }
}

function malformed(): Refusal {
  return new Refusal(400, 'Bad request', 'The dashboard cannot read this upload. Send it with the form of the page.');
}

function tooSlow(): Refusal {
  return new Refusal(408, 'Too slow', 'Other files waited, and this one came too slowly. Upload it again.');
}

function tooLarge(maxBytes: number): Refusal {
  const limit = `${maxBytes / 1024 / 1024} MB`;
  return new Refusal(
    413,
    'Too large',
    `A file has ${limit} at most here. Compress it with gzip, or ask the operator, who has commands for larger ones.`,
  );
}
