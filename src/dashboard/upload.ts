import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import type { Request, Response } from 'express';
import { requireToken, TOKEN_FIELD } from './forms.ts';
import { Refusal } from './refusal.ts';

/** A form with a file, received. */
export interface Upload {
  readonly fields: Readonly<Record<string, string>>;
  /** Name of the file as the browser gave it; "" when no file was chosen. */
  readonly name: string;
  /** Bytes of the file. */
  readonly size: number;
}

/** Largest file, in bytes. */
export const MAX_UPLOAD = 50 * 1024 * 1024;
/** The form around the file. */
const MAX_REST = 64 * 1024;
const LIMITS = {
  ...{ fileSize: MAX_UPLOAD, files: 1, fields: 10, parts: 11 },
  ...{ fieldSize: 1024, fieldNameSize: 100, headerPairs: 20, headerSize: 8192 },
};

/**
 * Reads a form whose last part is a file, and writes the file to a path as it comes. The token of the form is checked before.
 * @throws Refusal for a form without token, one that is malformed, or one that is too large.
 */
export function receiveUpload(req: Request, res: Response, path: string): Promise<Upload> {
  const type = req.headers['content-type'];
  if (type === undefined || !req.is('multipart/form-data')) throw malformed();
  if (Number(req.headers['content-length'] ?? 0) > MAX_UPLOAD + MAX_REST) throw tooLarge();
  const fields: Record<string, string> = Object.create(null);
  return new Promise((resolve, reject) => {
    let saved: Promise<{ name: string; size: number }> | undefined;
    const form = openForm({ ...req.headers, 'content-type': type });
    const fail = (error: unknown): void => {
      req.unpipe(form);
      // The rest is read and thrown away, so that the browser gets the answer.
      req.resume();
      reject(error);
    };
    form.on('field', (name, value) => {
      fields[name] ??= value;
    });
    form.on('file', (_field, file, name) => {
      try {
        requireToken(res, fields[TOKEN_FIELD]);
      } catch (error) {
        file.resume();
        return fail(error);
      }
      saved = save(file, path).then((size) => ({ name: name ?? '', size }));
      saved.catch(fail);
    });
    for (const event of ['filesLimit', 'fieldsLimit', 'partsLimit']) form.on(event, () => fail(malformed()));
    form.on('error', () => fail(malformed()));
    req.on('aborted', () => fail(malformed()));
    form.on('finish', () => {
      if (!saved) return fail(malformed());
      saved.then((file) => resolve({ fields, ...file }), fail);
    });
    req.pipe(form);
  });
}

function openForm(headers: ConstructorParameters<typeof Busboy>[0]['headers']) {
  try {
    return new Busboy({ headers, limits: LIMITS });
  } catch {
    throw malformed();
  }
}

async function save(file: Readable & { truncated: boolean; bytesRead: number }, path: string): Promise<number> {
  await pipeline(file, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  if (file.truncated) throw tooLarge();
  return file.bytesRead;
}

function malformed(): Refusal {
  return new Refusal(400, 'Bad request', 'The dashboard cannot read this upload. Send it with the form of the page.');
}

function tooLarge(): Refusal {
  const limit = `${MAX_UPLOAD / 1024 / 1024} MB`;
  return new Refusal(
    413,
    'Too large',
    `A file has ${limit} at most here. Compress it with gzip, or ask the operator, who has the command "seed" for any size.`,
  );
}
