import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../support/run-command.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name).sort();
const unique = (list: readonly string[]) => [...new Set(list)].sort();

describe('custom-elements.json of the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-widget-'));
  let elements: Record<'attributes' | 'events' | 'cssParts' | 'cssProperties' | 'members', { name: string }[]>[];
  beforeAll(async () => {
    const built = await runProgram(process.execPath, ['scripts/dev/widget-package.mjs', folder]);
    expect(built).toMatchObject({ code: 0, stderr: '' });
    elements = JSON.parse(readFileSync(join(folder, 'custom-elements.json'), 'utf8')).modules[0].declarations;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('names the attributes that the elements observe', async () => {
    const { GuildLeaderboard } = await import(join(folder, 'module.js'));
    const observed = GuildLeaderboard.observedAttributes.filter((name: string) => name !== 'lang');
    expect(names(elements[0]?.attributes ?? [])).toEqual(observed.sort());
  });

  it('names the properties for colours and sizes that the style sheet reads', () => {
    const used = read('src/widget/styles.css').match(/--guildrank-[\w-]+/g) ?? [];
    for (const { cssProperties } of elements) expect(names(cssProperties)).toEqual(unique(used));
  });

  it('names the parts that docs/widget.md names', () => {
    const [, list = ''] = /`::part\(\)`.*?```\n(.*?)```/s.exec(read('docs/widget.md')) ?? [];
    expect(unique(elements.flatMap(({ cssParts }) => names(cssParts)))).toEqual(unique(list.trim().split(/\s+/)));
  });

  it('names the events, and those of members only where there are members', () => {
    const all = ['guildrank-error', 'guildrank-load', 'guildrank-select'];
    expect(elements.map(({ events }) => names(events))).toEqual([all, all, all.slice(0, 2)]);
  });
});
