import { describe, expect, it } from 'vitest';
import { startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { sharedChromium, startSite } from '../../tools/browser.ts';
import { needs } from '../support/needs.ts';
import { startService } from '../support/service.ts';
import { storeOn } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';

describe('<guild-leaderboard> while Redis hangs', needs('chromium', 'redis-server'), () => {
  it('the widget says that the leaderboard is not updated, keeps its rows, and recovers by itself when Redis is back', async () => {
    const redis = await startEmbeddedRedis();
    const store = storeOn(redis);
    const service = await startService(store, { PLAN_QUOTAS: 'free=1000', REDIS_TIMEOUT_MS: '1000' });
    const site = await startSite();
    const page = await (await sharedChromium()).newPage();
    /** Lets the time of the page pass, of which the widget waits seconds between two requests, until a text is shown. */
    const shown = (text: string) =>
      expect
        .poll(async () => {
          await page.clock.runFor(1000);
          return page.getByText(text, { exact: true }).first().isVisible();
        }, PATIENT)
        .toBe(true);
    try {
      const { key } = await service.store.apiKeys.create('guild', 'test', null);
      await service.store.writer.record('guild', { userId: 'ada', set: 4675 });
      site.html = `<!doctype html><script src="${service.url}/widget.js" defer></script>
        <guild-leaderboard guild="guild" api-key="${key}" refresh="1"></guild-leaderboard>`;
      await page.clock.install();
      await page.goto(site.url);
      await shown('Live');

      redis.process.kill('SIGSTOP');
      await shown('Not updated');
      expect(await page.locator('li .name').allTextContents()).toEqual(['ada']);

      redis.process.kill('SIGCONT');
      await shown('Live');
      await service.store.writer.record('guild', { userId: 'grace', set: 9000 });
      await shown('grace');
    } finally {
      redis.process.kill('SIGCONT');
      await page.close();
      await site.close();
      await service.close();
      store.disconnect();
      await redis.stop();
    }
  });
});
