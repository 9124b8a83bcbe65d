// Builds src/widget/ into the one file src/widget/widget.js, which the service sends. Runs before the build, the demo and the tests.
import { readFile, rename } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, context, transform } from 'esbuild';

const OUTPUT = fileURLToPath(new URL('../../src/widget/widget.js', import.meta.url));

/** Loads a style sheet as a string without white space. */
const styleText = {
  name: 'style-text',
  setup({ onLoad, initialOptions: { target } }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { loader: 'css', minify: true, target });
      // The values of custom properties keep their white space, though none of these needs it.
      const css = code.replace(/([,:]) /g, '$1').trimEnd();
      return { contents: `export const css = ${JSON.stringify(css)}`, loader: 'js' };
    });
  },
};

/** Names of properties that only the widget uses: the file has short ones. */
const INTERNAL = `
  active block board boardList build cancel card climbed clock compact curve drop emit everyS feed forget form hasPager isLive isPending isTold
  last left lookAway nextLevel note number paint path percent poll prepare problem render reset result resumeAt retryS root rowContext run say
  seen share source totals update want wantedBy wants words
`
  .trim()
  .split(/\s+/)
  .join('|');

const fileOf = (name) => fileURLToPath(new URL(`../../src/widget/${name}`, import.meta.url));

/** Options for the bundle of one entry. The oldest browsers of docs/widget.md are the targets. */
export const bundleOptions = {
  entryPoints: [fileOf('main.ts')],
  // Style and texts stand side by side at the start of the file: it compresses better.
  inject: [fileOf('styles.css'), fileOf('strings.ts')],
  bundle: true,
  minify: true,
  charset: 'utf8',
  target: ['chrome123', 'firefox125', 'safari17.5'],
  legalComments: 'none',
  mangleProps: new RegExp(`^(${INTERNAL})$`),
  // The types alone declare fields that have no value yet.
  tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
  define: { 'Number.POSITIVE_INFINITY': 'Infinity' },
  logLevel: 'warning',
  plugins: [styleText],
};

/** Builds the file. Another process may read it at the same time, so it is replaced in one step. */
export async function buildWidget() {
  const outfile = `${OUTPUT}.${process.pid}`;
  await build({ ...bundleOptions, format: 'iife', outfile });
  await rename(outfile, OUTPUT);
}

/** Builds the file now and after each change. Returns esbuild's context: `dispose` ends the watch. */
export async function watchWidget() {
  const watching = await context({ ...bundleOptions, format: 'iife', outfile: OUTPUT });
  await watching.watch();
  return watching;
}

/** Builds the file before the tests: Vitest calls the setup of this module. */
export { buildWidget as setup };

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildWidget();
