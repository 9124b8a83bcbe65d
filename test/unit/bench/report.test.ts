import { describe, expect, it } from 'vitest';
import { atLeast, atMost, figure, goalLines, median, tableLines, times } from '../../../scripts/bench/report.ts';

describe('median', () => {
  it('is the middle value, or the mean of the two in the middle, for any order', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([10, 1, 3, 2])).toBe(2.5);
    expect(median([7])).toBe(7);
    expect(median([])).toBeNaN();
  });
});

describe('figures', () => {
  it('shows three significant digits, whole numbers from 100 on, and a dash for an unmeasured value', () => {
    const shown = [12345.6, 99.94, 0.12345, 0, Number.NaN].map(figure);
    expect(shown).toEqual(['12,346', '99.9', '0.123', '0', '-']);
  });

  it('shows a ratio, and a dash without a base', () => {
    expect(times(3, 2)).toBe('1.50x');
    expect(times(3, 0)).toBe('-');
    expect(times(Number.NaN, 2)).toBe('-');
  });
});

describe('tables', () => {
  it('aligns the first column to the left and the others to the right', () => {
    const lines = tableLines(
      ['', 'n'],
      [
        ['one', '1'],
        ['eleven', '11'],
      ],
    );
    expect(lines).toEqual(['         n', '------  --', 'one      1', 'eleven  11']);
  });

  it('shows for each goal whether it is met; a value equal to the bound meets it', () => {
    const goals = [atLeast('rate', 4, 4), atMost('bytes', 331, 330)];
    expect(goals.map(({ met }) => met)).toEqual([true, false]);
    expect(goalLines(goals).slice(2)).toEqual(['rate >= 4            4      met', 'bytes <= 330       331  not met']);
  });
});
