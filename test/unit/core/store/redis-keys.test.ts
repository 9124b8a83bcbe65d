import { expect, it } from 'vitest';
import { readLua } from '../../../../src/core/store/lua-files.ts';
import { DATA_VERSION } from '../../../../src/core/store/redis-keys.ts';

it('the version of the data is that of the scripts', () => {
  expect(readLua('lib-model')).toContain(`\nlocal MODEL = '${DATA_VERSION}'\n`);
});
