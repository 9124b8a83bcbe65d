import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/browser.ts';
import { type WidgetBench, widgetBench } from '../support/widget-page.ts';

describe.skipIf(!hasChromium)('the widget for the author of a page', () => {
  let bench: WidgetBench;

  beforeAll(async () => {
    bench = await widgetBench({ PLAN_QUOTAS: 'free=12,pro=10000' });
  });
  afterAll(() => bench.close());
  beforeEach(async () => {
    await bench.start();
    await bench.service.store.writer.recordMany(
      'guild',
      Array.from({ length: 12 }, (_, i) => ({
        userId: `u${i}`,
        set: 5000 - i * 100,
        profile: { username: `Member ${i}` },
      })),
    );
  });
  afterEach(() => bench.end());

  const live = () => bench.page.getByText('Live', { exact: true }).first().waitFor();
  /** Runs a statement with the first leaderboard as `widget`. */
  const run = <T>(statement: string) =>
    bench.page.evaluate<T>(`(() => { const widget = document.querySelector('guild-leaderboard'); ${statement} })()`);

  it('has every attribute as a property, set before or after the element is defined', async () => {
    await bench.openHtml('<guild-leaderboard></guild-leaderboard>');
    await run(`Object.assign(widget, { guild: 'guild', apiKey: '${bench.key}', pageSize: 3, refreshInterval: 0, search: false });
      const script = document.createElement('script');
      script.src = '${bench.service.url}/widget.js';
      document.body.append(script);`);
    await bench.page.getByText('Member 2', { exact: true }).waitFor();
    expect(await run('return widget.outerHTML')).toContain('page-size="3" refresh="0" search="off"');
    await run(
      "widget.pageSize = 4; widget.layout = 'table'; widget.selectable = true; widget.memberHref = '/u/{user_id}';",
    );
    await expect.poll(() => bench.page.getByRole('rowheader').count()).toBe(4);
    expect(
      await run('return [widget.pageSize, widget.search, widget.podium, widget.selectable, widget.theme]'),
    ).toEqual([4, false, true, true, '']);
  });

  it('reads again when refresh() is called', async () => {
    await bench.open({ refresh: '0' });
    await bench.page.getByText('Member 0', { exact: true }).waitFor();
    await bench.service.store.writer.record('guild', { userId: 'new', set: 9000, profile: { username: 'Newcomer' } });
    await run('widget.refresh()');
    await bench.page.getByText('Newcomer', { exact: true }).waitFor();
  });

  it('takes the attribute refresh as a property too, as React and Vue set it', async () => {
    await bench.open();
    await run('widget.refresh = 0');
    expect(await run('return [widget.getAttribute("refresh"), widget.refreshInterval, typeof widget.refresh]')).toEqual(
      ['0', 0, 'function'],
    );
  });

  it('tells about loads, errors and chosen members by events', async () => {
    await bench.open({ 'member-href': '#/u/{user_id}' });
    await run(`window.seen = [];
      for (const name of ['load', 'error', 'select']) addEventListener('guildrank-' + name, (event) => seen.push([name, event.detail]));
      addEventListener('guildrank-select', (event) => event.preventDefault());
      widget.setAttribute('refresh', '1');`);
    await live();
    await bench.page.getByRole('link', { name: 'Member 1', exact: true }).click();
    expect(await bench.page.evaluate('location.hash')).toBe('');
    await expect
      .poll(() => bench.page.evaluate("seen.findLast(([name]) => name === 'load')"))
      .toMatchObject(['load', { leaderboard: { total: 12, page: 1 }, stats: { total_members: 12 } }]);
    expect(await bench.page.evaluate("seen.find(([name]) => name === 'select')")).toMatchObject([
      'select',
      { user_id: 'u1' },
    ]);
    await run("widget.guild = 'a b'");
    await expect
      .poll(() => bench.page.evaluate("seen.find(([name]) => name === 'error')"))
      .toEqual(['error', { kind: 'setup', message: 'The guild attribute is not the id of a server.' }]);
  });

  it('links members, or makes them buttons that work by keyboard', async () => {
    await bench.open({ 'member-href': '/u/{user_id}?from=board' });
    await live();
    const link = bench.page.getByRole('link', { name: 'Member 4', exact: true });
    expect(await link.getAttribute('href')).toBe('/u/u4?from=board');
    await bench.open({ selectable: '' });
    await live();
    await run(
      "window.chosen = ''; addEventListener('guildrank-select', ({ detail }) => { chosen = detail.user_id; });",
    );
    await bench.page.getByRole('button', { name: 'Member 4', exact: true }).press('Enter');
    expect(await bench.page.evaluate('chosen')).toBe('u4');
  });

  it('shows pictures of avatarOf, and the initial where there is none or it does not load', async () => {
    await bench.open({});
    await run(`widget.avatarOf = (id) => ({
      u0: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', u1: 'data:image/png,broken' })[id];`);
    await live();
    await expect
      .poll(() =>
        bench.inWidget("all('.avatar').slice(0, 3).map((node) => [node.textContent, node.childElementCount])"),
      )
      .toEqual([
        ['M', 1],
        ['M', 0],
        ['M', 0],
      ]);
  });

  it.each([
    ['en', 'Leaderboard', '12 members', 'Lv 11'],
    ['de-AT', 'Rangliste', '12 Mitglieder', 'Lv. 11'],
    ['fr', 'Classement', '12 membres', 'Niv. 11'],
    ['es-MX', 'Clasificación', '12 miembros', 'Nv. 11'],
    ['pt-BR', 'Classificação', '12 membros', 'Nv. 11'],
    ['ar', 'لوحة الصدارة', 'الأعضاء: 12', 'مستوى 11'],
    ['ja', 'ランキング', 'メンバー12人', 'Lv 11'],
    ['nl', 'Leaderboard', '12 members', 'Lv 11'],
    ['no language!', 'Leaderboard', '12 members', 'Lv 11'],
  ])('speaks %s', async (lang, title, members, level) => {
    await bench.service.store.writer.record('guild', { userId: 'u11', set: 100, profile: { level: 11 } });
    await bench.open({ 'page-size': '20' }, `lang="${lang}"`);
    await bench.page.getByRole('heading', { name: title, exact: true }).waitFor();
    await bench.page.getByText(members).waitFor();
    await bench.page.locator('li', { hasText: 'Member 11' }).getByText(level, { exact: true }).waitFor();
    expect(bench.messages).toEqual([]);
  });

  it('has one form for one member', async () => {
    await bench.service.store.writer.remove(
      'guild',
      Array.from({ length: 11 }, (_, i) => `u${i}`),
    );
    await bench.open();
    await bench.page.getByText('1 member ·').waitFor();
  });

  it('takes texts from the property labels', async () => {
    await bench.open();
    await run("widget.labels = { title: 'Top', next: '{xp} left to {n}' };");
    await bench.page.getByRole('heading', { name: 'Top' }).waitFor();
    await bench.page
      .getByText(/^[\d,]+ left to \d+$/)
      .first()
      .waitFor({ state: 'attached' });
  });

  it('takes a title from its slot, and styles from parts and properties', async () => {
    await bench.openHtml(
      '<script src="SERVICE/widget.js" defer></script><guild-leaderboard guild="guild" api-key="KEY"><span slot="title">Hall <b>of fame</b></span></guild-leaderboard>',
      'lang="en"',
      `guild-leaderboard { --guildrank-radius: 3px; --guildrank-size: 20px; --guildrank-max-width: 400px; --guildrank-dark-accent: rgb(9, 8, 7) }
       ::part(bar) { background: rgb(1, 2, 3) } ::part(pager) { order: -1 }`,
    );
    await live();
    expect(await bench.page.getByText('Leaderboard', { exact: true }).isVisible()).toBe(false);
    await bench.page.getByText('Hall of fame').waitFor();
    const style = (selector: string, name: string) => bench.inWidget(`getComputedStyle(all('${selector}')[0]).${name}`);
    expect(await style('.card', 'borderRadius')).toBe('3px');
    expect(await style('.card', 'fontSize')).toBe('20px');
    expect(await style('.card', 'width')).toBe('400px');
    expect(await style('.bar', 'backgroundColor')).toBe('rgb(1, 2, 3)');
    await run("widget.theme = 'dark'; widget.member = 'u2'");
    await expect.poll(() => style('.you', 'backgroundColor')).toBe('rgb(9, 8, 7)');
  });

  it('has exactly the parts that docs/widget.md names', async () => {
    const text = readFileSync(new URL('../../docs/widget.md', import.meta.url), 'utf8');
    const named = /::part\(\)` styles each piece:\n\n```\n([\s\S]*?)```/.exec(text)?.[1]?.trim().split(/\s+/) ?? [];
    await bench.openHtml(
      `<script src="SERVICE/widget.js" defer></script><guild-leaderboard guild="guild" api-key="KEY" selectable></guild-leaderboard>
       <guild-member guild="guild" api-key="KEY" member="u3"></guild-member>`,
    );
    await live();
    const parts = await bench.page.evaluate<string[]>(`[...document.querySelectorAll('guild-leaderboard, guild-member')]
      .flatMap((node) => [...node.shadowRoot.querySelectorAll('[part]')]).map((node) => node.getAttribute('part'))`);
    expect(new Set(parts)).toEqual(new Set(named));
  });

  it('shows one member, or the totals, from the same file', async () => {
    await bench.openHtml(
      `<script src="SERVICE/widget.js" defer></script><guild-member guild="guild" api-key="KEY" member="u3"></guild-member>
       <guild-member guild="guild" api-key="KEY" member="nobody"></guild-member><guild-stats guild="guild" api-key="KEY"></guild-stats>`,
    );
    await bench.page.getByText('rank 4 · level 10 · 4,700 XP · daily streak 0').waitFor();
    await bench.page.getByText('No member has the id “nobody”.').waitFor();
    await bench.page.getByText('12 members · 53.4K XP').waitFor();
  });

  it('keeps nothing when it is taken from the page, and works when it is put back', async () => {
    await bench.page.clock.install();
    await bench.open({ refresh: '5' });
    await live();
    let asked = 0;
    bench.page.on('request', () => asked++);
    await run('window.taken = widget; widget.remove()');
    await bench.page.clock.runFor(60_000);
    expect(asked).toBe(0);
    await bench.page.evaluate('document.body.append(taken)');
    await expect.poll(() => asked).toBeGreaterThan(0);
  });
});
