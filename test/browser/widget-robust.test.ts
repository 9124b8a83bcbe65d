import { describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { chromiumView, installClock, members } from './widget-suite.ts';

describe('the widget on pages of others', needs('chromium', 'redis-server'), () => {
  const view = chromiumView(members(30, 3000, 37));

  const live = () => view.page.getByText('Live', { exact: true }).first().waitFor();
  const note = (text: string | RegExp) => view.page.locator('.note').getByText(text).waitFor();

  it.each(['3600000', '1e308', 'Infinity'])('the widget asks once in a minute with refresh="%s"', async (refresh) => {
    await installClock(view);
    const count = view.asked('/leaderboard');
    await view.open({ refresh });
    await live();
    await view.page.clock.runFor(60_000);
    expect(count()).toBe(1);
    expect(view.messages.join()).toContain('The refresh attribute takes 0 or 1 to 86400.');
  });

  it.each([
    ['page-size', '500', '1 to 100'],
    ['page-size', 'all', '1 to 100'],
    ['refresh', 'soon', '0 or 1 to 86400'],
    ['refresh', '-1', '0 or 1 to 86400'],
  ])(
    'the widget says once in the console what an attribute takes, and goes on with the default: %s="%s"',
    async (name, value, takes) => {
      await installClock(view);
      const count = view.asked('/leaderboard?limit=10&');
      await view.open({ 'page-size': '10', [name]: value });
      await live();
      await view.page.clock.runFor(70_000);
      await expect.poll(count).toBe(2);
      const told = view.messages.filter((message) => /Guildrank widget|uncaught/.test(message));
      expect(told).toEqual([expect.stringContaining(`Guildrank widget: The ${name} attribute takes ${takes}.`)]);
    },
  );

  it.each([
    ['a wrong path', { 'base-url': 'SERVICE/wrong' }, /There is no leaderboard service at .*\/wrong\/api\/v1/],
    ['no address', { 'base-url': 'http://' }, 'The base-url attribute takes an address.'],
    [
      'a key with an invisible character',
      { 'api-key': 'KEY\u200b' },
      'The api-key attribute has an invisible character.',
    ],
    ['a wrong key', { 'api-key': 'gr_no' }, 'The API key was not accepted. Check the api-key attribute.'],
    ['another guild', { guild: 'a b' }, 'The guild attribute takes the id of a server.'],
  ] as const)(
    'the widget says in the card that there are no data, and once in the console what to mend: %s',
    async (_, attributes, text) => {
      await installClock(view);
      const count = view.asked('/leaderboard');
      await view.open(attributes);
      await note('Leaderboard unavailable');
      const before = count();
      await view.page.clock.runFor(600_000);
      expect(count()).toBe(before);
      const told = view.messages.filter((message) => /Guildrank widget|uncaught/.test(message));
      expect(told).toEqual([expect.stringMatching(text)]);
    },
  );
});
