import { dirname, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { expect, it } from 'vitest';
import { repository } from '../../support/run-command.ts';

/** Returns the packages and the folders of src that the program loads before it knows which command is called. */
function loadedAtOnce({ inputs }: Metafile, entry: string): { packages: Set<string>; folders: Set<string> } {
  const packages = new Set<string>();
  const files = new Set([entry]);
  // A set visits what is added to it during the visit.
  for (const file of files) {
    for (const { path, kind, external } of inputs[file]?.imports ?? []) {
      if (kind === 'dynamic-import' || path.startsWith('node:')) continue;
      if (external) packages.add(path);
      else files.add(path);
    }
  }
  return { packages, folders: new Set([...files].map((file) => dirname(file).replace('src/', ''))) };
}

async function graphOf(entry: string): Promise<Metafile> {
  const { metafile } = await build({
    ...{ bundle: true, write: false, metafile: true, platform: 'node', packages: 'external', format: 'esm' },
    absWorkingDir: repository,
    entryPoints: [join(repository, entry)],
    outdir: 'none',
    loader: { '.lua': 'empty' },
  });
  return metafile;
}

it('the list of commands loads no part of the service, the dashboard or the imports, and no client of Redis', async () => {
  const entry = 'src/cli/main.ts';
  const graph = await graphOf(entry);
  const { packages, folders } = loadedAtOnce(graph, entry);
  expect([...packages].sort()).toEqual(['commander']);
  expect([...folders].sort()).toEqual(['cli', 'config', 'core', 'core/store', 'observability']);
  expect(Object.keys(graph.inputs)).toContain('src/service/service.ts');
});

it('the service loads what public pages need only when it has public pages', async () => {
  const entry = 'src/service/service.ts';
  const graph = await graphOf(entry);
  const { packages } = loadedAtOnce(graph, entry);
  expect([...packages]).toContain('express');
  for (const name of ['eta', 'string-width']) expect([...packages]).not.toContain(name);
  expect(Object.keys(graph.inputs)).toContain('src/service/public/routes.ts');
});
