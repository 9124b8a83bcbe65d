import { brotliCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { RESERVED_SPACE, readWidgetFile, reservedSpace } from '../../../../../src/service/http/site/widget-file.ts';

it('the file of the widget is at most 24 kB in brotli', () => {
  expect(brotliCompressSync(readWidgetFile().body).length).toBeLessThanOrEqual(24_000);
});

it('a page reserves a height for the widget only with JavaScript, and only until the widget is there', () => {
  const rule = /^@media \(scripting: enabled\) \{ guild-leaderboard:not\(:defined\) \{ (.*) \} \}$/;
  expect(rule.exec(reservedSpace(12.5))?.[1]?.split('; ')).toEqual([
    'display: block',
    'font-size: medium',
    'block-size: 12.5em',
  ]);
});

it('the space of a list of ten members stands in a style element', () => {
  const [, rule = ''] = /^<style>(.*)<\/style>$/.exec(RESERVED_SPACE) ?? [];
  const [, height] = /block-size: ([\d.]+)em/.exec(rule) ?? [];
  expect(rule).toBe(reservedSpace(Number(height)));
});
