import { expect, it } from 'vitest';
import { withRotationLock } from '../../../../src/core/access/rotation-lock.ts';
import { RefusedError } from '../../../../src/core/errors.ts';
import { storeSuite } from '../../../support/store-suite.ts';
import { describeStores } from '../../../support/stores.ts';

describeStores('the rotation of an API key', (kind) => {
  const suite = storeSuite(kind);
  const rotate = (guild: string, work: () => Promise<string>, keyId = 'k1') =>
    withRotationLock(suite.store, guild, keyId, work);
  const lockOf = (guild: string) => suite.store.redisKeys.rotation(guild, 'k1');
  const done = async () => 'done';

  it('a second rotation of a key is refused for ten seconds, and other keys can be rotated', async () => {
    const guild = suite.newGuild();
    expect(await rotate(guild, done)).toBe('done');
    const refusal = { code: 'key_rotated', params: { guild, key: 'k1', seconds: 10 } };
    const second = rotate(guild, done);
    await expect(second).rejects.toBeInstanceOf(RefusedError);
    await expect(second).rejects.toMatchObject(refusal);
    expect(await suite.store.client.pttl(lockOf(guild))).toBeLessThanOrEqual(10_000);
    expect(await rotate(guild, done, 'k2')).toBe('done');
    expect(await rotate(suite.newGuild(), done)).toBe('done');
  });

  it('a rotation that failed can be tried again at once', async () => {
    const guild = suite.newGuild();
    await expect(rotate(guild, () => Promise.reject(new Error('full')))).rejects.toThrow('full');
    expect(await rotate(guild, done)).toBe('done');
  });

  it('a rotation that fails after its lock has ended leaves the lock of the next rotation', async () => {
    const guild = suite.newGuild();
    const late = async () => {
      await suite.store.client.set(lockOf(guild), 'another');
      throw new Error('late');
    };
    await expect(rotate(guild, late)).rejects.toThrow('late');
    expect(await suite.store.client.get(lockOf(guild))).toBe('another');
  });

  it('a rotation tells its own failure when Redis fails beside it', async () => {
    const failing = Object.assign(Object.create(suite.store.client), {
      get: () => Promise.reject(new Error('no connection')),
    });
    const store = { ...suite.store, client: failing };
    const rotation = withRotationLock(store, suite.newGuild(), 'k1', () => Promise.reject(new Error('full')));
    await expect(rotation).rejects.toThrow('full');
  });

  it('a lock that a clock in the future left ends ten seconds after the next try', async () => {
    const guild = suite.newGuild();
    await suite.store.client.set(lockOf(guild), 'x', 'PX', 400 * 86_400_000);
    await expect(rotate(guild, done)).rejects.toThrow(RefusedError);
    expect(await suite.store.client.pttl(lockOf(guild))).toBeLessThanOrEqual(10_000);
  });
});
