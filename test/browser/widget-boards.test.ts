import { beforeEach, describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { chromiumView, fillBoards, members } from './widget-suite.ts';
import { soon } from './widget-view.ts';

describe('the boards of <guild-leaderboard> in Chromium', needs('chromium', 'redis-server'), () => {
  const view = chromiumView(members(12, 12_000, 500), { EMBED_ORIGINS: '*' });
  beforeEach(() => fillBoards(view));

  const tab = (name: string) => view.page.getByRole('tab', { name, exact: true });
  const tabs = () => view.page.getByRole('tab').allTextContents();
  const chosen = () => view.page.getByRole('tab', { selected: true }).allTextContents();
  const names = () => view.texts('li .name');
  const byXp = (...numbers: number[]) => numbers.map((n) => `Member ${n}`);

  it('the widget shows the first board, and another board with its first page, totals and XP when its tab is chosen', async () => {
    await view.openLive({ boards: ' week, all,week' });
    expect(await tabs()).toEqual(['This week', 'All time']);
    expect(await chosen()).toEqual(['This week']);
    expect(await names()).toEqual(byXp(11, 10, 9, 8, 7));
    expect(await view.texts('li .xp .full')).toEqual(['+70', '+60', '+50', '+40', '+30']);
    await view.sees('7 members · +280 XP gained');
    await view.click('Next');
    await view.sees('2 / 2');
    expect(await names()).toEqual(byXp(6, 5));
    await tab('All time').click();
    await view.sees('1 / 3');
    await view.sees('12 members');
    expect(await names()).toEqual(byXp(0, 1, 2, 3, 4));
    expect(await chosen()).toEqual(['All time']);
    expect(await view.page.getByRole('tabpanel', { name: 'All time' }).getByRole('listitem').count()).toBe(5);
    expect(view.messages).toEqual([]);
  });

  it('the widget refreshes the board that is shown, and asks nothing about the other boards', async () => {
    await view.openLive({ boards: 'all,week,month', refresh: '1' });
    await tab('This week').click();
    await soon(names).toEqual(byXp(11, 10, 9, 8, 7));
    const week = view.asked('/servers/guild~week/leaderboard?limit=5&page=1');
    const others = view.asked('/servers/guild/');
    await view.store.writer.record('guild', { userId: 'u0', add: 1000 });
    await soon(names).toEqual(byXp(0, 11, 10, 9, 8));
    expect(week()).toBeGreaterThan(0);
    expect(others()).toBe(0);
    expect(await view.inWidget("all('li .mark').filter((node) => !node.hidden).length")).toBe(4);
  });

  it('the widget finds, marks and pins members of the board that is shown, without progress to a level', async () => {
    await view.openLive({ boards: 'all,week', member: 'u5' });
    await view.sees('XP to level');
    await soon(() => view.texts('.pinned .rank')).toEqual(['6']);
    await tab('This week').click();
    await soon(() => view.texts('.pinned .rank')).toEqual(['7']);
    expect(await view.shows('li .progress')).toBe(false);
    await view.search('u6');
    await view.sees('rank 6');
    await view.click('Show in list');
    await soon(() => view.texts('li.is-wanted .name')).toEqual(['Member 6']);
    await view.search('u0');
    await view.sees('u0: No XP');
    await tab('All time').click();
    expect(await view.shows('.found')).toBe(false);
    await view.search('u0');
    await view.sees('rank 1');
  });

  it('the widget keeps the board and its rows while the quota is used up', async () => {
    await view.store.guildConfig.update('guild', { plan: 'free' });
    await view.openLive({ boards: 'all,week' });
    const url = `${view.bench.service.url}/api/v1/servers/guild/stats`;
    for (let used = 2; used < 12; used++) await fetch(url, { headers: { 'x-api-key': view.bench.key } });
    await view.run('widget.refresh()');
    await view.sees('Not updated');
    const asked = view.asked();
    await tab('This week').click();
    await view.painted();
    expect([await chosen(), (await names()).length, asked()]).toEqual([['All time'], 5, 0]);
  });

  it('the widget has no tabs without the attribute, and for one board alone', async () => {
    for (const [attributes, first] of [
      [{}, 'Member 0'],
      [{ boards: '' }, 'Member 0'],
      [{ boards: 'month' }, 'Member 11'],
    ] as [Record<string, string>, string][]) {
      await view.openLive(attributes);
      expect((await names())[0]).toBe(first);
      expect(await view.shows('.tabs')).toBe(false);
      expect(await view.page.getByRole('tabpanel').count()).toBe(0);
      expect(await view.inWidget("all('.rows')[0].hasAttribute('tabindex')")).toBe(false);
    }
    await view.run("widget.boards = 'week.prev,all'");
    await view.sees('Last week');
    await view.sees('No XP');
    await view.run("widget.boards = ''");
    await soon(async () => (await names())[0]).toBe('Member 0');
    expect(await view.shows('.tabs')).toBe(false);
  });

  it('the widget names a board that does not exist, asks nothing, and starts again when the attribute is mended', async () => {
    const asked = view.asked();
    await view.open({ boards: 'all,weak' });
    const message = 'The boards attribute takes all, week, month, week.prev and month.prev, not weak.';
    await view.sees('Leaderboard unavailable');
    expect(asked()).toBe(0);
    expect(view.messages).toEqual([`Guildrank widget: ${message}`]);
    await view.run("widget.boards = 'all,week'");
    await view.sees('Live');
    expect(await tabs()).toEqual(['All time', 'This week']);
  });

  it('the page for frames takes its boards from the fragment', async () => {
    const { service, key } = view.bench;
    await view.page.goto(`${service.url}/embed#guild=guild&api-key=${key}&page-size=5&boards=week,all`);
    await soon(names).toEqual(byXp(11, 10, 9, 8, 7));
    expect(await tabs()).toEqual(['This week', 'All time']);
  });
});
