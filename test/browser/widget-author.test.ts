import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { PageRequest } from './engines.ts';
import { describeEngines, describeLogic, members, widgetView } from './widget-suite.ts';
import { soon } from './widget-view.ts';

/** A language, and how the widget says title, members and level in it. */
const SPOKEN = [
  ['en', 'Leaderboard', '12 members', 'Lv 11'],
  ['de-AT', 'Rangliste', '12 Mitglieder', 'Lv. 11'],
  ['fr', 'Classement', '12 membres', 'Niv. 11'],
  ['es-MX', 'Clasificación', '12 miembros', 'Nv. 11'],
  ['pt-BR', 'Classificação', '12 membros', 'Nv. 11'],
  ['ar', 'لوحة الصدارة', 'الأعضاء: 12', 'مستوى 11'],
  ['ja', 'ランキング', 'メンバー12人', 'Lv 11'],
  ['nl', 'Leaderboard', '12 members', 'Lv 11'],
  ['no language!', 'Leaderboard', '12 members', 'Lv 11'],
] as const;

describeEngines('the widget for the author of a page', (engine) => {
  const view = widgetView(engine, members(12, 5000, 100));

  it('the widget takes a title from its slot, and styles from parts and properties', async () => {
    await view.openHtml(
      '<script src="SERVICE/widget.js" defer></script><guild-leaderboard guild="guild" api-key="KEY"><span slot="title">Hall <b>of fame</b></span></guild-leaderboard>',
      'lang="en"',
      `guild-leaderboard { --guildrank-radius: 3px; --guildrank-size: 20px; --guildrank-max-width: 400px; --guildrank-dark-accent: rgb(9, 8, 7) }
       ::part(bar) { background: rgb(1, 2, 3) } ::part(pager) { order: -1 }`,
    );
    await view.sees('Live');
    expect(await view.page.evaluate("document.querySelector('b').checkVisibility()")).toBe(true);
    expect(await view.inWidget("all('h2 slot')[0].assignedNodes().length")).toBe(1);
    const style = (selector: string, name: string) => view.inWidget(`getComputedStyle(all('${selector}')[0]).${name}`);
    expect(await style('.card', 'borderRadius')).toBe('3px');
    expect(await style('.card', 'fontSize')).toBe('20px');
    expect(await style('.card', 'width')).toBe('400px');
    expect(await style('.bar', 'backgroundColor')).toBe('rgb(1, 2, 3)');
    await view.run("widget.theme = 'dark'; widget.member = 'u2'");
    await soon(() => style('.you', 'backgroundColor')).toBe('rgb(9, 8, 7)');
  });
});

describeLogic('the widget for the author of a page', (engine) => {
  const view = widgetView(engine, members(12, 5000, 100));

  it('the widget has every attribute as a property, set before or after the element is defined', async () => {
    await view.openHtml('<guild-leaderboard></guild-leaderboard>');
    await view.run(`Object.assign(widget, { guild: 'guild', apiKey: '${view.bench.key}', pageSize: 3, refreshInterval: 0, search: false });
      const script = document.createElement('script');
      script.src = '${view.bench.service.url}/widget.js';
      document.body.append(script);`);
    await view.sees('Member 2');
    expect(await view.run('return widget.outerHTML')).toContain('page-size="3" refresh="0" search="off"');
    await view.run(
      "widget.pageSize = 4; widget.layout = 'table'; widget.selectable = true; widget.memberHref = '/u/{user_id}';",
    );
    await soon(() => view.texts('tbody th .name')).toHaveLength(4);
    expect(
      await view.run('return [widget.pageSize, widget.search, widget.podium, widget.selectable, widget.theme]'),
    ).toEqual([4, false, true, true, '']);
  });

  it('the widget links members, or makes them buttons that work by keyboard', async () => {
    await view.open({ 'member-href': '/u/{user_id}?from=board' });
    await view.sees('Live');
    expect(await view.inWidget("all('a')[4].getAttribute('href')")).toBe('/u/u4?from=board');
    await view.open({ selectable: '' });
    await view.sees('Live');
    await view.run(
      "window.chosen = ''; addEventListener('guildrank-select', ({ detail }) => { chosen = detail.user_id; });",
    );
    await view.inWidget("all('li button')[4].focus()");
    await view.page.keyboard.press('Enter');
    expect(await view.page.evaluate('chosen')).toBe('u4');
  });

  it('the widget reads again when refresh() is called', async () => {
    await view.open({ refresh: '0' });
    await view.sees('Member 0');
    await view.store.writer.record('guild', { userId: 'new', set: 9000, username: 'Newcomer' });
    await view.run('widget.refresh()');
    await view.sees('Newcomer');
  });

  it('the widget takes the attribute refresh as a property too, as React and Vue set it', async () => {
    await view.open();
    await view.run('widget.refresh = 0');
    expect(
      await view.run('return [widget.getAttribute("refresh"), widget.refreshInterval, typeof widget.refresh]'),
    ).toEqual(['0', 0, 'function']);
  });

  it('the widget tells about loads, errors and chosen members by events', async () => {
    await view.open({ 'member-href': '#/u/{user_id}' });
    await view.run(`window.seen = [];
      for (const name of ['load', 'error', 'select']) addEventListener('guildrank-' + name, (event) => seen.push([name, event.detail]));
      addEventListener('guildrank-select', (event) => event.preventDefault());
      widget.setAttribute('refresh', '1');`);
    await view.sees('Live');
    await view.click('Member 1');
    expect(await view.page.evaluate('location.hash')).toBe('');
    await soon(() => view.page.evaluate("seen.findLast(([name]) => name === 'load')")).toMatchObject([
      'load',
      { leaderboard: { total: 12, page: 1 }, stats: { total_members: 12 } },
    ]);
    expect(await view.page.evaluate("seen.find(([name]) => name === 'select')")).toMatchObject([
      'select',
      { user_id: 'u1' },
    ]);
    await view.run("widget.guild = 'a b'");
    await soon(() => view.page.evaluate("seen.find(([name]) => name === 'error')")).toEqual([
      'error',
      { kind: 'setup', message: 'The guild attribute takes the id of a server.' },
    ]);
  });

  it('the widget shows pictures of avatarOf, and the initial where a picture is missing or does not load', async () => {
    await view.open({});
    await view.run(`widget.avatarOf = (id) => ({
      u0: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', u1: 'data:image/png,broken' })[id];`);
    await view.sees('Live');
    await soon(() =>
      view.inWidget("all('.avatar').slice(0, 3).map((node) => [node.textContent, node.childElementCount])"),
    ).toEqual([
      ['M', 1],
      ['M', 0],
      ['M', 0],
    ]);
  });

  it('the widget shows pictures of avatar-href, and the initial where a picture does not load or its address is not of the web', async () => {
    const asked: PageRequest[] = [];
    await view.tab.intercept(async (request) => {
      if (!request.url().startsWith('https://pictures.example/')) return undefined;
      asked.push(request);
      const body = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
      return request.url().includes('u0') ? { contentType: 'image/svg+xml', body } : { status: 404 };
    });
    await view.openLive({ 'avatar-href': 'https://pictures.example/{user_id}.svg?of={user_id}' });
    const pictures = () => view.inWidget("all('.avatar').slice(0, 3).map((node) => node.childElementCount)");
    await soon(pictures).toEqual([1, 0, 0]);
    expect(
      await view.inWidget("all('img').map((node) => [node.src, node.loading, node.referrerPolicy, node.alt])"),
    ).toEqual([['https://pictures.example/u0.svg?of=u0', 'lazy', 'no-referrer', '']]);
    expect(asked.filter((request) => 'referer' in request.headers())).toEqual([]);
    for (const address of ['javascript:1', 'data:image/svg+xml,<svg/>', 'ftp://a.example/{user_id}']) {
      await view.run(`widget.avatarHref = '${address}'`);
      await soon(pictures).toEqual([0, 0, 0]);
    }
    expect(view.messages.join()).toContain('The avatar-href attribute takes an http address.');
  });

  it('the widget speaks the language of the element around it', async () => {
    await view.store.writer.record('guild', { userId: 'u11', set: 9000, level: 11 });
    await view.tab.resize(800, 6000); // All are on screen.
    await view.openHtml(
      `<script src="SERVICE/widget.js" defer></script>${SPOKEN.map(
        ([lang]) =>
          `<div lang="${lang}"><guild-leaderboard guild="guild" api-key="KEY" page-size="3"></guild-leaderboard></div>`,
      ).join('')}`,
    );
    const heard = `[...document.querySelectorAll('guild-leaderboard')].map(({ shadowRoot }) =>
      ['h2', '.stats', 'li .level .brief'].map((selector) => shadowRoot.querySelector(selector)?.textContent))`;
    await soon(() => view.page.evaluate(heard)).toEqual(
      SPOKEN.map(([, title, total, level]) => [title, expect.stringContaining(total), level]),
    );
    expect(view.messages).toEqual([]);
  });

  it('the widget uses the singular for a single member', async () => {
    await view.store.writer.remove(
      'guild',
      Array.from({ length: 11 }, (_, i) => `u${i}`),
    );
    await view.open();
    await view.sees('1 member ·');
  });

  it('the widget takes texts from the property labels', async () => {
    await view.open();
    await view.run("widget.labels = { title: 'Top', next: '{xp} left to {n}' };");
    await soon(() => view.texts('h2')).toEqual(['Top']);
    await soon(async () => (await view.texts('.next'))[0]).toMatch(/^[\d,]+ left to \d+$/);
  });

  it('the widget has exactly the parts that docs/widget.md names', async () => {
    const text = readFileSync(new URL('../../docs/widget.md', import.meta.url), 'utf8');
    const named = /::part\(\)`:\n\n```\n([\s\S]*?)```/.exec(text)?.[1]?.trim().split(/\s+/) ?? [];
    await view.openHtml(
      `<script src="SERVICE/widget.js" defer></script><guild-leaderboard guild="guild" api-key="KEY" selectable boards="all,week"></guild-leaderboard>
       <guild-member guild="guild" api-key="KEY" member="u3"></guild-member>`,
    );
    await view.sees('Live');
    const parts = () =>
      view.page.evaluate(`[...document.querySelectorAll('guild-leaderboard, guild-member')]
      .flatMap((node) => [...node.shadowRoot.querySelectorAll('[part]')]).map((node) => node.getAttribute('part'))`);
    await soon(async () => new Set((await parts()) as string[])).toEqual(new Set(named));
  });

  it('the file of the widget also has the elements for one member and for the totals', async () => {
    await view.openHtml(
      `<script src="SERVICE/widget.js" defer></script><guild-member guild="guild" api-key="KEY" member="u3"></guild-member>
       <guild-member guild="guild" api-key="KEY" member="nobody"></guild-member><guild-stats guild="guild" api-key="KEY"></guild-stats>
       <guild-member guild="guild" api-key="KEY"></guild-member>`,
    );
    await view.sees(/Member 3[\s\S]*XP to level 11[\s\S]*Lv 10[\s\S]*4,700/);
    await view.sees('No member has the id “nobody”.');
    await view.sees('12 members · 53.4K XP');
    await view.sees('Leaderboard unavailable');
    const told = view.messages.filter((message) => message.startsWith('Guildrank widget'));
    expect(told).toEqual(['Guildrank widget: Set the member attribute.']);
    const seen = await view.page.evaluate(`[...document.querySelectorAll('guild-member')].map(({ shadowRoot }) =>
      [shadowRoot.querySelector('.facts').textContent, shadowRoot.querySelectorAll('.is-loading').length])`);
    expect(seen).toEqual(Array(3).fill(['', 0]));
  });

  it('the element for one member shows the claims, and a long rank beside the name', async () => {
    const member = { rank: 1_234_567, user_id: 'u3', username: 'Member 3', level: 10, xp: 4700, daily_streak: 12 };
    await view.tab.intercept(async (request) =>
      request.method() === 'GET' && request.url().includes('/members/')
        ? {
            body: JSON.stringify({ ...member, last_daily_claim: '2026-01-02T00:00:00Z' }),
            headers: { 'Access-Control-Allow-Origin': '*' },
            contentType: 'application/json',
          }
        : undefined,
    );
    await view.openHtml(
      '<script src="SERVICE/widget.js" defer></script><guild-member guild="guild" api-key="KEY" member="u3"></guild-member>',
    );
    await view.sees(/daily streak 12 · last claim Jan [12], 2026$/m);
    const gap = `((root) => {
      const range = new Range();
      range.selectNodeContents(root.querySelector('.rank'));
      return root.querySelector('.who').getBoundingClientRect().left - range.getBoundingClientRect().right;
    })(document.querySelector('guild-member').shadowRoot)`;
    for (const width of [320, 800]) {
      await view.tab.resize(width, 600);
      await soon(() => view.page.evaluate(gap)).toBeGreaterThan(0);
    }
  });
});
