import { describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { dashboardVisit, GUILD } from './dashboard-visit.ts';
import { picturesSettled } from './engines.ts';

const HASH = '0123456789abcdef0123456789abcdef';
/** A picture that is all red. */
const RED =
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="red"/></svg>';

describe('the pictures of members in the dashboard', needs('chromium', 'redis-server'), () => {
  const visit = dashboardVisit((n) => `Member ${n}`);

  it.each(['members', 'members?id=m11'])(
    'the page %s shows a picture in its circle, and the initial if it does not load',
    async (path) => {
      const { store } = visit.dashboard;
      await store.guildConfig.update(GUILD, { avatars: true });
      await store.writer.setProfiles(GUILD, [{ userId: 'm11', avatar: HASH }]);
      await visit.signIn();
      const found: unknown[] = [];
      for (const isThere of [true, false]) {
        await visit.page.route('https://cdn.discordapp.com/**', (route) =>
          isThere ? route.fulfill({ contentType: 'image/svg+xml', body: RED }) : route.abort(),
        );
        await visit.page.goto(`${visit.dashboard.url}/guilds/${GUILD}/${path}`);
        await picturesSettled(visit.page);
        found.push(
          await visit.page.evaluate(`[...document.querySelectorAll('.avatar:has(img)')].map((circle) => {
            const { naturalWidth, clientWidth, alt } = circle.querySelector('img');
            return { letter: circle.textContent, isLoaded: naturalWidth > 0, isFull: clientWidth === circle.clientWidth, alt };
          })`),
        );
        await visit.page.unrouteAll();
      }
      expect(found).toEqual([
        [{ letter: 'M', isLoaded: true, isFull: true, alt: '' }],
        // Without a text, a browser paints nothing over the letter.
        [{ letter: 'M', isLoaded: false, isFull: expect.any(Boolean), alt: '' }],
      ]);
    },
  );
});
