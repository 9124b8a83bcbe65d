import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Suites start Redis processes of their own: a slow machine must not turn a correct answer into a failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    coverage: { provider: 'v8', include: ['src/**'], exclude: ['src/main.ts'] },
  },
});
