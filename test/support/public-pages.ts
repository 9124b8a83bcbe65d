import request from 'supertest';
import { expect } from 'vitest';
import type { XpRecord } from '../../src/core/members/xp-record.ts';
import { serviceSuite } from './suite.ts';

/** Starts a suite on a service with public pages, and returns what its tests ask of a guild called "guild". The parameters are those of serviceSuite. */
export function publicPagesSuite(...[kind, env, drawing]: Parameters<typeof serviceSuite>) {
  const suite = serviceSuite(kind, { PUBLIC_PAGES: '1', ...env }, drawing);
  return {
    suite,
    get: (path: string) => request(suite.service.url).get(path),
    /** Returns the text of a page that is there. */
    async text(path: string): Promise<string> {
      const answer = await fetch(suite.service.url + path);
      expect(answer.status).toBe(200);
      return answer.text();
    },
    configure: (change: object, guild = 'guild') => suite.service.store.guildConfig.update(guild, change),
    record: (userId: string, change: object) =>
      suite.service.store.writer.record('guild', { userId, ...change } as XpRecord),
  };
}
