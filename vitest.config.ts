import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LeftOutReporter } from './test/support/left-out-reporter.ts';

const report = process.env.TEST_REPORT;

/** Suites that judge times. They run last, two at a time: beside more suites their times would be inconclusive. */
const timed = [
  'test/fault/{connection-faults,master-change,quota,redis-faults}.test.ts',
  'test/process/{shutdown,terminal-stop}.test.ts',
  'test/topology/failover.test.ts',
];

/** Replace modules, which the process must not have loaded before. */
const replacing = ['test/unit/core/counters/count-end.test.ts', 'test/unit/service/public/resvg.test.ts'];

/** Suites without a store that takes another host, as `describeStores` and `realStore` do. They would do the same again. */
const hostless = ['test/http', 'test/integration'].flatMap((folder) =>
  readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`)
    .filter((file) => !/\b(?:describeStores|realStore)\b/.test(readFileSync(join(import.meta.dirname, file), 'utf8'))),
);

/** Before suites that start the built program, and install packages where npm reaches its registry. */
export const processes = ['./test/support/tools.ts', './test/support/entry.ts', './test/support/registry.ts'];

// A slow machine must not turn a correct answer into a failure.
const patient = {
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 30_000 } },
  globalSetup: ['./scripts/dev/build-widget.mjs'],
  setupFiles: './test/support/cover-children.ts',
};

/** A tier, or a part of it. @param folders names of folders in test. */
export function tier(
  name: string,
  folders: string,
  options: TestProjectInlineConfiguration['test'] & { readonly exclude?: string[] } = {},
): TestProjectInlineConfiguration {
  const exclude = [...configDefaults.exclude, ...(options.exclude ?? [])];
  return { test: { ...patient, name, include: [`test/${folders}/**/*.test.ts`], ...options, exclude } };
}

export default defineConfig({
  test: {
    // Many suites wait most of their time. Each further worker loads all modules once more.
    maxWorkers: 3,
    // TEST_REPORT names a file for the results, which .ci/run adds up.
    reporters: [
      'default',
      new LeftOutReporter(),
      ...(report ? [['json', { outputFile: report }] satisfies [string, object]] : []),
    ],
    projects: [
      // npm test. The files leave nothing behind, so they share a process, which loads the modules once.
      tier('first', '{unit,http,recorded,integration,docs}', { isolate: false, exclude: replacing }),
      tier('first-alone', 'unit', { include: replacing, globalSetup: [] }),
      // npm run test:all adds these.
      tier('second', '{topology,fault,process,deploy,packages}', {
        exclude: timed,
        isolate: false,
        globalSetup: processes,
        // The example for discord.js has the package installed, and its tests take the source.
        alias: [{ find: /^guildrank-kit\/(.*)$/, replacement: `${import.meta.dirname}/src/kit/$1.ts` }],
      }),
      // The suites of the API, the kit and the commands that open a store again, on hosts that a proxy imitates (test/support/host-proxy.ts).
      // One suite counts the commands of a single server.
      tier('second-strict', '{http,integration}', {
        isolate: false,
        env: { TEST_HOST: 'strict' },
        exclude: hostless,
      }),
      tier('second-sharded', '{http,integration}', {
        isolate: false,
        env: { TEST_HOST: 'sharded' },
        exclude: [...hostless, 'test/integration/round-trips.test.ts'],
      }),
      // Each process has one Chromium and one Firefox for its files. Another number of workers needs an order of its own.
      tier('second-browser', 'browser', {
        isolate: false,
        globalSetup: ['./scripts/dev/build-widget.mjs', './test/support/tools.ts'],
        maxWorkers: 2,
        sequence: { groupOrder: 1 },
      }),
      tier('second-timed', '', {
        include: timed,
        isolate: false,
        globalSetup: processes,
        maxWorkers: 2,
        sequence: { groupOrder: 2 },
      }),
    ],
    coverage: {
      provider: 'custom',
      customProviderModule: './tools/node_modules/@vitest/coverage-v8/dist/index.js',
      include: ['src/**/*.ts'],
      // These run in a browser: test/browser tests them.
      exclude: ['src/widget/**', 'src/service/explorer/**', 'src/service/public/assets/**'],
      // tools/coverage.mjs adds the processes that the tests start, and holds the bound.
      reporter: ['json'],
      reportOnFailure: true,
    },
  },
});
