import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The rule is 20 words. The test allows more for a sentence with a list of names. */
const MAX_WORDS = 30;
/** A sentence that begins like this hides its subject. */
const HIDDEN_SUBJECT = /^(What|Whatever|Whoever|That which)\b/;

const files = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((name) => join('docs', name))
  .concat('README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md')
  .filter((name) => name.endsWith('.md'));

/** Returns the sentences of a document, without code blocks, tables and headings. Inline code counts as one word. */
function sentencesOf(text: string): string[] {
  const prose = text
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/^(\||#|!\[).*$/gm, '')
    .replace(/`[^`]*`/g, 'CODE')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const paragraphs = prose.split(/\n\s*\n|^\s*(?:[-*]|\d+\.)\s+/gm).map((part) => part.replace(/\s+/g, ' ').trim());
  return paragraphs.flatMap((part) => part.split(/(?<=[.?!]\**"?\)?)\s+/)).filter((sentence) => sentence !== '');
}

it.each(files)('%s has short sentences that name their subject', (name) => {
  const sentences = sentencesOf(readFileSync(join(root, name), 'utf8'));
  expect(sentences.length).toBeGreaterThan(3);
  const long = sentences.filter((sentence) => sentence.split(' ').length > MAX_WORDS);
  expect(long, `longer than ${MAX_WORDS} words`).toEqual([]);
  const starts = sentences.map((sentence) => sentence.replace(/^\**/, ''));
  expect(starts.filter((sentence) => HIDDEN_SUBJECT.test(sentence))).toEqual([]);
});
