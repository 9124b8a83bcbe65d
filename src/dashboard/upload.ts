import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { Request, Response } from 'express';
import { InvalidInputError } from '../core/errors.ts';
import { allowLongBody, requireToken, TOKEN_FIELD } from './forms.ts';
import { RefusedPage } from './refused-page.ts';

/** A file of a form, received. */
export interface UploadedFile {
  /** Name as the browser gave it, without control characters: 100 characters at most, and "" for no name. */
  readonly name: string;
  readonly path: string;
}

/** A form with files, received. */
interface Upload {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly UploadedFile[];
}

/** A file that is written as it comes. */
interface Saving extends UploadedFile {
  readonly file: BusboyFileStream;
  readonly copy: WriteStream;
}

const LONGEST_NAME = 100;
/**
 * How long the rest of a refused upload is read, in milliseconds. A browser or a proxy that still sends when the connection ends would show an
 * error of the connection, and not the answer.
 */
const REST_MS = 5000;
/** Most bytes of the form outside its files. */
const MAX_REST = 64 * 1024;
const MAX_FIELDS = 20;
const LIMITS = {
  fields: MAX_FIELDS,
  fieldSize: 1024,
  fieldNameSize: 100,
  headerPairs: 20,
  headerSize: 8192,
};

/**
 * Reads a form whose last parts are files, and writes the files as they arrive. The token of the form is checked before the first file.
 * @param pathOf returns the path for a file, by its number from 0.
 * @param maxBytes the most bytes of all files together.
 * @param maxFiles the most files.
 * @param signal aborted when another upload needs the place of this upload.
 * @throws RefusedPage for a form that has no token, is malformed, too large or too slow.
 * @throws InvalidInputError when there is no file with content.
 */
export async function receiveUpload(
  req: Request,
  res: Response,
  pathOf: (number: number) => string,
  { maxBytes, maxFiles = 1 }: { readonly maxBytes: number; readonly maxFiles?: number },
  signal?: AbortSignal,
): Promise<Upload> {
  const type = req.headers['content-type'];
  if (type === undefined || !req.is('multipart/form-data')) throw malformed();
  if (Number(req.headers['content-length'] ?? 0) > maxBytes + MAX_REST) {
    await readRest(req);
    throw tooLarge(maxBytes);
  }
  const fields: Record<string, string> = Object.create(null);
  return new Promise((resolve, reject) => {
    const form = openForm({ ...req.headers, 'content-type': type }, maxBytes, maxFiles);
    const saving: Saving[] = [];
    let bytes = 0;
    const fail = (error: unknown): void => {
      req.unpipe(form);
      // The files can be deleted for good once they are closed.
      const open = saving.filter(({ copy }) => !copy.closed);
      const closed = open.map(({ copy }) => new Promise<void>((done) => copy.once('close', () => done()).destroy()));
      // The rest of this file is not awaited, because another file waits for its place.
      const rest = signal?.aborted ? req.resume() : readRest(req);
      void Promise.all([rest, ...closed]).then(() => reject(error));
    };
    form.on('field', (name, value) => {
      // The token is checked before the first file.
      if (saving.length > 0) fail(malformed());
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
      const path = pathOf(saving.length);
      const copy = file.pipe(createWriteStream(path, { flags: 'wx', mode: 0o600 }));
      copy.on('error', fail);
      file.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxBytes) fail(tooLarge(maxBytes));
      });
      saving.push({ name: name.replace(/\p{Cc}/gu, '').slice(0, LONGEST_NAME), path, file, copy });
    });
    signal?.addEventListener('abort', () => fail(tooSlow()), { once: true });
    for (const event of ['filesLimit', 'fieldsLimit', 'partsLimit']) form.on(event, () => fail(malformed()));
    form.on('error', () => fail(malformed()));
    finished(req, (error) => error && fail(malformed()));
    form.on('finish', () => {
      if (saving.length === 0) return fail(malformed());
      Promise.all(saving.map(({ copy }) => written(copy))).then(() => {
        if (saving.some(({ file }) => file.truncated)) return fail(tooLarge(maxBytes));
        if (bytes === 0) return fail(new InvalidInputError('Choose a file that is not empty'));
        resolve({ fields, files: saving.map(({ name, path }) => ({ name, path })) });
      }, fail);
    });
    req.pipe(form);
  });
}

/** Reads the rest of a body and discards it, for {@link REST_MS} at most. */
function readRest(req: Request): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, REST_MS);
    finished(req.resume(), () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Waits until a file is written. */
function written(copy: WriteStream): Promise<void> {
  return new Promise((resolve, reject) => {
    finished(copy, (error) => (error ? reject(error) : resolve()));
  });
}

function openForm(headers: ConstructorParameters<typeof Busboy>[0]['headers'], fileSize: number, files: number) {
  try {
    return new Busboy({ headers, limits: { ...LIMITS, files, parts: MAX_FIELDS + files, fileSize } });
  } catch {
    throw malformed();
  }
}

function malformed(): RefusedPage {
  return new RefusedPage(
    400,
    'Bad request',
    'The dashboard cannot read this upload. Send it with the form of the page.',
  );
}

function tooSlow(): RefusedPage {
  return new RefusedPage(408, 'Too slow', 'Other files waited, and this file came too slowly. Upload the file again.');
}

function tooLarge(maxBytes: number): RefusedPage {
  const limit = `${maxBytes / 1024 / 1024} MB`;
  return new RefusedPage(
    413,
    'Too large',
    `An upload has ${limit} at most here. Compress it with gzip, or ask the operator to import the file with the command "seed", which takes larger files.`,
  );
}
