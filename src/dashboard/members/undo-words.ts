import { digits } from '../../core/format-numbers.ts';
import type { Corrected, Restored, Undone, UndoObstacle } from '../../core/members/correct.ts';
import { RefusedPage } from '../refused-page.ts';

/** Why a change cannot be undone, as a person reads it. */
const OBSTACLES: Readonly<Record<UndoObstacle, string>> = {
  gone: 'This change is more than a day old, or is not known here: change the member again instead.',
  season: 'A season has ended since this change, and its XP went into the archive. Nothing was undone.',
  missing: 'The member was removed since this change, so there is nothing to undo.',
};

/** Returns the page for an undo that is not possible. */
export function undoRefusedPage(obstacle: UndoObstacle): RefusedPage {
  return new RefusedPage(obstacle === 'gone' ? 404 : 409, 'Not undone', OBSTACLES[obstacle]);
}

/** Returns sentences about what an undo did. */
export function undoSentences(corrected: Corrected, undone: Undone): string[] {
  const sentences: string[] = [];
  const difference = corrected.xp - corrected.xpBefore;
  if (difference !== 0) {
    sentences.push(`The XP went from ${digits(undone.xpBefore)} to ${digits(undone.xp)}.`);
    if (undone.xpBefore - undone.xp < difference)
      sentences.push(`The change had given ${digits(difference)} XP, but the member did not have as much any more.`);
  }
  const addSentence = (what: string, state: Restored): void => {
    if (state === 'back') sentences.push(`The ${what} is as it was before the change.`);
    if (state === 'left') sentences.push(`The ${what} stays as it is, because it was changed again since then.`);
  };
  addSentence('level', undone.explicitLevel);
  addSentence('name', undone.username);
  return sentences;
}
