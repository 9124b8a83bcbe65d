import { expect, it } from 'vitest';
import { InvalidInputError } from '../../../src/core/errors.ts';
import { createReader } from '../../../src/kit/reader.ts';
import { describeStores } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';

describeStores('a text above its bound that something else stored', (kind) => {
  const suite = serviceSuite(kind);
  const config = 'gr:{guild}:config';

  it('the API cuts a name that is too long', async () => {
    await suite.service.store.writer.award('guild', { userId: 'a', amount: 5 });
    await suite.testStore.client.hset('gr:{guild}:members', 'a', `- 0 - ${'ä'.repeat(50_000)}`);
    const { body } = await suite.get('/servers/guild/members/a').expect(200);
    expect(body.username).toMatch(/^ä{254}…$/);
  });

  it('the API, a board and an award take a multiplier that is too long for 1', async () => {
    await suite.service.store.guildConfig.update('guild', { boards: ['week'] });
    await suite.testStore.client.hset(config, 'xp_multiplier', `2.${'0'.repeat(90_000)}`);
    expect((await suite.service.store.writer.award('guild', { userId: 'm', amount: 5 })).xp).toBe(5);
    expect((await suite.get('/servers/guild/stats').expect(200)).body.xp_multiplier).toBe(1);
    expect((await suite.get('/servers/guild~week/stats').expect(200)).body.xp_multiplier).toBe(1);
  });

  it('the reader refuses rules that are too long', async () => {
    await suite.testStore.client.hset(config, 'rules', `{"no_xp":{"roles":[]}}${' '.repeat(90_000)}`);
    const rules = createReader(suite.testStore.client).rules('guild');
    await expect(rules).rejects.toThrow(InvalidInputError);
    await expect(rules).rejects.toThrow('The rules must be an object, not "more than 16384 bytes"');
  });
});
