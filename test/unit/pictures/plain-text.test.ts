import { expect, it } from 'vitest';
import { plainText } from '../../../src/kit/writer.ts';

// python/tests/test_rules.py has the same names.
it.each([
  ['[Free Nitro](https://evil.example)', String.raw`\[Free Nitro\]\(https\:\/\/evil\.example\)`],
  ['@everyone <@1>', String.raw`\@everyone \<\@1\>`],
  ['\u202eabc', 'abc'],
  ['a\n# b', String.raw`a \# b`],
  [`x${'\u0301'.repeat(50)}`, `x${'\u0301'.repeat(4)}`],
  ['\ud800', '\ufffd'],
  [' \u0085', ''],
])('the name %j cannot change the text around it', (name, text) => {
  expect(plainText(name)).toBe(text);
});
