import { configDefaults, defineConfig } from 'vitest/config';

/** Suites that judge times. They run last and one at a time: beside other suites their times would be inconclusive. */
const timed = ['test/fault/redis-faults.test.ts', 'test/fault/shutdown.test.ts', 'test/topology/failover.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'suites',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...timed],
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'timed', include: timed, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
    // Suites start their own Redis processes: a slow machine must not turn a correct answer into a failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // These two run in child processes, where coverage is not counted: test/fault/shutdown and
      // test/integration/workers test them. The files under web/ run in a browser: test/browser tests them.
      exclude: ['src/main.ts', 'src/cluster.ts'],
      thresholds: { lines: 95 },
    },
  },
});
