import { expect, it } from 'vitest';
import { summaryLine } from '../../../src/imports/import-summary.ts';

const SUMMARY = {
  guild: 'g',
  curve: 'standard',
  imported: 2,
  created: 2,
  repeated: 0,
  skipped: 0,
  avatars_left_out: 0,
  hidden: 0,
} as const;

it.each([
  [0.042, 'guild g: imported 2 members in less than 1 s: 2 new, 0 already there'],
  [0.999, 'guild g: imported 2 members in less than 1 s: 2 new, 0 already there'],
  [1, 'guild g: imported 2 members in 1.0 s (2/s): 2 new, 0 already there'],
  [4, 'guild g: imported 2 members in 4.0 s (1/s): 2 new, 0 already there'],
])('the summary of an import of %f s says a rate only if the import took a second', (seconds, line) => {
  expect(summaryLine({ ...SUMMARY, seconds, members_per_second: Math.round(2 / seconds), complete: true })).toBe(line);
});
