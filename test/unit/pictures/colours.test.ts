import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contrastOf, textOn } from '../../../src/pictures/colours.ts';

it('the contrast of two colours is that of WCAG', () => {
  expect(contrastOf('#000000', '#ffffff')).toBe(21);
  expect(contrastOf('#ffffff', '#ffffff')).toBe(1);
  expect(contrastOf('#767676', '#FFFFFF')).toBeCloseTo(4.54, 2);
});

it('the text colour for each background colour is readable', () => {
  expect([textOn('#ffdd33'), textOn('#4f46e5')]).toEqual(['#000000', '#ffffff']);
  const colour = fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, '0')}`);
  fc.assert(fc.property(colour, (ground) => contrastOf(textOn(ground), ground) >= 4.5));
});
