import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Suites start Redis processes of their own: a slow machine must not turn a correct answer into a failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // These two run in processes of their own, where coverage is not counted: test/fault/shutdown and
      // test/integration/workers test them. What is under web/ runs in a browser: test/browser tests it.
      exclude: ['src/main.ts', 'src/cluster.ts'],
      thresholds: { lines: 95 },
    },
  },
});
