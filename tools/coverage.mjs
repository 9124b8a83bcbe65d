/**
 * Runs the tests and reports the coverage of src: what ran in the processes of the tests, and what ran in the services and
 * commands that they start. A process that was killed by SIGKILL counts for nothing. Fails when a test fails, or below 95 % of the lines.
 *
 *   npm run coverage                       all tests
 *   npm run coverage -- test/integration   one folder or file, with the bound of the whole
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { mergeProcessCovs } from '@bcoe/v8-coverage';
import convert from 'ast-v8-to-istanbul';
import istanbul from 'istanbul-lib-coverage';
import { parseAstAsync } from 'vitest/node';

const LOWEST_LINES = 95;
const OF_TESTS = 'coverage/coverage-final.json';
/** Written by the processes that the tests start, about 1 MB each. */
const ofChildren = mkdtempSync(join(tmpdir(), 'guildrank-coverage-'));

const run = (...command) =>
  spawnSync(process.execPath, command, {
    stdio: 'inherit',
    env: { ...process.env, TEST_BUILD: '1', COVERAGE_OF_CHILDREN: ofChildren },
  }).status === 0;

/** Returns the counts of one process; none when it was killed while it wrote them. */
function counts(text) {
  try {
    return JSON.parse(text).result;
  } catch {
    return [];
  }
}

/** Returns the coverage of all processes in one: V8's counts of the bundle, by character. */
function mergeProcesses() {
  const bundle = pathToFileURL('dist/guildrank.cjs').href;
  let merged = { result: [] };
  for (const file of readdirSync(ofChildren)) {
    const result = counts(readFileSync(join(ofChildren, file), 'utf8')).filter(({ url }) => url === bundle);
    merged = mergeProcessCovs([merged, { result }]);
  }
  return merged.result;
}

/** Returns the coverage of the bundle, as counts of the lines of src and of packages that its source map names. */
async function toSource(coverage) {
  const code = readFileSync(fileURLToPath(coverage.url), 'utf8');
  const [, map] = /\n\/\/# sourceMappingURL=data:application\/json;base64,(\S+)$/.exec(code.trimEnd()) ?? [];
  const sourceMap = JSON.parse(Buffer.from(map, 'base64').toString());
  return convert({ code, ast: parseAstAsync(code), coverage, sourceMap });
}

/**
 * Adds what the processes counted to the report of the tests. A statement can have two lengths in the two, but it starts on the
 * same line: so lines are counted once, and no other figure of the sum means anything.
 */
async function mergeInto(total) {
  const known = new Set(total.files());
  for (const coverage of mergeProcesses()) {
    const source = istanbul.createCoverageMap(await toSource(coverage));
    source.filter((file) => known.has(file));
    total.merge(source);
  }
  return total;
}

/** Prints the lines that did not run, file by file. */
function printMissing(total) {
  for (const file of total.files()) {
    const missing = total.fileCoverageFor(file).getUncoveredLines();
    if (missing.length > 0) console.log(`${relative('.', file)}: ${missing.join(' ')}`);
  }
}

const bundle = 'scripts/dev/bundle.mjs';
try {
  if (!run(bundle, '--source-map')) throw new Error('The build failed');
  const passed = run('node_modules/vitest/vitest.mjs', 'run', '--coverage', ...process.argv.slice(2));
  const coverageMap = await mergeInto(istanbul.createCoverageMap(JSON.parse(readFileSync(OF_TESTS, 'utf8'))));
  printMissing(coverageMap);
  const { pct } = coverageMap.getCoverageSummary().lines;
  console.log(`${pct} % of the lines of src ran; at least ${LOWEST_LINES} % must`);
  process.exitCode = passed && pct >= LOWEST_LINES ? 0 : 1;
} finally {
  run(bundle);
  rmSync(ofChildren, { recursive: true });
}
