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
      await view.open({ 'api-key': '', ...attributes });
    };
    const rows = () => view.texts('li .name');
    const button = (name: string) => view.page.getByRole('button', { name, exact: true });
    const told = () => view.messages.filter((message) => /Guildrank widget|uncaught/.test(message));

    it('shows the leaderboard with totals and progress, by one request for a view and one for a refresh', async () => {
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

    it('shares the request with other elements of the page, and reads one more for a visitor on another page', async () => {
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

    it('shows a member and the totals without an API key, too', async () => {
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

    it('leads to the own row, to a page by its number, and to the first and the last page', async () => {
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

    it('finds a member by the id, and says when nobody has it', async () => {
      await open();
      await view.sees('Live');
      await view.search('u9');
      await view.sees('Member 9: rank 11');
      await view.search('Ada Lovelace');
      await view.sees('No member');
    });

    it('shows a board with its own totals', async () => {
      await fillBoards(view);
      await open({ boards: 'all,week' });
      await view.sees('13 members');
      await view.page.getByRole('tab', { name: 'This week' }).click();
      await view.sees('7 members');
      expect((await rows())[0]).toBe('Member 11');
    });

    it('shows the picture that the data names', async () => {
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

    it('says to the author that the server has no public page, and waits when too many requests came', async () => {
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

    it('shows names, whatever they have in them, as text', async () => {
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
