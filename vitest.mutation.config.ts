import { defineConfig } from 'vitest/config';

/**
 * The tests that a mutation run repeats for every mutant of a folder of src: its unit tests, and for what only shows in an
 * answer the API tests, on ioredis-mock alone. Few and fast, or a run takes hours.
 */
const tests: Record<string, string[]> = {
  leaderboard: ['test/unit/leaderboard/**/*.test.ts'],
  access: ['test/unit/access/**/*.test.ts'],
  http: ['test/unit/http/**/*.test.ts', 'test/api/{protocol,leaderboard,openapi}.test.ts'],
};

export default defineConfig({
  test: {
    include: tests[process.env.MUTATION_FOLDER ?? ''] ?? Object.values(tests).flat(),
    env: { TEST_STORES: 'mock', REQUIRE_REDIS: '' },
    testTimeout: 10_000,
    hookTimeout: 10_000,
    maxWorkers: 1,
  },
});
