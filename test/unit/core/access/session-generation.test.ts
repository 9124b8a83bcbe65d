import { expect, it, vi } from 'vitest';
import { createInvite, hashToken } from '../../../../src/core/access/invites.ts';
import { endPersonSessions } from '../../../../src/core/access/session-generation.ts';
import type { RedisClient } from '../../../../src/core/store/client.ts';
import { Sessions } from '../../../../src/dashboard/sign-in/sessions.ts';
import { storeSuite } from '../../../support/store-suite.ts';
import { describeStores } from '../../../support/stores.ts';
import { PATIENT } from '../../../support/wait.ts';

describeStores('the end of all sessions', (kind) => {
  const suite = storeSuite(kind);

  const invite = async (guildId: string, userId = 'u') => {
    const address = await createInvite(suite.store, 'http://x', { guildId, userId });
    return address.slice(address.lastIndexOf('/') + 1);
  };
  const sessionsOn = (client: RedisClient) => new Sessions({ ...suite.store, client }, Date.now, null);
  const open = (token: string) => sessionsOn(suite.store.client).openByInvite(token, undefined, async () => {});
  const isGood = async (token = '') => (await sessionsOn(suite.store.client).find(token)) !== null;

  /** Returns the client of a process that is killed after some commands. */
  const killedAfter = (commands: number): RedisClient => {
    let sent = 0;
    return new Proxy(suite.store.client, {
      get: (client, name) => {
        const command = Reflect.get(client, name);
        if (typeof command !== 'function') return command;
        return (...args: unknown[]) =>
          ++sent > commands ? Promise.reject(new Error('killed')) : command.apply(client, args);
      },
    });
  };

  it.each([0, 1, 2, 3])(
    'the end of all sessions ends earlier invites too, unless a kill after %i commands leaves everything as it was',
    async (sent) => {
      const guildId = suite.newGuild();
      const session = await open(await invite(guildId));
      const link = await invite(guildId);
      const closing = sessionsOn(killedAfter(sent)).closeAll(guildId);
      const isDone = await closing.then(
        () => true,
        () => false,
      );
      const isSessionGood = await isGood(session?.token);
      expect(isSessionGood && isDone).toBe(false);
      expect((await open(link)) !== null).toBe(isSessionGood);
    },
  );

  it.each<[string, (sessions: Sessions, guildId: string, userId: string) => Promise<void>]>([
    ['its server', (sessions, guildId) => sessions.closeAll(guildId)],
    ['its person', (_sessions, _guildId, userId) => endPersonSessions(suite.store, userId)],
  ])('a sign-in is over at once when all sessions of %s end at any moment of the sign-in', async (_whose, end) => {
    let commands = 1;
    for (let moment = 0; moment < commands; moment++) {
      const guildId = suite.newGuild();
      // A person of its own: the clock of ioredis-mock can go back, and an invite would be older than the end of the moment before.
      const userId = `u${moment}`;
      const earlier = await open(await invite(guildId, userId));
      const link = await invite(guildId, userId);
      commands = 0;
      const ending = new Proxy(suite.store.client, {
        get: (client, name) => {
          const command = Reflect.get(client, name);
          if (typeof command !== 'function') return command;
          return async (...args: unknown[]) => {
            if (commands++ === moment) await end(sessionsOn(client), guildId, userId);
            return command.apply(client, args);
          };
        },
      });
      const opened = await sessionsOn(ending).openByInvite(link, earlier?.token, async () => {});
      expect([moment, await isGood(opened?.token), await isGood(earlier?.token)]).toEqual([moment, false, false]);
    }
    expect(commands).toBeGreaterThan(10);
  });

  it('all sessions end even in a Redis that is full', async () => {
    const guildId = suite.newGuild();
    const session = await open(await invite(guildId));
    const full = Object.assign(Object.create(suite.store.client), {
      set: () => Promise.reject(new Error('OOM command not allowed')),
    });
    await expect(sessionsOn(full).closeAll(guildId)).rejects.toThrow('OOM');
    expect(await isGood(session?.token)).toBe(false);
    expect(await sessionsOn(suite.store.client).list(guildId)).toEqual([]);
  });

  it('the end of all sessions leaves the next sign-in good when it came from a clock that was 400 days ahead', async () => {
    const guildId = suite.newGuild();
    const { sessions } = suite.store.redisKeys.guild(guildId);
    const ahead = (Date.now() + 400 * 86_400_000) * 1000;
    await suite.store.client.set(sessions, `${ahead} ${'x'.repeat(43)}`, 'EX', 400 * 86_400);
    expect(await open(await invite(guildId))).toBe(null);
    // The clock of ioredis-mock can go back by up to a second: an invite is older than the end then.
    await vi.waitFor(async () => {
      const session = await open(await invite(guildId));
      expect(await isGood(session?.token)).toBe(true);
    }, PATIENT);
    expect(await suite.store.client.ttl(sessions)).toBeLessThanOrEqual(86_400);
  });

  it('no session and no invite from a clock that was 400 days ahead is accepted', async () => {
    const guildId = suite.newGuild();
    const { client, redisKeys } = suite.store;
    const session = await open(await invite(guildId));
    await client.expire(redisKeys.session(hashToken(session?.token ?? '')), 400 * 86_400);
    expect(await isGood(session?.token)).toBe(false);
    const token = await invite(guildId);
    const ahead = (Date.now() + 400 * 86_400_000) * 1000;
    await client.set(redisKeys.invite(hashToken(token)), `${guildId} u ${ahead}`, 'EX', 400 * 86_400);
    expect(await open(token)).toBe(null);
  });
});
