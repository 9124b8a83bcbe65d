// Builds dist/guildrank.cjs: the service and all commands, with the packages that they use, in one file, which starts faster than some
// 400 modules (ADR 13). It is CommonJS, whose functions Node compiles when they first run. THIRD-PARTY.txt has the licences of the packages.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url));

/**
 * Gives each module that asks for its address the place that it would have in dist: it finds its files (Lua, templates, pages) from there. The
 * option `define` of the build makes import.meta.url this address.
 */
const ownPlaces = {
  name: 'own-places',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const place = relative(SOURCES, path).replace(/\.ts$/, '.js');
      const source = readFileSync(path, 'utf8');
      if (!source.includes('import.meta.url')) return undefined;
      return { contents: `const MODULE_URL = new URL('${place}', BUNDLE).href; ${source}`, loader: 'ts' };
    });
  },
};

const { metafile } = await build({
  entryPoints: [join(SOURCES, 'cli/main.ts')],
  outfile: 'dist/guildrank.cjs',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  // Removes comments, because with a single character beyond Latin-1 in a comment, Node keeps and parses the file in twice the bytes.
  minifyWhitespace: true,
  lineLimit: 200,
  define: { 'import.meta.url': 'MODULE_URL' },
  banner: { js: "const BUNDLE = require('node:url').pathToFileURL(__filename);" },
  // The operator installs these where traces are wanted. The API of OpenTelemetry is not among them: prom-client needs it.
  external: ['@opentelemetry/exporter-*', '@opentelemetry/resources', '@opentelemetry/sdk-*'],
  plugins: [ownPlaces],
  metafile: true,
  sourcemap: process.argv.includes('--source-map') ? 'inline' : false,
  logLevel: 'warning',
});

/** Returns the folder of the package that a bundled file belongs to; undefined for a file of src. */
function packageOf(file) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

const packages = new Set(Object.keys(metafile.inputs).map(packageOf).filter(Boolean));
const notices = [...packages].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`;
});
writeFileSync('dist/THIRD-PARTY.txt', notices.join(`\n${'-'.repeat(80)}\n\n`));
