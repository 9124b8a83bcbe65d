import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { RESERVED_SPACE, readWidgetFile, reservedSpace } from '../../../../../src/service/http/site/widget-file.ts';

const built = readFileSync(new URL('../../../../../src/widget/dist/widget.js', import.meta.url));

it('the file of the widget is at most 24 kB in brotli', () => {
  expect(brotliCompressSync(built).length).toBeLessThanOrEqual(24_000);
});

it('the service reads the widget as it was built, with a path and an integrity by its content', () => {
  const { body, path, integrity } = readWidgetFile();
  expect(body.equals(built)).toBe(true);
  const digest = createHash('sha384').update(built);
  expect(path).toBe(`widget.${digest.copy().digest('hex').slice(0, 16)}.js`);
  expect(integrity).toBe(`sha384-${digest.digest('base64')}`);
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
