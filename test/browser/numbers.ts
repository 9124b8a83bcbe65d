/** Members whose numbers are as long as in many guilds; a custom curve makes the levels longer. */
export const LEADERS = [12_345_678, 1_234_567, 987_654, 876_543, 54_321].map((set, i) => ({
  userId: `u${i}`,
  set,
  username: `Member ${i}`,
}));

/** A curve on which the first of these members has level 24,691. */
export const LONG_LEVELS = 'custom=0,0,500,0,1,1';

/** The languages of the widget and the public page, and the direction of each. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'ar', 'ja'].map(
  (lang) => [lang, lang === 'ar' ? 'rtl' : 'ltr'] as const,
);

/**
 * Returns an expression for the numbers that cannot be read: cut, broken into lines, or over something else.
 * @param root expression for the element or shadow root that has the rows.
 * @param row selector of a row or a place of the podium.
 */
export const unreadable = (root: string, row: string) => `((root) => {
  const all = (selector, from = root) => [...from.querySelectorAll(selector)].filter((node) => node.checkVisibility());
  const box = (node) => node.getBoundingClientRect();
  const isOver = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const words = (node) => {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const text = walker.currentNode;
      const isQuiet = getComputedStyle(text.parentElement).clipPath !== 'none';
      for (const match of isQuiet ? [] : text.data.matchAll(/[^ ]+/g)) {
        const range = new Range();
        range.setStart(text, match.index);
        range.setEnd(text, match.index + match[0].length);
        const rects = [...range.getClientRects()].filter(({ width }) => width > 0);
        if (/\\d/.test(match[0]) && rects.length) found.push([match[0], rects]);
      }
    }
    return found;
  };
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways');
  for (const place of all('${row}')) {
    const outer = box(place);
    const numbers = all('.rank, .level, .xp, dd', place).flatMap((node) => words(node).map(([word, rects]) => [node, word, rects]));
    for (const [node, word, rects] of numbers) {
      const name = node.className + ' ' + word;
      const inner = getComputedStyle(node).overflow === 'visible' ? outer : box(node);
      if (rects.every(({ top }) => top >= inner.bottom)) continue; // Nothing of it is shown.
      if (new Set(rects.map(({ top }) => Math.round(top))).size > 1) faults.push(name + ' is broken');
      if (rects.some(({ left, right }) => left < inner.left - 1 || right > inner.right + 1)) faults.push(name + ' is cut');
      if (rects.some(({ top, bottom }) => top < outer.top - 3 || bottom > outer.bottom + 3)) faults.push(name + ' is too low');
      for (const [other, , others] of numbers)
        if (other !== node && rects.some((a) => others.some((b) => isOver(a, b)))) faults.push(name + ' is over ' + other.className);
    }
  }
  for (const node of all('.pager > span')) if (box(node).height > 1.9 * parseFloat(getComputedStyle(node).fontSize)) faults.push('the pager is broken');
  return [...new Set(faults)];
})(${root})`;
