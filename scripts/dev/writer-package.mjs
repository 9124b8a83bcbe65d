// Builds dist/writer: the package guildrank-writer, which is the entries writer, reader, curves, rules and card of the package guildrank too. It is
// the compiled entries with all that they import and the Lua commands, and depends on nothing. It is CommonJS, which `require` and `import`
// both load on each supported version of Node. tsconfig.build.json writes its declarations here.
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript-api';
import { writerReadme } from './writer-readme.mjs';

const TARGET = 'dist/writer';
const compilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.CommonJS,
  isolatedModules: true,
  rewriteRelativeImportExtensions: true,
};

/** Returns the entries and every file that they import, types included. */
function closureOf(...entries) {
  const files = new Set(entries);
  // A set visits what is added to it during the visit.
  for (const file of files) {
    for (const { fileName } of ts.preProcessFile(readFileSync(join('src', file), 'utf8')).importedFiles) {
      if (fileName.startsWith('.')) files.add(join(dirname(file), fileName));
    }
  }
  return files;
}

for (const file of closureOf('kit/writer.ts', 'kit/reader.ts', 'core/rules/rules.ts', 'pictures/card.ts')) {
  const source = readFileSync(join('src', file), 'utf8');
  const { outputText } = ts.transpileModule(source, { compilerOptions, fileName: file });
  const output = join(TARGET, file.replace(/\.ts$/, ''));
  mkdirSync(dirname(output), { recursive: true });
  // CommonJS has no import.meta.
  writeFileSync(
    `${output}.js`,
    outputText.replaceAll('import.meta.url', "require('node:url').pathToFileURL(__filename)"),
  );
}
// A browser loads the curves as one small module.
const curves = ts.transpileModule(readFileSync('src/core/ranking/curves.ts', 'utf8'), {
  compilerOptions: { ...compilerOptions, module: ts.ModuleKind.ESNext, removeComments: true },
});
writeFileSync(join(TARGET, 'curves.mjs'), curves.outputText.replace(/^ +/gm, ''));
// And the rules, with their parser. In Node they share their errors with the writer.
const { outputFiles } = await build({
  entryPoints: ['src/core/rules/rules.ts'],
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  write: false,
});
// The names of classes are short there, and this is the only one that is thrown.
const rules = outputFiles[0].text.replace('this.constructor.name', '"InvalidInputError"');
writeFileSync(join(TARGET, 'rules.mjs'), rules);
copyFileSync('src/core/rules/rules.schema.json', join(TARGET, 'rules.schema.json'));
// And the card as another. In Node it shares its errors with the writer.
await build({
  entryPoints: ['src/pictures/card.ts'],
  outfile: join(TARGET, 'card.mjs'),
  bundle: true,
  // An error keeps the name of its class.
  minifyWhitespace: true,
  minifySyntax: true,
  charset: 'utf8',
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
});
cpSync('dist/lua', join(TARGET, 'lua'), { recursive: true });
copyFileSync('LICENSE', join(TARGET, 'LICENSE'));

/** Returns those exports of the package guildrank that lead here, the writer as the package itself. */
function ownExports({ './writer': writer, ...others }) {
  const here = Object.entries(others).filter(([, paths]) => JSON.stringify(paths).includes(`./${TARGET}/`));
  const text = JSON.stringify({ '.': writer, ...Object.fromEntries(here) }).replaceAll(`./${TARGET}/`, './');
  return { ...JSON.parse(text), './lua/*': './lua/*', './package.json': './package.json' };
}

const main = JSON.parse(readFileSync('package.json', 'utf8'));
const { version, license, engines, keywords, exports, repository, homepage, bugs } = main;
writeFileSync(join(TARGET, 'README.md'), writerReadme(main));
const manifest = {
  name: 'guildrank-writer',
  version,
  description: 'Writes and reads XP for Guildrank from a bot, over its own connection of ioredis or node-redis',
  license,
  type: 'commonjs',
  main: 'kit/writer.js',
  types: 'kit/writer.d.ts',
  exports: ownExports(exports),
  engines,
  keywords,
  // A release adds these: scripts/dev/release.mjs.
  repository,
  homepage,
  bugs,
  // The bot brings one of them, or an object of its own.
  peerDependencies: { ioredis: '>=5', redis: '>=5' },
  peerDependenciesMeta: { ioredis: { optional: true }, redis: { optional: true } },
};
writeFileSync(join(TARGET, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
