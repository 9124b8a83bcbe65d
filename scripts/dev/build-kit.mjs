// Builds the package guildrank-kit in src/kit/dist: each entry for `import` and for `require`, with its types. The scripts of Lua that the kit calls
// are inside of the modules, so that a bot may bundle them. All scripts are in dist/lua for writers in other languages.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build as bundle } from 'esbuild';
import { build } from 'tsdown';
import { readLua } from '../../src/core/store/lua-files.ts';
import { Script } from '../../src/core/store/script.ts';
import { scriptNames, scriptSource } from '../../src/core/store/scripts.ts';

const KIT = fileURLToPath(new URL('../../src/kit/', import.meta.url));
const ENTRIES = ['writer.ts', 'reader.ts', 'rules.ts', 'curves.ts', 'card.ts'];

/** Returns the names of the scripts that the kit can call: the modules that its entries import define them. */
async function calledScripts() {
  const { metafile } = await bundle({
    absWorkingDir: KIT,
    entryPoints: ENTRIES,
    bundle: true,
    platform: 'node',
    format: 'esm',
    outdir: 'dist',
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  const paths = new Set(Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs)));
  const modules = await Promise.all([...paths].map((path) => import(pathToFileURL(resolve(KIT, path)).href)));
  const exported = modules.flatMap((module) => Object.values(module));
  return exported.filter((value) => value instanceof Script).map(({ name }) => name);
}

/** Returns the names of the Lua files of scripts: the scripts, and what they include. */
function filesOf(scripts) {
  const included = new Set();
  for (const name of scripts) scriptSource(name, included);
  return [...included].sort();
}

const files = Object.fromEntries(filesOf(await calledScripts()).map((name) => [name, readLua(name)]));

/** Puts these Lua files into a module, which takes the place of the module that reads them from disk. */
const luaInside = {
  name: 'lua-inside',
  load(id) {
    if (!id.endsWith('/core/store/lua-files.ts')) return undefined;
    return `const files: Record<string, string> = ${JSON.stringify(files)};
export const luaFiles = (): string[] => Object.keys(files);
export const readLua = (name: string): string => files[name]!;`;
  },
};

await build({
  cwd: KIT,
  config: false,
  entry: ENTRIES,
  format: ['esm', 'cjs'],
  // The files run in browsers and in Node. Imports of modules of Node stay external.
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  tsconfig: '../../tsconfig.json',
  deps: { neverBundle: [/^node:/] },
  checks: { pluginTimings: false },
  plugins: [luaInside],
  logLevel: 'warn',
});

copyFileSync(`${KIT}../core/rules/rules.schema.json`, `${KIT}dist/rules.schema.json`);
copyFileSync('LICENSE', `${KIT}dist/LICENSE`);
mkdirSync(`${KIT}dist/lua`, { recursive: true });
for (const name of scriptNames()) writeFileSync(`${KIT}dist/lua/${name}.lua`, scriptSource(name));
