import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { InvalidInputError, isAbort, systemErrorOf } from '../errors.ts';
import type { CurveText } from '../guild/ranking/curves.ts';
import type { Advice, Reporter } from './advice.ts';
import { readCsv } from './csv.ts';
import { detectFormat } from './detect.ts';
import { type FormatName, formatNamed } from './formats.ts';
import { readJson } from './json.ts';
import { readNdjson } from './ndjson.ts';
import { refuseOtherContent } from './other-content.ts';
import { curveOfSettings, settingsIn } from './polaris-settings.ts';
import type { Entry } from './rows.ts';
import { textBytes } from './text-bytes.ts';

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
  /** Closes its file, which a reading that fails leaves open. */
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
  async function* raw(): AsyncGenerator<Buffer> {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      read += chunk.length;
      yield chunk;
    }
  }
  const chunks = textBytes(raw(), name);
  const head: Buffer[] = [];
  for (let length = 0; length < CHUNK; ) {
    const { value, done } = await chunks.next().catch((error: Error) => unreadable(name, error));
    if (done) break;
    head.push(value);
    length += value.length;
  }
  const beginning = Buffer.concat(head).toString('utf8');
  const format = formatOf(beginning, given, name, stream, reporter.advice);
  const curve = format === 'polaris' ? polarisCurve(beginning, name, reporter) : undefined;
  async function* bytes(onRead: (amount: number) => void): AsyncGenerator<Buffer> {
    let told = 0;
    const tell = (): void => {
      onRead(read - told);
      told = read;
    };
    tell();
    for (let chunk = head.shift(); chunk; chunk = head.shift()) yield chunk;
    for (;;) {
      const { value, done } = await chunks.next().catch((error: Error) => unreadable(name, error));
      if (done) return;
      tell();
      yield value;
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
      if (json) return readJson(bytes(onRead), json, name, reporter.advice);
      return format === 'csv'
        ? readCsv(bytes(onRead), name, (line) => reporter.write(line))
        : readNdjson(bytes(onRead), name);
    },
    close: () => void stream.destroy(),
  };
}

/** @throws InvalidInputError when the beginning is that of no export, or does not show its format. The stream is closed then. */
function formatOf(
  head: string,
  given: FormatName | undefined,
  name: string,
  stream: Readable,
  advice: Advice,
): FormatName {
  try {
    refuseOtherContent(head, name);
    return given ?? detectFormat(head, name, advice);
  } catch (error) {
    stream.destroy();
    throw error;
  }
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

/** @throws InvalidInputError which says why a file cannot be read; an abort and an error of the domain as they are. */
export function unreadable(name: string, error: Error): never {
  if (isAbort(error) || error instanceof InvalidInputError) throw error;
  if (/^https?:\/\//i.test(name))
    throw new InvalidInputError(
      `${name} is no file: fetch it first, such as with curl -fsSL -o members.json '${name}'`,
    );
  throw new InvalidInputError(`Cannot read ${name}: ${UNREADABLE[systemErrorOf(error).code] ?? error.message}`);
}
