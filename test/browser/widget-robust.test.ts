import { describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { chromiumView, installClock, members } from './widget-suite.ts';

describe('the widget on pages of others', needs('chromium', 'redis-server'), () => {
  const view = chromiumView(members(30, 3000, 37));

  const live = () => view.page.getByText('Live', { exact: true }).first().waitFor();
  const note = (text: string | RegExp) => view.page.locator('.note').getByText(text).waitFor();

  it.each(['3600000', '1e308', 'Infinity'])('asks once in a minute with refresh="%s"', async (refresh) => {
    await installClock(view);
    const count = view.asked('/leaderboard');
    await view.open({ refresh });
    await live();
    await view.page.clock.runFor(60_000);
    expect(count()).toBe(1);
    expect(view.messages.join()).toContain('86400 are used');
  });

  it.each([
    ['a wrong path', { 'base-url': 'SERVICE/wrong' }, /There is no leaderboard service at .*\/wrong\/api\/v1/],
    ['no address', { 'base-url': 'http://' }, 'The base-url attribute is not an address.'],
    [
      'a key with an invisible character',
      { 'api-key': 'KEY\u200b' },
      'The api-key attribute has an invisible character.',
    ],
    ['a wrong key', { 'api-key': 'gr_no' }, 'The API key was not accepted. Check the api-key attribute.'],
    ['another guild', { guild: 'a b' }, 'The guild attribute is not the id of a server.'],
  ] as const)(
    'says in the card that there is no data, and once in the console what to mend: %s',
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
