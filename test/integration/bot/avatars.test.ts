import { expect, it } from 'vitest';
import { deleteGuild } from '../../../src/core/guilds/delete.ts';
import { readAvatars } from '../../../src/core/reads/avatars.ts';
import { StagedMembers } from '../../../src/core/replace/staged-members.ts';
import { createWriter } from '../../../src/kit/writer.ts';
import { moveIn, moveOut } from '../../support/guild-move.ts';
import { storeSuite } from '../../support/store-suite.ts';
import { describeStores, mockStore } from '../../support/stores.ts';

const HASH = '0123456789abcdef0123456789abcdef';
const ANIMATED = 'a_fedcba9876543210fedcba9876543210';
const USERS = ['1', '2', '3', '4'];

describeStores('the avatars of members', (kind) => {
  const suite = storeSuite(kind);
  const writer = () => createWriter(suite.store.client);
  const avatarsIn = async (guild: string) => Object.fromEntries(await readAvatars(suite.store, guild, USERS));
  const seeded = async () => {
    const guild = suite.newGuild();
    await writer().recordMany(guild, [
      { userId: '1', set: 300, avatar: HASH },
      { userId: '2', set: 200, username: 'Bob' },
      { userId: '3', set: 100, avatar: ANIMATED },
    ]);
    return guild;
  };

  it('a record, an award and a change of profiles store an avatar, leave it, or remove it', async () => {
    const guild = await seeded();
    expect(await avatarsIn(guild)).toEqual({ 1: HASH, 3: ANIMATED });
    await writer().award(guild, { userId: '1', amount: 5, username: 'Ann' });
    await writer().award(guild, { userId: '2', amount: 5, avatar: HASH, eventId: 'm1' });
    await writer().award(guild, { userId: '3', amount: 5, avatar: null, factor: 2 });
    expect(await avatarsIn(guild)).toEqual({ 1: HASH, 2: HASH });
    expect(
      await writer().setProfiles(guild, [
        { userId: '1', avatar: null, username: 'Anna' },
        { userId: '4', avatar: HASH },
      ]),
    ).toEqual(['1']);
    expect(await avatarsIn(guild)).toEqual({ 2: HASH });
    expect(await suite.store.client.hget(`gr:{${guild}}:members`, '1')).toBe('- 0 - Anna');
  });

  it('an award on cooldown changes no avatar, and a repeated award stores it once', async () => {
    const guild = await seeded();
    await writer().award(guild, { userId: '2', amount: 5, cooldownMs: 60_000 });
    expect(await writer().award(guild, { userId: '2', amount: 5, cooldownMs: 60_000, avatar: HASH })).toMatchObject({
      onCooldown: true,
    });
    const once = { userId: '1', amount: 5, avatar: ANIMATED, eventId: 'm2' };
    await writer().award(guild, once);
    await writer().setProfiles(guild, [{ userId: '1', avatar: null }]);
    expect(await writer().award(guild, once)).toMatchObject({ repeated: true });
    expect(await avatarsIn(guild)).toEqual({ 3: ANIMATED });
  });

  it('a hidden member keeps its avatar, and a removed member leaves none', async () => {
    const guild = await seeded();
    await writer().hide(guild, ['1']);
    expect(await avatarsIn(guild)).toEqual({ 1: HASH, 3: ANIMATED });
    await writer().remove(guild, ['1', '3']);
    expect(await suite.store.client.exists(`gr:{${guild}}:avatars`)).toBe(0);
  });

  it('a replacement takes the avatars of the file, and keeps the avatars of hidden members who are not in the file', async () => {
    const guild = await seeded();
    await writer().hide(guild, ['3']);
    const staged = await StagedMembers.lock(suite.store, guild);
    await staged.stage([
      { userId: '1', set: 7 },
      { userId: '2', set: 8, avatar: ANIMATED },
    ]);
    expect(await avatarsIn(guild)).toEqual({ 1: HASH, 3: ANIMATED });
    await staged.putInPlace();
    await staged.end();
    expect(await avatarsIn(guild)).toEqual({ 2: ANIMATED, 3: ANIMATED });
    expect(await suite.store.client.keys(`gr:{${guild}}:next:*`)).toEqual([]);
  });

  it.each([
    ['an award', () => writer().award('g', { userId: '1', amount: 5, avatar: 'https://a.example' })],
    ['a record', () => writer().record('g', { userId: '1', set: 5, avatar: HASH.toUpperCase() })],
    ['an update', () => writer().setProfiles('g', [{ userId: '1', avatar: 7 as never }])],
  ])('an unfit avatar in %s is refused, and nothing is stored', async (_, call) => {
    await expect(call()).rejects.toThrow(
      'avatar must be a hash of Discord, which is 32 hex digits, with "a_" in front for an animated picture',
    );
    expect(await suite.store.client.exists('gr:{g}:stats')).toBe(0);
  });

  // The mock cannot name its server.
  if (kind === mockStore) return;

  it('the archive of a season has the avatars, and members who are removed with the season leave none', async () => {
    const guild = await seeded();
    await writer().hide(guild, ['3'], { reason: 'self' });
    const archiveAs = `${guild}.s1`;
    await writer().resetSeason(guild, { archiveAs, keepMembers: false });
    expect(await avatarsIn(archiveAs)).toEqual({ 1: HASH, 3: ANIMATED });
    expect(await avatarsIn(guild)).toEqual({ 3: ANIMATED });
    await writer().setProfiles(guild, [{ userId: '3', avatar: null }]);
    await writer().record(guild, { userId: '1', set: 5, avatar: ANIMATED });
    await writer().resetSeason(guild, { archiveAs: `${guild}.s2` });
    expect(await avatarsIn(`${guild}.s2`)).toEqual({ 1: ANIMATED });
    expect(await avatarsIn(guild)).toEqual({ 1: ANIMATED });
  });

  it('a move takes avatars and description along, and a deletion leaves neither', async () => {
    const guild = await seeded();
    await writer().hide(guild, ['3']);
    await writer().describeGuild(guild, { name: 'Quiet Hours', icon: ANIMATED });
    const about = await suite.store.client.hgetall(`gr:{${guild}}:about`);
    const lines = await moveOut(suite.store, guild);
    await deleteGuild(suite.store, guild);
    expect(await suite.store.client.keys(`*{${guild}}*`)).toEqual([`gr:{${guild}}:sessions`]);
    await moveIn(suite.store, lines);
    expect(await avatarsIn(guild)).toEqual({ 1: HASH, 3: ANIMATED });
    expect(await suite.store.client.hgetall(`gr:{${guild}}:about`)).toEqual(about);
  });
});
