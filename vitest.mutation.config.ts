import { configDefaults, defineConfig } from 'vitest/config';

const folder = process.env.MUTATION_FOLDER ?? '*';

/** Folders whose promises are about what Redis does: their tests run on redis-server. The tests of all other folders run on ioredis-mock. */
const onRedis = ['core/members', 'core/reads'];

/** Suites that hold promises of a folder through its public door, and so test what no unit test does. */
const beside: Readonly<Record<string, readonly string[]>> = {
  'core/access': ['test/http/every-operation/key-origins.test.ts', 'test/unit/kit/wrong-fields.test.ts'],
  'core/members': [
    'test/integration/bot/{avatars,award,boards,claim,correct,events,hide,many-members,sync-members}.test.ts',
    'test/unit/core/guild-writer.test.ts',
    'test/unit/kit/{writer,wrong-fields}.test.ts',
  ],
  'service/public': ['test/http/public/*.test.ts'],
  'core/reads': [
    'test/integration/bot/{card,find,reader,rewards-of,sync-members}.test.ts',
    'test/unit/kit/wrong-fields.test.ts',
    'test/http/public/{data,page,rewards,search}.test.ts',
  ],
};

/**
 * The tests that a mutation run repeats for every mutant of a folder of src: the unit tests of that folder, and a few suites beside them, so
 * that a run takes less than an hour. A mutant that only further API tests would notice counts as not noticed.
 */
export default defineConfig({
  test: {
    include: [`test/unit/${folder}/**/*.test.ts`, ...(beside[folder] ?? [])],
    // This property takes too long to be repeated for each mutant.
    exclude: [...configDefaults.exclude, 'test/http/public/documents.test.ts'],
    globalSetup: './scripts/dev/build-widget.mjs',
    env: { TEST_STORES: onRedis.includes(folder) ? 'redis' : 'mock', REQUIRE_ALL: '' },
    testTimeout: 20_000,
    hookTimeout: 20_000,
    maxWorkers: 1,
  },
});
