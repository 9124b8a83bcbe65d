import { createReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { InvalidInputError, isAbort, systemErrorOf } from '../core/errors.ts';
import { textOf } from './text-bytes.ts';

const CHUNK = 64 * 1024;

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'no permission',
  ENOSPC: 'the disk of temporary files is full',
  Z_DATA_ERROR: 'the gzip archive is damaged',
  Z_BUF_ERROR: 'the gzip archive is cut off',
};

/** The bytes of an import, which can be read more than once. */
export interface ImportSource {
  /** Name for messages. */
  readonly name: string;
  /** Bytes of the file; an archive has fewer of them than its text. */
  readonly size: number;
  /** Opens it from its beginning. */
  open(): Readable;
  /** Deletes the temporary file, if any. */
  close(): Promise<void>;
}

/**
 * Opens a file by its path, or a stream. Something that can be read only once, such as standard input, is first copied into a temporary file. The
 * name of that file is deleted at once, so that nothing stays behind.
 * @param name of the file for messages.
 * @throws InvalidInputError when it cannot be read.
 */
export async function openSource(
  source: string | Readable,
  signal: AbortSignal | undefined,
  name = typeof source === 'string' ? source : 'stdin',
): Promise<ImportSource> {
  if (typeof source !== 'string') return keep(source, signal, name);
  const info = await stat(source).catch((error: Error) => unreadable(name, error));
  if (info.isDirectory()) throw new InvalidInputError(`Cannot read ${name}: it is a folder`);
  if (!info.isFile()) return keep(createReadStream(source), signal, name);
  return {
    name,
    size: info.size,
    open: () => createReadStream(source, { highWaterMark: CHUNK }),
    close: async () => {},
  };
}

/** Copies a stream into a temporary file, and deletes its name. */
async function keep(stream: Readable, signal: AbortSignal | undefined, name: string): Promise<ImportSource> {
  if (signal) addAbortSignal(signal, stream);
  const folder = await mkdtemp(join(tmpdir(), 'guildrank-import-'));
  try {
    const file = await open(join(folder, 'input'), 'wx+', 0o600);
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) await file.writeFile(chunk);
    } catch (error) {
      await file.close();
      return unreadable(name, error as Error);
    }
    const { size } = await file.stat();
    return { name, size, open: () => Readable.from(bytesOf(file)), close: () => file.close() };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Yields the bytes of an open file from its beginning. */
async function* bytesOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/**
 * Returns the text of a source, as {@link textOf}.
 * @param onRead called with the number of bytes of each piece of the file.
 * @throws InvalidInputError when it cannot be read. AbortError when the signal is aborted.
 */
export async function* readSource(
  source: ImportSource,
  signal: AbortSignal | undefined,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<string> {
  const stream = source.open();
  if (signal) addAbortSignal(signal, stream);
  async function* bytes(): AsyncGenerator<Buffer> {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      onRead(chunk.length);
      yield chunk;
    }
  }
  try {
    yield* textOf(bytes(), source.name);
  } catch (error) {
    unreadable(source.name, error as Error);
  } finally {
    stream.destroy();
  }
}

/** Throws an InvalidInputError that says why a file cannot be read. Throws an abort and an error of the domain unchanged. */
function unreadable(name: string, error: Error): never {
  if (isAbort(error) || error instanceof InvalidInputError) throw error;
  if (/^https?:\/\//i.test(name))
    throw new InvalidInputError(
      `${name} is no file: fetch it first, such as with curl -fsSL -o members.json '${name}'`,
    );
  throw new InvalidInputError(`Cannot read ${name}: ${UNREADABLE[systemErrorOf(error).code] ?? error.message}`);
}
