import { expect, it } from 'vitest';
import { textTable } from '../../../src/cli/table.ts';

it('a table is aligned by the width that a terminal shows, even with wide characters and with characters without width', () => {
  const rows = [
    ['漢字', '1'],
    ['👩‍👩‍👧', '2'],
    ['e\u0301clair', '3'],
  ];
  const context = { stdout: { isTTY: true }, env: { NO_COLOR: '1' } } as unknown as Parameters<typeof textTable>[0];
  expect(textTable(context, ['NAME', 'N'], rows)).toEqual([
    'NAME    N',
    '漢字    1',
    '👩‍👩‍👧      2',
    'e\u0301clair  3',
  ]);
});
