import type { Advice } from '../formats/advice.ts';

/** How an import is mended on its pages. */
export const PAGE_ADVICE: Advice = {
  nameFormat: 'choose it in the field "format"',
  checkFormat: 'is the format right?',
  nameCurve: 'choose it in the field "curve"',
  switchCurve: (curve) => `choose the curve ${curve} to switch`,
  chooseLevels: (better) =>
    `${better ? `choose the curve ${better} when you upload it again, or ` : ''}choose in the field "Levels" what becomes of them`,
  loadWithoutReplacing: 'load it without replacing',
  runAgain: 'start it again',
};
