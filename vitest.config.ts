import { configDefaults, defineConfig } from 'vitest/config';

/** Suites that judge times. They run last and one at a time: beside other suites their times would be inconclusive. */
const timed = [
  'test/fault/redis-faults.test.ts',
  'test/fault/shutdown.test.ts',
  'test/integration/guild-move.test.ts',
  'test/topology/failover.test.ts',
];

/** Their files leave nothing behind, so several run in one process, which loads the modules once. */
const shared = ['test/unit/**/*.test.ts', 'test/api/**/*.test.ts'];

/** Replaces a module, which the process must not have loaded before. */
const replacing = ['test/unit/leaderboard/count-end.test.ts'];

// Suites start their own Redis processes: a slow machine must not turn a correct answer into a failure.
const patient = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 30_000 } },
  globalSetup: './scripts/dev/build-widget.mjs',
  setupFiles: './test/support/cover-children.ts',
};

export default defineConfig({
  test: {
    maxWorkers: 3,
    projects: [
      {
        test: {
          ...patient,
          name: 'suites',
          include: ['test/!(unit|api)/**/*.test.ts', ...replacing],
          exclude: [...configDefaults.exclude, ...timed],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...patient,
          name: 'shared',
          include: shared,
          exclude: [...configDefaults.exclude, ...replacing],
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...patient, name: 'timed', include: timed, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // These run in a browser: test/browser tests them.
      exclude: ['src/web/**'],
      // scripts/dev/coverage.mjs adds the processes that the tests start, and holds the bound.
      reporter: ['json'],
      reportOnFailure: true,
    },
  },
});
