import { expect, it } from 'vitest';
import { componentEmbed, type Preview } from '../../../../src/service/public/component-embed.ts';
import { PLAIN } from './fixtures.ts';

const URL = 'https://ranks.example.com/g/guild';
const members = (count: number, name = 'Ann') =>
  Array.from({ length: count }, (_, at) => ({ rank: String(at + 1), name, level: 'Level 1', xp: '100' }));
const previewOf = (rows: Preview['rows']): Preview => ({
  title: 'The Den',
  place: 'Leaderboard',
  facts: '12 members',
  rows,
});

/** Returns the lines of the list that an embed shows. */
const listOf = (json: string): string[] => JSON.parse(json).component.components[2].content.split('\n');

const head = { type: 10, content: '## The Den\n12 members' };
const button = { type: 1, components: [{ type: 2, style: 5, url: URL, label: 'Leaderboard' }] };

it('has a title, a list and a button, in the layout of Discord', () => {
  expect(JSON.parse(componentEmbed(URL, previewOf(members(2)), PLAIN))).toEqual({
    component: {
      type: 17,
      accent_color: 0x4f46e5,
      components: [
        head,
        { type: 14 },
        { type: 10, content: '**1.** Ann · Level 1 · 100 XP\n**2.** Ann · Level 1 · 100 XP' },
        button,
      ],
    },
  });
});

it('has no list without members, and the picture of the guild beside the title', () => {
  const picture = 'https://x.example/icon.png';
  const accessory = { type: 11, media: { url: picture } };
  expect(JSON.parse(componentEmbed(URL, previewOf([]), { ...PLAIN, picture })).component.components).toEqual([
    { type: 9, components: [head], accessory },
    button,
  ]);
});

it('names the first ten members', () => {
  expect(listOf(componentEmbed(URL, previewOf(members(12)), PLAIN)).map((line) => line.split(' ')[0])).toEqual(
    Array.from({ length: 10 }, (_, at) => `**${at + 1}.**`),
  );
});

it('names as many members as fit into 3000 bytes, and is left out where not even its title fits', () => {
  const embedOf = (url: string) => componentEmbed(url, previewOf(members(10)), PLAIN);
  const full = URL.padEnd(URL.length + 3000 - Buffer.byteLength(embedOf(URL)), 'x');
  expect(Buffer.byteLength(embedOf(full))).toBe(3000);
  expect(listOf(embedOf(full)).length).toBe(10);
  expect(listOf(embedOf(`${full}x`)).length).toBe(9);
  expect(embedOf(URL.padEnd(3000, 'x'))).toBe('');
});

it('is JSON without a character that HTML looks at, and keeps each text', () => {
  const json = componentEmbed(URL, previewOf(members(1, `</script>"'&`)), PLAIN);
  expect(json).not.toMatch(/[<>&']|\\"/);
  expect(listOf(json)).toEqual([String.raw`**1.** \<\/script\>\"\'\& · Level 1 · 100 XP`]);
});
