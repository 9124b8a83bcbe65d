import type { Advice } from '../formats/advice.ts';

/** How a command of `seed` is mended. */
export const COMMAND_ADVICE: Advice = {
  nameFormat: 'name it with --format',
  checkFormat: 'is --format right?',
  nameCurve: 'name one with --curve',
  switchCurve: (curve) => `add --curve ${curve} to switch`,
  chooseLevels: (better) =>
    `${better ? `add --curve ${better}, or ` : ''}choose with --levels whether they follow XP (curve) or stay as they are (file)`,
  loadWithoutReplacing: 'load without --replace',
  runAgain: 'run the same command again',
};
