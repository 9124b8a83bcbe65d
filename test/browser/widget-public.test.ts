import { describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { chromiumView, fillBoards, installClock, members, widgetViolations } from './widget-suite.ts';

describe(
  '<guild-leaderboard> without an API key, on a page of another origin',
  needs('chromium', 'redis-server'),
  () => {
    const view = chromiumView([{ userId: 'ada', set: 4675, username: 'Ada' }, ...members(12, 100, 1)], {
      PUBLIC_PAGES: '1',
      CORS_ORIGINS: 'https://other.example',
    });
    const configure = (change: object) => view.store.guildConfig.update('guild', change);
    /** Opens the tag alone, with a page of five rows. */
    const open = async (attributes: Record<string, string> = {}) => {
      await configure({ publicPage: true });
      // An address may search ten times at once.
      view.bench.service.advance(120_000);
      await view.open({ 'api-key': '', ...attributes });
    };
    const rows = () => view.texts('li .name');
    const button = (name: string) => view.page.getByRole('button', { name, exact: true });
    const told = () => view.messages.filter((message) => /Guildrank widget|uncaught/.test(message));

    it('the widget shows the leaderboard with totals and progress, by one request for a view and one request for a refresh', async () => {
      await installClock(view);
      const all = view.asked('');
      const data = view.asked('/data.json?limit=5&page=1');
      await open();
      await view.sees('13 members');
      expect(await rows()).toEqual(['Ada', 'Member 0', 'Member 1', 'Member 2', 'Member 3']);
      expect(await view.texts('.next')).toContain('1,100 XP to level 11');
      expect(data()).toBe(1);
      const before = all();
      await view.page.clock.runFor(65_000);
      await expect.poll(data).toBe(2);
      expect(all()).toBe(before + 1);
      expect(told()).toEqual([]);
    });

    it('the widget shares the request with other elements of the page, and reads once more for a visitor on another page', async () => {
      await configure({ publicPage: true });
      const data = view.asked('data.json');
      const tag = 'guild="guild" page-size="5"';
      await view.openHtml(
        `<script src="SERVICE/widget.js" defer></script><main><guild-leaderboard ${tag} member="u9"></guild-leaderboard><guild-leaderboard ${tag}></guild-leaderboard></main>`,
      );
      await view.sees('Find me');
      await view.sees('Member 9');
      expect(data()).toBe(2);
    });

    it('the elements for a member and the totals work without an API key, too', async () => {
      await configure({ publicPage: true });
      await view.store.writer.record('guild', { userId: 'ada', set: 4675, dailyStreak: 4 });
      await view.openHtml(
        `<script src="SERVICE/widget.js" defer></script><main><guild-member guild="guild" member="ada"></guild-member><guild-stats guild="guild"></guild-stats></main>`,
      );
      await view.sees('daily streak 4');
      await view.sees('1,100 XP to level 11');
      await view.sees('13 members');
      expect(told()).toEqual([]);
    });

    it("the widget leads to the visitor's own row, to a page by its number, and to the first and the last page", async () => {
      await open({ member: 'u9' });
      await button('Find me').click();
      await expect.poll(rows).toContain('Member 9');
      expect(await view.inWidget('root.activeElement?.textContent')).toContain('Member 9');
      const field = view.page.getByRole('spinbutton', { name: 'Page number' });
      expect(await field.inputValue()).toBe('3');
      await button('First page').click();
      await expect.poll(rows).toContain('Ada');
      await button('Last page').click();
      await expect.poll(rows).toContain('Member 11');
      await field.fill('2');
      await field.press('Enter');
      await expect.poll(rows).toEqual(['Member 4', 'Member 5', 'Member 6', 'Member 7', 'Member 8']);
      await field.fill('99');
      await field.press('Enter');
      await expect.poll(rows).toContain('Member 11');
      expect(await field.inputValue()).toBe('3');
    });

    it('the widget finds members by a part of their name or by the id, and says when nobody has it', async () => {
      await open();
      await view.sees('Live');
      await view.search('u9');
      await view.sees('Member 9: rank 11');
      await view.search('aDÁ');
      await view.sees('Ada: rank 1');
      await view.search('ber 1');
      await view.sees('3 members');
      await button('Member 11 · rank 13').click();
      await expect.poll(rows).toContain('Member 11');
      await view.search('Ada Lovelace');
      await view.sees('No member in this ranking has this name or id.');
    });

    it('the widget finds members on a board with their ranks there, and says who has gained nothing', async () => {
      await fillBoards(view);
      await open({ boards: 'week,all' });
      await view.sees('7 members');
      await view.search('ember 5');
      await view.sees('Member 5: rank 7');
      await view.search('ada');
      await view.sees('Ada: No XP.');
      await view.search('ember 1');
      await view.sees('3 members');
      await button('Member 10').click();
      await expect
        .poll(() => view.inWidget("all('.is-wanted .name').map((name) => name.textContent)"))
        .toEqual(['Member 10']);
      await button('Member 1').click();
      await view.sees('Member 1: No XP.');
      expect(told()).toEqual([]);
    });

    it('the widget asks for the id where a server has too many names to search', async () => {
      await open();
      await view.sees('Live');
      await view.page.route('**/data.json?**find=**', (route) =>
        route.fulfill({
          status: 400,
          headers: { 'access-control-allow-origin': '*' },
          json: { code: 'invalid_request', errors: [{ parameter: 'find', detail: 'must be a user id' }] },
        }),
      );
      await view.search('ada');
      await view.sees('This server has too many names to search. Enter the id of the member.');
      await view.sees('Live');
    });

    it('the widget marks the role that the level of a member gives, by the same request', async () => {
      const role = (level: number, role: string) => ({ level, role });
      await view.store.guildConfig.setRules(
        'guild',
        JSON.stringify({ rewards: [role(0, '801'), role(10, '802'), role(10, '803'), role(50, '804')] }),
      );
      await view.bench.testStore.client.hset('gr:{guild}:about', {
        roles: JSON.stringify([{ id: '802', name: '<b>Elite</b>', color: 0x00ff10, position: 1 }]),
      });
      await view.bench.testStore.client.hincrby('gr:{guild}:stats', 'rev', 1);
      const all = view.asked('/g/');
      const data = view.asked('data.json');
      await open({ podium: 'off', member: 'u9' });
      await view.sees('@<b>Elite</b>');
      await view.sees('Member 9');
      expect(data()).toBe(2);
      expect(all()).toBe(data());
      const marks = 'all(".reward").filter((mark) => mark.checkVisibility())';
      expect(await view.inWidget(`${marks}.map((mark) => mark.title)`)).toEqual([
        '@<b>Elite</b>, 803 from level 10',
        ...Array.from({ length: 5 }, () => '801 from level 0'),
      ]);
      expect(await view.inWidget(`getComputedStyle(all('.role')[0]).backgroundColor`)).toBe('rgb(0, 255, 16)');
      expect(await view.page.getByRole('listitem').first().ariaSnapshot()).toContain(
        '@<b>Elite</b>, 803 from level 10',
      );
      expect(await widgetViolations(view.page)).toEqual([]);
      await view.run('widget.rewards = false');
      await expect.poll(() => view.inWidget(`${marks}.length`)).toBe(0);
    });

    it('the widget keeps its place in the parameter that the site names, opens there, and leaves the rest of the address alone', async () => {
      await fillBoards(view);
      await configure({ publicPage: true });
      const tag = 'guild="guild" page-size="5" boards="all,week" address="ranks"';
      const query = () => view.page.evaluate('location.search + location.hash') as Promise<string>;
      view.bench.write(
        `<script src="SERVICE/widget.js" defer></script><main><guild-leaderboard ${tag}></guild-leaderboard></main>`,
      );
      await view.page.goto(`${view.bench.site.url}?q=a%20b&flag&ranks=2#top`);
      await expect.poll(rows).toEqual(['Member 7', 'Member 6', 'Member 5', 'Member 0', 'Member 1']);
      const before = await view.page.evaluate('history.length');
      await button('Next').click();
      await expect.poll(query).toBe('?q=a%20b&flag&ranks=3#top');
      await view.page.getByRole('tab', { name: 'This week' }).click();
      await expect.poll(query).toBe('?q=a%20b&flag&ranks=week#top');
      await button('Next').click();
      await expect.poll(query).toBe('?q=a%20b&flag&ranks=week-2#top');
      const shown = ['Member 6', 'Member 5'];
      await expect.poll(rows).toEqual(shown);
      await view.page.reload();
      await expect.poll(rows).toEqual(shown);
      await view.page.getByRole('tab', { name: 'All time' }).click();
      await expect.poll(query).toBe('?q=a%20b&flag#top');
      expect(await view.page.evaluate('history.length')).toBe(before);
      expect(told()).toEqual([]);
    });

    it('the widget opens the nearest place for an address that names no place', async () => {
      await configure({ publicPage: true });
      const tag = 'guild="guild" page-size="5" address="ranks"';
      view.bench.write(
        `<script src="SERVICE/widget.js" defer></script><main><guild-leaderboard ${tag}></guild-leaderboard></main>`,
      );
      for (const [value, first] of [
        ['99', 'Member 9'],
        ['month-2', 'Ada'],
        ['<script>', 'Ada'],
        ['0', 'Ada'],
      ] as const) {
        await view.page.goto(`${view.bench.site.url}?ranks=${encodeURIComponent(value)}`);
        await expect.poll(async () => (await rows())[0]).toBe(first);
        // What the visitor copies from a page past the end leads to the page that is shown.
        if (value === '99') expect(await view.page.evaluate('location.search')).toBe('?ranks=3');
      }
      expect(told()).toEqual([]);
    });

    it('the widget leaves the address alone by default, and the parameter of another widget to that widget', async () => {
      await configure({ publicPage: true });
      const tag = (more: string) => `<guild-leaderboard guild="guild" page-size="5" ${more}></guild-leaderboard>`;
      const query = () => view.page.evaluate('location.search') as Promise<string>;
      const next = (n: number) =>
        view.page.locator('guild-leaderboard').nth(n).getByRole('button', { name: 'Next', exact: true });
      view.bench.write(
        `<script src="SERVICE/widget.js" defer></script><main>${tag('')}${tag('address="a"')}${tag('address="a" page-size="4"')}${tag('address="b"')}</main>`,
      );
      await view.page.goto(`${view.bench.site.url}?a=2`);
      for (const n of [0, 2]) {
        await next(n).click();
        await expect
          .poll(() => view.page.locator('guild-leaderboard').nth(n).getByRole('spinbutton').inputValue())
          .toBe('2');
        expect(await query()).toBe('?a=2');
      }
      await next(3).click();
      await expect.poll(query).toBe('?a=2&b=2');
      await next(1).click();
      await expect.poll(query).toBe('?a=3&b=2');
      expect(told()).toEqual([expect.stringContaining('Two leaderboards of this page have address="a".')]);
    });

    it('the widget shows a board with its own totals', async () => {
      await fillBoards(view);
      await open({ boards: 'all,week' });
      await view.sees('13 members');
      await view.page.getByRole('tab', { name: 'This week' }).click();
      await view.sees('7 members');
      expect((await rows())[0]).toBe('Member 11');
      for (const width of [320, 500, 700, 768]) {
        await view.tab.resize(width, 900);
        expect(await view.page.evaluate('document.documentElement.scrollWidth - innerWidth'), `${width}`).toBe(0);
      }
    });

    it('a board that the server does not have leaves the other boards as they are, and comes when the server has it', async () => {
      await installClock(view);
      await configure({ boards: ['week'] });
      await open({ boards: 'all,month' });
      await view.sees('13 members');
      await view.page.getByRole('tab', { name: 'This month' }).click();
      await view.sees('Leaderboard unavailable');
      await expect.poll(told).toEqual([expect.stringContaining('or no such board')]);
      await view.page.getByRole('tab', { name: 'All time' }).click();
      await view.sees('13 members');
      expect((await rows())[0]).toBe('Ada');
      await view.page.getByRole('tab', { name: 'This month' }).click();
      await configure({ boards: ['week', 'month'] });
      await view.page.clock.runFor(65_000);
      await view.sees('No XP.');
    });

    it('the widget aligns the columns of all rows below the podium, whatever their numbers', async () => {
      await view.store.writer.recordMany('guild', [
        { userId: 'u1', set: 100_000_000 },
        { userId: 'u2', set: 90_000_000 },
        { userId: 'u3', set: 80_000_000 },
        { userId: 'u4', set: 7_000_000 },
      ]);
      await open({ 'page-size': '8' });
      await view.sees('13 members');
      const edges = (part: string, side: string) =>
        view.inWidget<number[]>(
          `[...new Set(all('li').slice(3).map((row) => Math.round(row.querySelector('${part}').getBoundingClientRect().${side})))]`,
        );
      for (const [part, side] of [
        ['.rank', 'right'],
        ['.main', 'right'],
        ['.level', 'left'],
        ['.level', 'right'],
        ['.xp', 'left'],
      ] as const)
        expect(await edges(part, side), part).toHaveLength(1);
    });

    it('the widget says nothing of an average level where nobody has XP', async () => {
      await configure({ publicPage: true });
      await view.store.guildConfig.update('empty', { publicPage: true });
      await view.open({ 'api-key': '', guild: 'empty' });
      await view.sees('No XP.');
      await view.sees('0 members · 0 XP');
      expect(await view.texts('.stats')).toEqual([expect.not.stringContaining('level')]);
    });

    it('the widget shows the picture that the data name', async () => {
      await configure({ publicPage: true });
      await view.page.route('**/data.json**', async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        body.data[0].avatar = 'https://pictures.example/ada.png';
        await route.fulfill({ response, json: body });
      });
      await view.page.route('https://pictures.example/**', (route) =>
        route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
      );
      await open();
      await view.sees('Live');
      expect(await view.inWidget("all('li img').map((each) => each.src)")).toEqual([
        'https://pictures.example/ada.png',
      ]);
    });

    it('the widget says to the author that the server has no public page, and waits when too many requests came', async () => {
      await view.open({ 'api-key': '' });
      await view.sees('Leaderboard unavailable');
      await expect.poll(told).toEqual([expect.stringContaining('There is no public page at')]);
      await configure({ publicPage: true });
      await view.page.route('**/data.json**', (route) =>
        route.fulfill({
          status: 429,
          headers: { 'retry-after': '7', 'access-control-allow-origin': '*' },
          json: { code: 'quota_exceeded' },
        }),
      );
      await view.open({ 'api-key': '' });
      await expect.poll(told).toContainEqual(expect.stringContaining('Too many requests came from this address.'));
    });

    it('the widget shows names as text, whatever they contain', async () => {
      const name = '<img src=x onerror=alert(1)>"&\u202egnp';
      await view.store.writer.record('guild', { userId: 'ada', set: 4675, username: name });
      await open({ member: 'ada' });
      await expect.poll(rows).toContain(name);
      await view.search('ada');
      await view.sees('rank 1');
      expect(await view.inWidget("all('img, script').length")).toBe(0);
    });

    it('axe finds nothing, with a visitor on another page and a search, in a wide and a narrow place', async () => {
      for (const width of [800, 320]) {
        await view.tab.resize(width, 900);
        await open({ member: 'u9', theme: width === 320 ? 'dark' : 'light' });
        await view.sees('Find me');
        await view.search('u9');
        await view.sees('Member 9: rank 11');
        expect(await widgetViolations(view.page)).toEqual([]);
        expect(await view.page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      }
    });
  },
);
