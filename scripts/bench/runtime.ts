import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidInputError } from '../../src/errors.ts';

/** How the Node processes under test are started. */
export interface Runtime {
  /** Path of the Node binary. */
  readonly node: string;
  /** Node options of the service instead of those of `npm start`. */
  readonly nodeOptions: readonly string[] | undefined;
  /** Folder of a built checkout to compare with. */
  readonly before: string | undefined;
}

/** The parts of a checkout's `npm start`. */
interface StartScript {
  readonly nodeOptions: readonly string[];
  /** Path of the module that starts the service. */
  readonly entry: string;
}

/** Returns the command line of the service of this checkout. */
export function serviceCommand({ node, nodeOptions }: Runtime): readonly string[] {
  const start = readStartScript('.');
  return [node, ...(nodeOptions ?? start.nodeOptions), start.entry];
}

/**
 * Returns the command line of the service in another checkout.
 * @throws InvalidInputError if it has no start script or is not built.
 */
export function beforeCommand({ node, before }: Runtime): readonly string[] {
  if (before === undefined) throw new InvalidInputError('The contender "before" needs --before DIR');
  const start = readStartScript(before);
  if (!existsSync(start.entry)) throw new InvalidInputError(`${start.entry} is missing: build the checkout first`);
  return [node, ...start.nodeOptions, start.entry];
}

/**
 * Returns the version of a Node binary, such as v24.1.0.
 * @throws InvalidInputError if it does not run.
 */
export function nodeVersion(node: string): string {
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  const version = /^v\d+\.\d+\.\S+/.exec(stdout ?? '')?.[0];
  if (!version) throw new InvalidInputError(`${node} is not a Node binary that runs here`);
  return version;
}

/** Splits Node options as they are typed, without quotes. */
export function splitOptions(text: string): string[] {
  return text.split(/\s+/).filter((option) => option !== '');
}

function readStartScript(folder: string): StartScript {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) throw new InvalidInputError(`${file} is missing`);
  const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { scripts?: { start?: string } };
  const [program, ...args] = splitOptions(scripts?.start?.replace(/^exec /, '') ?? '');
  const entry = args.pop();
  if (program !== 'node' || entry === undefined) {
    throw new InvalidInputError(`The start script in ${file} is not "[exec] node [options] MODULE"`);
  }
  return { nodeOptions: args, entry: join(folder, entry) };
}
