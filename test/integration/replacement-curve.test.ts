import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { COMMAND_ADVICE } from '../../src/cli/sentences.ts';
import type { CurveText } from '../../src/core/ranking/curves.ts';
import { importMembers } from '../../src/imports/import-members.ts';
import { openInput } from '../../src/imports/inputs.ts';
import { Problems } from '../../src/imports/problems.ts';
import { storeSuite } from '../support/store-suite.ts';
import { describeStores } from '../support/stores.ts';

describeStores('replacements of the members, while the owner sets another curve', (kind) => {
  const suite = storeSuite(kind);

  /** Replaces the members of a guild, and sets the curve before the last step. */
  async function replaceBeside(guild: string, owner: CurveText, curve?: CurveText) {
    await suite.store.writer.record(guild, { userId: 'old', set: 500 });
    const target = suite.beside(async ({ name }) => {
      if (name === 'replace-swap') await suite.store.guildConfig.update(guild, { xpCurve: owner });
    });
    const { signal } = new AbortController();
    const advice = { write: () => {}, advice: COMMAND_ADVICE };
    const input = await openInput(Readable.from([Buffer.from('user_id,xp\na,500\n')]), {}, signal, advice);
    const progress = { ...advice, update: () => {} };
    const reading = { inputs: [input], strict: false, problems: new Problems(), progress, signal };
    const choices = { plan: undefined, curve, formatCurve: undefined, levels: undefined };
    const job = { guild, reading, replace: true, ...choices };
    return importMembers(target, { ...job, maxDistinct: 100 }).finally(() => input.close());
  }
  const content = async (guild: string) => ({
    members: await suite.store.client.zrange(`gr:{${guild}}:xp`, 0, -1),
    curve: await suite.store.client.hget(`gr:{${guild}}:config`, 'xp_curve'),
    exact: (await suite.store.counters.check(guild)).exact,
  });

  it.each([
    [null, 'polaris'],
    ['lurkr', 'polaris'],
    ['custom=0,0,50,0,1,1', 'custom=0,0,60,0,1,1'],
  ] as const)(
    'a replacement replaces nothing when the owner changes the curve %s to %s meanwhile',
    async (before, owner) => {
      const guild = suite.newGuild();
      if (before) await suite.store.guildConfig.update(guild, { xpCurve: before });
      const { outcome } = await replaceBeside(guild, owner);
      expect(outcome?.message).toBe(
        `The curve of guild ${guild} was changed meanwhile: try again, on the new curve (nothing was replaced)`,
      );
      expect(await content(guild)).toEqual({ members: ['old'], curve: owner.split('=')[0], exact: true });
      expect(await suite.store.client.keys(`gr:{${guild}}:next:*`)).toEqual([]);
    },
  );

  it('a replacement takes the curve that it was told, and goes on when the curve is set to what it was', async () => {
    for (const [owner, told] of [['polaris', 'lurkr'], ['lurkr']] as const) {
      const guild = suite.newGuild();
      await suite.store.guildConfig.update(guild, { xpCurve: 'lurkr' });
      expect((await replaceBeside(guild, owner, told)).outcome).toBeUndefined();
      expect(await content(guild)).toEqual({ members: ['a'], curve: 'lurkr', exact: true });
    }
  });
});
