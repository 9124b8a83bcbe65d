import { cpSync, mkdirSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runProgram } from './run-command.ts';

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The content of an image: its files under one folder, and its start command. */
export interface Image {
  /** Stands for `/`. */
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string | undefined;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

/** Parses a Dockerfile that uses neither line continuations nor here-documents. */
export function parseDockerfile(file: string): Instruction[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const space = line.indexOf(' ');
      return { name: line.slice(0, space), text: line.slice(space + 1) };
    });
}

/**
 * Carries out the COPY and RUN steps of each stage in its own folder, with the installed Node as the base image.
 * @param folder where they go; the caller deletes it.
 * @returns the last stage.
 */
export async function buildLike(instructions: readonly Instruction[], context: string, folder: string): Promise<Image> {
  const stages = new Map<string, Image>();
  let image: Image | undefined;
  for (const { name, text } of instructions) {
    if (name === 'ARG') continue;
    if (name === 'FROM') {
      const root = mkdtempSync(join(folder, 'stage-'));
      image = { root, workdir: '/', env: {}, user: undefined, entrypoint: [], command: [], healthcheck: [] };
      stages.set(/ AS (\S+)$/.exec(text)?.[1] ?? 'final', image);
      continue;
    }
    if (!image) throw new Error(`${name} before FROM`);
    image = await step(image, name, text, context, stages);
    for (const [key, stage] of stages) if (stage.root === image.root) stages.set(key, image);
  }
  if (!image) throw new Error('no stage');
  return image;
}

async function step(
  image: Image,
  name: string,
  text: string,
  context: string,
  stages: ReadonlyMap<string, Image>,
): Promise<Image> {
  const here = join(image.root, image.workdir);
  switch (name) {
    case 'WORKDIR':
      mkdirSync(join(image.root, text), { recursive: true });
      return { ...image, workdir: text };
    case 'ENV':
      return {
        ...image,
        env: {
          ...image.env,
          ...Object.fromEntries(text.split(' ').map((pair) => pair.split('=') as [string, string])),
        },
      };
    case 'USER':
      return { ...image, user: text };
    case 'ENTRYPOINT':
      return { ...image, entrypoint: JSON.parse(text) };
    case 'CMD':
      return { ...image, command: JSON.parse(text) };
    case 'HEALTHCHECK':
      return { ...image, healthcheck: JSON.parse(text.slice(text.indexOf('CMD ') + 4)) };
    case 'EXPOSE':
      return image;
    case 'COPY': {
      const [, from, rest] = /^(?:--from=(\S+) )?(.*)$/.exec(text) as unknown as [string, string | undefined, string];
      const paths = rest.split(' ');
      const target = join(here, paths.pop() as string);
      for (const path of paths) {
        const source = join(from ? (stages.get(from)?.root as string) : context, path);
        const into = rest.endsWith('/') && statSync(source).isFile() ? join(target, basename(path)) : target;
        cpSync(source, into, { recursive: true });
      }
      return image;
    }
    case 'RUN': {
      const { code, stdout, stderr } = await runProgram('sh', ['-c', text], { cwd: here, env: image.env });
      if (code !== 0) throw new Error(`RUN ${text} ended with ${code}:\n${stdout}${stderr}`);
      return image;
    }
    default:
      throw new Error(`unknown instruction ${name}`);
  }
}
