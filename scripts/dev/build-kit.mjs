// Builds the package guildrank-kit in src/kit/dist: each entry for `import` and for `require`, with its types. The scripts of Lua are inside of
// the modules, so that a bot may bundle them, and beside them in dist/lua for writers in other languages.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';
import { luaFiles, readLua } from '../../src/core/store/lua-files.ts';
import { scriptNames, scriptSource } from '../../src/core/store/scripts.ts';

const KIT = fileURLToPath(new URL('../../src/kit/', import.meta.url));

/** Puts the Lua files into a module, which takes the place of the module that reads them from disk. */
const luaInside = {
  name: 'lua-inside',
  load(id) {
    if (!id.endsWith('/core/store/lua-files.ts')) return undefined;
    const files = Object.fromEntries(luaFiles().map((name) => [name, readLua(name)]));
    return `const files: Record<string, string> = ${JSON.stringify(files)};
export const luaFiles = (): string[] => Object.keys(files);
export const readLua = (name: string): string => files[name]!;`;
  },
};

await build({
  cwd: KIT,
  config: false,
  entry: ['writer.ts', 'reader.ts', 'rules.ts', 'curves.ts', 'card.ts'],
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
