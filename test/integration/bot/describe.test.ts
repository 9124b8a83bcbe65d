import { expect, it } from 'vitest';
import { deleteGuild } from '../../../src/core/guilds/delete.ts';
import { readAbout, readLabels } from '../../../src/core/guilds/description.ts';
import { findGuilds } from '../../../src/core/guilds/guild-directory.ts';
import { createWriter } from '../../../src/kit/writer.ts';
import { storeSuite } from '../../support/store-suite.ts';
import { describeStores } from '../../support/stores.ts';

const ICON = 'a_0123456789abcdef0123456789abcdef';
const ROLE = { id: '11', name: 'Regular', color: 0xff8800, position: 3 };
const CHANNEL = { id: '21', name: 'memes', type: 0, parent: '20' };
const CATEGORY = { id: '20', name: 'Fun', type: 4, parent: null };
const TOLD = { name: 'Quiet Hours', icon: ICON, roles: [ROLE], channels: [CATEGORY, CHANNEL] };
const list = <Entry>(length: number, entry: Entry) => Array.from({ length }, () => entry);

describeStores('what a bot tells of its guild', (kind) => {
  const suite = storeSuite(kind);
  const writer = () => createWriter(suite.store.client);
  const revision = (guild: string) => suite.store.client.hget(`gr:{${guild}}:stats`, 'rev');

  it('a reader of a description gets all that the bot told, in its order', async () => {
    const guild = suite.newGuild();
    expect(await readAbout(suite.store, guild)).toBeNull();
    expect(await writer().describeGuild(guild, TOLD)).toBe(true);
    expect(await readAbout(suite.store, guild)).toEqual(TOLD);
    expect(await readLabels(suite.store, ['nobody', guild])).toEqual([
      { name: null, icon: null },
      { name: 'Quiet Hours', icon: ICON },
    ]);
    expect(Number(await suite.store.client.hget(`gr:{${guild}}:about`, 'at'))).toBeGreaterThan(1_700_000_000_000);
  });

  it('a description raises the revision only if something has changed', async () => {
    const guild = suite.newGuild();
    await writer().describeGuild(guild, TOLD);
    const first = await revision(guild);
    expect(await writer().describeGuild(guild, TOLD)).toBe(false);
    expect(await revision(guild)).toBe(first);
    expect(await writer().describeGuild(guild, { ...TOLD, roles: [{ ...ROLE, name: 'Regulars' }] })).toBe(true);
    expect(Number(await revision(guild))).toBeGreaterThan(Number(first));
  });

  it('a description replaces the description before it, so what it leaves out shows as its id again', async () => {
    const guild = suite.newGuild();
    await writer().describeGuild(guild, TOLD);
    await writer().describeGuild(guild, { name: 'Loud Hours', icon: null });
    expect(await readAbout(suite.store, guild)).toEqual({ name: 'Loud Hours', icon: null, roles: [], channels: [] });
    await writer().describeGuild(guild, {});
    expect(await readAbout(suite.store, guild)).toBeNull();
  });

  it('a guild that a bot has described is in the list of guilds, and no counter counts it', async () => {
    const guild = suite.newGuild();
    await writer().describeGuild(guild, TOLD);
    expect(await findGuilds(suite.store)).toContain(guild);
    expect((await suite.store.counters.check(guild)).exact).toBe(true);
  });

  it('a deletion of a guild deletes its description', async () => {
    const guild = suite.newGuild();
    await writer().describeGuild(guild, TOLD);
    await deleteGuild(suite.store, guild);
    expect(await suite.store.client.keys(`*{${guild}}*`)).toEqual([`gr:{${guild}}:sessions`]);
  });

  it('a name with a lone surrogate is stored as UTF-8 can have it', async () => {
    const guild = suite.newGuild();
    await writer().describeGuild(guild, { name: 'a\ud800b', roles: [{ ...ROLE, name: '\udfff' }] });
    expect(await readAbout(suite.store, guild)).toMatchObject({ name: 'a\ufffdb', roles: [{ name: '\ufffd' }] });
  });

  it.each([
    ['name has 101 characters, and the most is 100', { name: '\u{1f600}'.repeat(101) }],
    ['name must be a text, not 7', { name: 7 }],
    [
      'icon must be a hash of Discord, which is 32 hex digits, with "a_" in front for an animated picture, or null, not "https',
      { icon: 'https://a.example/icon.png' },
    ],
    ['roles has 251 entries, and the most is 250', { roles: list(251, ROLE) }],
    ['channels has 501 entries, and the most is 500', { channels: list(501, CHANNEL) }],
    ['roles[1].name has 101 characters', { roles: [ROLE, { ...ROLE, name: 'a'.repeat(101) }] }],
    [
      'roles[0].color must be a whole number from 0 to 16777215, not 16777216',
      { roles: [{ ...ROLE, color: 2 ** 24 }] },
    ],
    ['roles[0].id must be a text of 1 to 64', { roles: [{ ...ROLE, id: 11 }] }],
    ['roles[0].hoist is no field of a role', { roles: [{ ...ROLE, hoist: true }] }],
    ['channels[0].parent must be a text of 1 to 64', { channels: [{ ...CHANNEL, parent: '' }] }],
    ['channels[0].type must be a whole number', { channels: [{ ...CHANNEL, type: 'text' }] }],
    ['channels must be a list, not {', { channels: { size: 3 } }],
    ['banner is no field of the description of a guild', { banner: ICON }],
    [
      'bytes in all, and the most is 262144: leave some roles or channels out',
      {
        channels: list(500, { ...CHANNEL, name: '\u{1f600}'.repeat(100), id: '1'.repeat(64), parent: '2'.repeat(64) }),
      },
    ],
  ])('a description is refused with the sentence "%s", and nothing is stored', async (sentence, description) => {
    const guild = suite.newGuild();
    const call = writer().describeGuild(guild, description as never);
    await expect(call).rejects.toThrow(sentence.replace('not {', 'not '));
    await expect(call).rejects.toHaveProperty('name', 'InvalidInputError');
    expect(await suite.store.client.keys(`*{${guild}}*`)).toEqual([]);
  });

  it('250 roles and 500 channels with long names are described', async () => {
    const guild = suite.newGuild();
    const name = 'a'.repeat(100);
    const told = {
      name,
      roles: Array.from({ length: 250 }, (_, n) => ({ ...ROLE, name, id: `1${n}` })),
      channels: Array.from({ length: 500 }, (_, n) => ({ ...CHANNEL, name, id: `2${n}` })),
    };
    await writer().describeGuild(guild, told);
    expect(await readAbout(suite.store, guild)).toEqual({ ...told, icon: null });
  });

  it('a reader leaves out of a description what no kit has stored', async () => {
    const guild = suite.newGuild();
    const roles = JSON.stringify([ROLE, { ...ROLE, color: 'red' }, null]);
    await suite.store.client.hset(`gr:{${guild}}:about`, { name: '', icon: 'x', roles, channels: '{"a"' });
    expect(await readAbout(suite.store, guild)).toEqual({ name: null, icon: null, roles: [ROLE], channels: [] });
  });
});
