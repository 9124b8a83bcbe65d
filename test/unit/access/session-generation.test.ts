import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createInvite } from '../../../src/access/invites.ts';
import { type Services, servicesOn } from '../../../src/cli/services.ts';
import { Sessions } from '../../../src/dashboard/sessions.ts';
import type { RedisClient } from '../../../src/store/client.ts';
import { describeStores, type TestStore } from '../../support/stores.ts';

const PLACE = { guildId: 'g' };

describeStores('the end of all sessions', (kind) => {
  let testStore: TestStore;
  let store: Services;
  beforeAll(async () => {
    testStore = await kind.start();
    store = servicesOn(testStore.client, 'gr', ['free']);
  });
  afterAll(() => testStore.stop());
  beforeEach(() => testStore.empty());

  const invite = async () => {
    const address = await createInvite(store.scripts, store.redisKeys, 'http://x', { ...PLACE, userId: 'u' });
    return address.slice(address.lastIndexOf('/') + 1);
  };
  const sessionsOn = (client: RedisClient) => new Sessions(client, store.redisKeys, Date.now);
  const open = (token: string) => sessionsOn(store.client).open(token, async () => {});
  const isGood = async (token = '') => (await sessionsOn(store.client).find(token)) !== null;

  /** Returns the client of a process that is killed after some commands. */
  const killedAfter = (commands: number): RedisClient => {
    let sent = 0;
    return new Proxy(store.client, {
      get: (client, name) => {
        const command = Reflect.get(client, name);
        if (typeof command !== 'function') return command;
        return (...args: unknown[]) =>
          ++sent > commands ? Promise.reject(new Error('killed')) : command.apply(client, args);
      },
    });
  };

  it.each([0, 1, 2, 3])(
    'ends the invites from before too, unless a kill after %i commands leaves all',
    async (sent) => {
      const session = await open(await invite());
      const link = await invite();
      const closing = sessionsOn(killedAfter(sent)).closeAll(PLACE);
      const isDone = await closing.then(
        () => true,
        () => false,
      );
      const isSessionGood = await isGood(session?.token);
      expect(isSessionGood && isDone).toBe(false);
      expect((await open(link)) !== null).toBe(isSessionGood);
    },
  );

  it('ends the sessions also in a Redis that is full', async () => {
    const session = await open(await invite());
    const full = Object.assign(Object.create(store.client), {
      set: () => Promise.reject(new Error('OOM command not allowed')),
    });
    await expect(sessionsOn(full).closeAll(PLACE)).rejects.toThrow('OOM');
    expect(await isGood(session?.token)).toBe(false);
    expect(await sessionsOn(store.client).list(PLACE)).toEqual([]);
  });
});
