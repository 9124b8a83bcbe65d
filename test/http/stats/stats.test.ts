import { expect, it } from 'vitest';
import { describeStores, realStore } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';

describeStores('GET /servers/{guild_id}/stats', (kind) => {
  const suite = serviceSuite(kind);
  const stats = async () => (await suite.get('/servers/guild/stats').expect(200)).body;

  it('the statistics count members with XP, add up their XP and round their average level', async () => {
    await suite.service.store.writer.recordMany('guild', [
      { userId: 'a', set: 4675 },
      { userId: 'b', set: 100 },
      { userId: 'c', set: 0 },
    ]);
    expect(await stats()).toEqual({
      total_members: 2,
      total_xp: 4775,
      average_level: 6,
      xp_curve: 'standard',
      xp_multiplier: 1,
    });
  });

  it('levels and average follow a new curve at once', async () => {
    await suite.service.store.writer.recordMany('guild', [
      { userId: 'a', set: 550 },
      { userId: 'b', set: 100, level: 9 },
    ]);
    await suite.service.store.guildConfig.update('guild', { xpCurve: 'lurkr', xpMultiplier: 1.5 });
    expect(await stats()).toMatchObject({ average_level: 7, xp_curve: 'lurkr', xp_multiplier: 1.5 });
    expect((await suite.get('/servers/guild/members/a')).body.level).toBe(4);
    expect((await suite.service.store.counters.check('guild')).exact).toBe(true);
  });

  if (kind === realStore)
    it('a total beyond 2^53 is shown to the last digit', async () => {
      const max = 9007199254740991n;
      await suite.service.store.writer.recordMany('guild', [
        { userId: 'a', set: max },
        { userId: 'b', set: max },
        { userId: 'c', set: 3 },
      ]);
      const { text } = await suite.get('/servers/guild/stats').expect(200);
      expect(text).toContain(`"total_xp":${2n * max + 3n},`);
    });
});
