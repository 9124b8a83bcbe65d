import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repository, runProgram } from '../support/run-command.ts';

/** Returns a copy of the files that a person who builds the image has, secrets beside them. */
export function buildContext(folder: string): string {
  const context = join(folder, 'context');
  const left = /^(node_modules|tools\/node_modules|\.git|dist|coverage|reports)$/;
  cpSync(repository, context, { recursive: true, filter: (file) => !left.test(relative(repository, file)) });
  for (const name of ['.env', 'src/widget/.env.local', 'secret.txt']) writeFileSync(join(context, name), 'SECRET=1\n');
  return context;
}

/** Returns the archive of the base image, with that Node which the Dockerfile and `.ci/run` name. */
export async function baseArchive(): Promise<string> {
  const line = /NODE_IMAGE=node:(\d+)-/.exec(readFileSync(join(repository, 'Dockerfile'), 'utf8'))?.[1];
  const version = new RegExp(`${line}\\.\\d+\\.\\d+`).exec(readFileSync(join(repository, '.ci/run'), 'utf8'))?.[0];
  const { code, stdout, stderr } = await runProgram('.ci/node-image', [version ?? '']);
  if (code !== 0) throw new Error(`There is no base image:\n${stderr}`);
  return stdout.trim();
}

/** Returns the options that tell npm in a build how npm of this machine reaches the registry. Credentials stay out. */
export async function npmVolumes(folder: string): Promise<string[]> {
  const lines: string[] = [];
  const volumes: string[] = [];
  for (const name of ['registry', 'cafile', 'proxy', 'https-proxy', 'noproxy']) {
    const value = (await runProgram('npm', ['config', 'get', name])).stdout.trim();
    if (value === '' || value === 'null') continue;
    lines.push(`${name}=${value}`);
    if (name === 'cafile') volumes.push('--volume', `${value}:${value}:ro`);
  }
  const file = join(folder, 'npmrc');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return [...volumes, '--volume', `${file}:/root/.npmrc:ro`];
}
