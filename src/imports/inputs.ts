import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { InvalidInputError, isAbort, systemErrorOf } from '../core/errors.ts';
import type { CurveText } from '../core/ranking/curves.ts';
import type { Reporter } from './advice.ts';
import { readCsv } from './csv.ts';
import { detectFormat } from './detect.ts';
import { type FormatName, formatNamed } from './formats.ts';
import { readJson } from './json.ts';
import { readNdjson } from './ndjson.ts';
import { refuseOtherContent } from './other-content.ts';
import { curveOfSettings, settingsIn } from './polaris-settings.ts';
import type { Entry } from './rows.ts';
import { textOf } from './text-bytes.ts';

const CHUNK = 64 * 1024;

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'no permission',
  Z_DATA_ERROR: 'the gzip archive is damaged',
  Z_BUF_ERROR: 'the gzip archive is cut off',
};

/** A source of members. */
export interface Input {
  /** Name for messages. */
  readonly name: string;
  /** Unit of the places of its entries. */
  readonly unit: 'line' | 'element';
  /** Amount to read, in the unit of `onRead`; undefined for a pipe. */
  readonly size: number | undefined;
  readonly format?: FormatName;
  /** The curve that the file names itself. */
  readonly curve?: CurveText;
  /** Reads it once, in pieces. @throws AbortError when the signal given at opening is aborted. */
  entries(onRead: (amount: number) => void): AsyncGenerator<Entry[]>;
  /** Closes its file, if it is still open. */
  close(): void;
}

/**
 * Opens a file by its path, or a stream, and detects its format. The beginning that it reads for this is kept, so
 * that a pipe works too. Unpacks gzip.
 * @param given the format, when it is known.
 * @param name of the file for messages, when it is neither the path nor standard input.
 * @throws InvalidInputError when the file cannot be read or its format cannot be detected.
 */
export async function openInput(
  source: string | Readable,
  given: FormatName | undefined,
  signal: AbortSignal,
  reporter: Reporter,
  name = typeof source === 'string' ? source : 'stdin',
): Promise<Input> {
  const { stream, size } = typeof source === 'string' ? await openFile(source) : { stream: source, size: undefined };
  addAbortSignal(signal, stream);
  /** Bytes of the file, which an archive has fewer of than its text. */
  let read = 0;
  const text = readText(stream, name, (bytes) => {
    read += bytes;
  });
  const head: string[] = [];
  for (let length = 0; length < CHUNK; ) {
    const { value, done } = await text.next();
    if (done) break;
    head.push(value);
    length += Buffer.byteLength(value);
  }
  const beginning = head.join('');
  let format: FormatName;
  try {
    refuseOtherContent(beginning, name);
    format = given ?? detectFormat(beginning, name, reporter.advice);
  } catch (error) {
    stream.destroy();
    throw error;
  }
  const curve = format === 'polaris' ? polarisCurve(beginning, name, reporter) : undefined;
  async function* pieces(onRead: (amount: number) => void): AsyncGenerator<string> {
    onRead(read);
    let told = read;
    yield* head;
    for await (const piece of text) {
      onRead(read - told);
      told = read;
      yield piece;
    }
  }
  const { json } = formatNamed(format);
  return {
    name,
    unit: json ? 'element' : 'line',
    size,
    format,
    ...(curve && { curve }),
    entries(onRead) {
      if (json) return readJson(pieces(onRead), json, name, reporter.advice);
      return format === 'csv'
        ? readCsv(pieces(onRead), name, (line) => reporter.write(line))
        : readNdjson(pieces(onRead), name);
    },
    close: () => void stream.destroy(),
  };
}

/** Returns the curve in the settings of a Polaris export. They stand before the members. */
function polarisCurve(head: string, name: string, reporter: Reporter): CurveText | undefined {
  const settings = settingsIn(head);
  const found = settings && curveOfSettings(settings);
  if (settings && !found)
    reporter.write(`${name}: its settings make no curve: levels will differ from those it showed`);
  if (found && found.wrong > 0) {
    reporter.write(
      `${name}: ${found.wrong} of its ${settings?.maxLevel} levels will begin at other XP, because its curve has many decimals`,
    );
  }
  return found?.curve;
}

/** Opens a file. @returns its bytes, and their number unless it is a pipe. @throws InvalidInputError */
export async function openFile(path: string): Promise<{ stream: Readable; size: number | undefined }> {
  const info = await stat(path).catch((error: Error) => unreadable(path, error));
  if (info.isDirectory()) throw new InvalidInputError(`Cannot read ${path}: it is a folder`);
  return { stream: createReadStream(path, { highWaterMark: CHUNK }), size: info.isFile() ? info.size : undefined };
}

/**
 * Returns the text of an open file, as {@link textOf}, and closes it at the end, or when a reading of it ends early.
 * @param onRead called with the number of bytes of each piece of the file.
 * @throws InvalidInputError when it cannot be read.
 */
export async function* readText(
  stream: Readable,
  name: string,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<string> {
  async function* bytes(): AsyncGenerator<Buffer> {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      onRead(chunk.length);
      yield chunk;
    }
  }
  try {
    yield* textOf(bytes(), name);
  } catch (error) {
    unreadable(name, error as Error);
  } finally {
    stream.destroy();
  }
}

/** @throws InvalidInputError which says why a file cannot be read; an abort and an error of the domain as they are. */
function unreadable(name: string, error: Error): never {
  if (isAbort(error) || error instanceof InvalidInputError) throw error;
  if (/^https?:\/\//i.test(name))
    throw new InvalidInputError(
      `${name} is no file: fetch it first, such as with curl -fsSL -o members.json '${name}'`,
    );
  throw new InvalidInputError(`Cannot read ${name}: ${UNREADABLE[systemErrorOf(error).code] ?? error.message}`);
}
