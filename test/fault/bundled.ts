import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { repository } from '../support/run-command.ts';

/** A program of the tests in one file of JavaScript, which starts a second earlier than its modules do by tsx. */
export interface BundledProgram {
  readonly path: string;
  /** Deletes it. */
  remove(): void;
}

/** Bundles a program of the tests, which many processes of a suite run. @param file its path in the repository. */
export async function bundleProgram(file: string): Promise<BundledProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-program-'));
  const path = join(folder, 'program.mjs');
  // The packages stay where they are.
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  await build({
    entryPoints: [join(repository, file)],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
    plugins: [
      {
        name: 'own-places',
        // Each module finds its files, such as Lua, from its own place.
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, (module) => ({
            contents: readFileSync(module.path, 'utf8').replaceAll(
              'import.meta.url',
              JSON.stringify(pathToFileURL(module.path).href),
            ),
            loader: 'ts',
          })),
      },
    ],
  });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
