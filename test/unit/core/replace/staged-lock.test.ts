import { expect, it } from 'vitest';
import { RefusedError } from '../../../../src/core/errors.ts';
import { StagedMembers } from '../../../../src/core/replace/staged-members.ts';
import { storeSuite } from '../../../support/store-suite.ts';
import { describeStores } from '../../../support/stores.ts';

describeStores('the owner of staged members', (kind) => {
  const suite = storeSuite(kind);
  const lock = (guild: string) => StagedMembers.lock(suite.store, guild);
  const lockKey = (guild: string) => suite.store.redisKeys.staging(guild).lock;

  it('staged members have one owner at a time, for ten seconds after its last step', async () => {
    const guild = suite.newGuild();
    const first = await lock(guild);
    expect(first.leftBehind).toBe(0);
    const second = lock(guild);
    await expect(second).rejects.toThrow(RefusedError);
    await expect(second).rejects.toThrow(
      `An import, a deletion or the end of a season is running for guild ${guild}, or was killed a moment ago: try again in 10 s`,
    );
    const left = await suite.store.client.pttl(lockKey(guild));
    expect(left).toBeGreaterThan(5000);
    expect(left).toBeLessThanOrEqual(10_000);
    await first.end();
    await expect(lock(guild)).resolves.toBeInstanceOf(StagedMembers);
  });

  it('a lock that a clock took 400 days ahead has no owner', async () => {
    const guild = suite.newGuild();
    const first = await lock(guild);
    await suite.store.client.pexpire(lockKey(guild), 400 * 86_400_000);
    await expect(lock(guild)).resolves.toBeInstanceOf(StagedMembers);
    await expect(first.renew()).rejects.toMatchObject({ code: 'lock' });
  });

  it('an owner keeps the lock by a renewal, which leaves the lock of another owner alone', async () => {
    const guild = suite.newGuild();
    const first = await lock(guild);
    const shorten = () => suite.store.client.pexpire(lockKey(guild), 3000);
    const left = () => suite.store.client.pttl(lockKey(guild));
    await shorten();
    await first.renew();
    expect(await left()).toBeGreaterThan(5000);
    await suite.store.client.del(lockKey(guild));
    await lock(guild);
    await shorten();
    await expect(first.renew()).rejects.toMatchObject({ code: 'lock' });
    expect(await left()).toBeLessThanOrEqual(3000);
  });

  it('an owner that has lost the lock changes nothing by any step', async () => {
    const guild = suite.newGuild();
    const { client, redisKeys, writer } = suite.store;
    await writer.recordMany(guild, [
      { userId: 'a', set: 10 },
      { userId: 'b', set: 20 },
    ]);
    const first = await lock(guild);
    await first.stage([{ userId: 'first', set: 1 }]);
    await client.del(lockKey(guild));
    const second = await lock(guild);
    expect(second.leftBehind).toBe(1);
    await second.stage([{ userId: 'a', set: 30 }]);
    const { xp } = redisKeys.staging(guild);
    const content = async () => [
      ...(await Promise.all([`gr:{${guild}}:xp`, xp].map((key) => client.zrange(key, 0, -1, 'WITHSCORES')))),
      await client.hgetall(`gr:{${guild}}:stats`),
      (await client.keys(`gr:{${guild}}:*`)).sort(),
      await client.get(lockKey(guild)),
    ];
    const before = await content();
    expect(before.slice(0, 2)).toEqual([
      ['a', '10', 'b', '20'],
      ['a', '30'],
    ]);
    for (const step of [() => first.stage([{ userId: 'late', set: 1 }]), () => first.putInPlace(), () => first.end()]) {
      await expect(step()).rejects.toMatchObject({ name: 'RefusedError', code: 'lock' });
    }
    expect(await content()).toEqual(before);
  });
});
