import { defineConfig } from 'vitest/config';

const folder = process.env.MUTATION_FOLDER ?? '*';

/**
 * The tests that a mutation run repeats for every mutant of a folder of src: the unit tests of that folder. They need no
 * Redis and no service, so a run takes minutes. A mutant that only the API tests would notice counts as not noticed.
 */
export default defineConfig({
  test: {
    include: [`test/unit/${folder}/**/*.test.ts`],
    globalSetup: './scripts/dev/build-widget.mjs',
    env: { TEST_STORES: 'mock', REQUIRE_ALL: '' },
    testTimeout: 20_000,
    hookTimeout: 20_000,
    maxWorkers: 1,
  },
});
