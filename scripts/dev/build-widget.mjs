// Builds src/widget/dist: the script widget.js, which the service sends to any web page, and for the package guildrank-widget the elements as an
// ES module with its types. The script alone is built before the demo and the tests.
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { build } from 'tsdown';

const WIDGET = fileURLToPath(new URL('../../src/widget/', import.meta.url));
/** The end of the name of a module that has a style sheet. */
const TEXT = '.text.js';
/** The oldest browsers of docs/widget.md. */
const BROWSERS = ['chrome123', 'firefox125', 'safari17.5'];

/** Has a style sheet as a text without comments, in a module of its own: the bundler takes a file of CSS for a style sheet of the page. */
const styleText = {
  name: 'style-text',
  resolveId(source, importer) {
    return source.endsWith('.css') ? `${resolve(dirname(importer), source)}${TEXT}` : undefined;
  },
  async load(id) {
    if (!id.endsWith(TEXT)) return undefined;
    const source = await readFile(id.slice(0, -TEXT.length), 'utf8');
    const { code } = await transform(source, { loader: 'css', minify: true, target: BROWSERS });
    return `export const css = ${JSON.stringify(code)}`;
  },
};

const shared = {
  cwd: WIDGET,
  config: false,
  platform: 'browser',
  target: BROWSERS,
  minify: true,
  tsconfig: '../../tsconfig.browser.json',
  plugins: [styleText],
  clean: false,
  logLevel: 'warn',
  checks: { pluginTimings: false },
};

/** Builds the script. Another process may read it at the same time. */
export async function buildScript(options = {}) {
  return build({
    ...shared,
    entry: { widget: 'main.ts' },
    format: 'iife',
    dts: false,
    outputOptions: { entryFileNames: '[name].js' },
    ...options,
  });
}

/** Builds all other files of the package. */
async function buildPackage() {
  await build({ ...shared, entry: ['index.ts'], format: 'esm', dts: true });
  // The types for `require`: TypeScript takes a declaration with another ending for an ES module.
  await copyFile(`${WIDGET}dist/index.d.ts`, `${WIDGET}dist/index.d.cts`);
  const { manifestOfElements } = await import('./custom-elements.mjs');
  await writeFile(`${WIDGET}dist/custom-elements.json`, `${JSON.stringify(manifestOfElements(), null, 2)}\n`);
  for (const name of ['react.d.ts', 'vue.d.ts', 'svelte.d.ts']) await copyFile(WIDGET + name, `${WIDGET}dist/${name}`);
  await copyFile('LICENSE', `${WIDGET}dist/LICENSE`);
}

/** Builds the script before the tests: Vitest calls the setup of this module. */
export async function setup() {
  await buildScript();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isPackage = process.argv[2] === 'package';
  // A file of an earlier build must not get into the package.
  if (isPackage) await rm(`${WIDGET}dist`, { recursive: true, force: true });
  await buildScript();
  if (isPackage) await buildPackage();
}
