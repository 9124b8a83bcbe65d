import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChildOptions, type RunningChild, startChild } from '../../scripts/dev/child-process.ts';
import { type CommandResult, runProgram } from '../support/run-command.ts';
import { baseArchive, buildContext, npmVolumes } from './image-sources.ts';

/** How long a program in a container may take until it has ended. */
export const ENDED_MS = 240_000;

const NAME = 'localhost/guildrank';
const BASE = 'localhost/base';

/** How a container runs: what `docker run` takes as options. */
export interface ContainerOptions extends ChildOptions {
  readonly variables?: Readonly<Record<string, string>>;
  /** Each as `path:path in the container[:ro]`. */
  readonly volumes?: readonly string[];
  readonly user?: string;
  /** A program and its arguments that start the container, such as one that enters a network. */
  readonly within?: readonly string[];
}

/** A container of an image, which several programs can run in at once. */
export interface Container {
  /** Starts the entry point of the image with these arguments. `kill` signals that program, not what runs the container. */
  start(args: readonly string[], options?: ContainerOptions): RunningChild;
  /** Starts another program in it. */
  startProgram(command: readonly string[], options?: ContainerOptions): RunningChild;
}

/** The image of the Dockerfile, built in a folder of its own. */
export interface Image {
  readonly bytes: { readonly all: number; readonly base: number };
  // biome-ignore lint/suspicious/noExplicitAny: the configuration of an image has no type of its own here
  readonly config: any;
  createContainer(): Promise<Container>;
  /** Returns a container of the base image, which has Debian and Node alone. */
  createBaseContainer(): Promise<Container>;
  /** Builds the Dockerfile with another context. The result is not kept. */
  build(context: string): Promise<CommandResult>;
  remove(): void;
}

/** Builds the image as `docker build` does, without an engine. @throws with the output, when the build fails. */
export async function buildImage(): Promise<Image> {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-image-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // A test run that is stopped leaves no gigabyte behind.
  process.once('exit', remove);
  const store = ['--storage-driver', 'vfs', '--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];
  const buildah = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runProgram('buildah', [...store, ...args]);
    if (code !== 0) throw new Error(`buildah ${args.join(' ')}:\n${stdout}${stderr}`);
    return stdout.trim();
  };
  const isolation = ['--isolation', 'chroot'];
  const npm = await npmVolumes(folder);
  const settings = ['--format', 'docker', ...isolation, '--network', 'host', ...npm];
  const build = (context: string, ...options: readonly string[]) =>
    runProgram('buildah', [...store, 'bud', ...settings, '--build-arg', `NODE_IMAGE=${BASE}`, ...options, context]);

  await buildah('tag', await buildah('pull', '--quiet', `oci-archive:${await baseArchive()}`), BASE);
  const context = buildContext(folder);
  const { code, stdout, stderr } = await build(context, '--tag', NAME);
  if (code !== 0) throw new Error(`The image was not built:\n${stdout}${stderr}`);

  const layers = async (image: string) => {
    const { OCIv1, Docker, Manifest } = JSON.parse(await buildah('inspect', '--type', 'image', image));
    const sizes: { size: number }[] = JSON.parse(Manifest).layers;
    return { config: { ...OCIv1.config, ...Docker.config }, bytes: sizes.reduce((sum, { size }) => sum + size, 0) };
  };
  const { config, bytes } = await layers(NAME);
  const create = async (image: string, entry: readonly string[]): Promise<Container> => {
    const id = await buildah('from', '--pull-never', image);
    const startProgram: Container['startProgram'] = (command, options = {}) => {
      const { variables = {}, volumes = [], user, within = [], ...others } = options;
      const given = [
        ...Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
        ...volumes.flatMap((volume) => ['--volume', volume]),
        // buildah would mount a file of its own there.
        ...(volumes.some((volume) => volume.includes(':/etc/hosts')) ? ['--no-hosts'] : []),
        ...(user === undefined ? [] : ['--user', user]),
      ];
      const [program = '', ...args] = [
        ...within,
        'buildah',
        ...store,
        'run',
        ...isolation,
        ...given,
        id,
        '--',
        ...command,
      ];
      const child = startChild(program, args, { ...others, detached: true });
      const kill = (signal: NodeJS.Signals = 'SIGTERM') => {
        if (child.isRunning()) process.kill(programOf(child.child.pid as number), signal);
      };
      return { ...child, kill };
    };
    return { start: (args, options) => startProgram([...entry, ...args], options), startProgram };
  };
  return {
    bytes: { all: bytes, base: (await layers(BASE)).bytes },
    config,
    createContainer: () => create(NAME, config.Entrypoint),
    createBaseContainer: () => create(BASE, []),
    build,
    remove,
  };
}

/** Runs the entry point of the image to its end. */
export async function runInImage(
  container: Container,
  args: readonly string[],
  options?: ContainerOptions,
): Promise<CommandResult> {
  const child = container.start(args, options);
  const { code } = await child.waitForEnd(ENDED_MS);
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

/** Returns the process of the program in a container: below those of buildah, which would kill it at a signal. */
function programOf(pid: number): number {
  const name = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  if (!/^buildah/.test(name)) return pid;
  const tasks = readdirSync(`/proc/${pid}/task`).map((task) => `/proc/${pid}/task/${task}/children`);
  const [child] = tasks.flatMap((file) => readFileSync(file, 'utf8').split(' ')).filter((each) => each !== '');
  if (child === undefined) throw new Error(`The process ${pid} (${name}) has not started its program`);
  return programOf(Number(child));
}
