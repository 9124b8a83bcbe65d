import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReader } from '../../src/kit/reader.ts';
import { createWriter } from '../../src/kit/writer.ts';
import { needs } from '../support/needs.ts';
import { realStore, type TestStore } from '../support/stores.ts';
import { GUILD, losing, madeUp, madeUpBot, msToTick, withoutRedis } from './discord.ts';

type Made = ReturnType<typeof madeUp>;

const REWARDS = [
  { level: 1, role: 'role1', kept: false },
  { level: 2, role: 'role2' },
  { level: 5, role: 'role5' },
];

describe('the handlers of examples/discord-js', needs('redis-server'), () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await realStore.start();
  });
  afterAll(() => store?.stop());
  beforeEach(() => store.empty());

  const xpOf = async (userId = '7') => (await createReader(store.client).card(GUILD, userId))?.xp ?? 0;

  it('a message gives XP once in the cooldown, and none from a bot, in a direct message or for a system message', async () => {
    const { message, said } = madeUp();
    const { handlers, reader, lines } = madeUpBot(store.client);
    await handlers.message(message());
    await handlers.message(message());
    const author = { id: '8', displayName: 'Eve', bot: false };
    await handlers.message(message('', { author: { ...author, bot: true } }));
    await handlers.message(message('', { author, inGuild: () => false }));
    await handlers.message(message('', { author, system: true }));
    const { data } = await reader.page(GUILD);
    expect(data).toEqual([{ rank: 1, userId: '7', username: 'A*nn', level: 0, xp: expect.any(Number) }]);
    expect(data[0]?.xp).toBeGreaterThanOrEqual(15);
    expect(data[0]?.xp).toBeLessThanOrEqual(25);
    expect([said, lines]).toEqual([[], []]);
  });

  it('a message gives XP by the rules: channels above a thread, roles, length and cooldown', async () => {
    const { message, roles } = madeUp();
    const bot = madeUpBot(store.client);
    await bot.setRules({
      message: { xp: 10, cooldown_ms: 0, min_chars: 3 },
      no_xp: { roles: ['mute'], channels: ['spam'] },
      multipliers: { channels: { category: 3 }, roles: { booster: 2 } },
    });
    const gained = async (event: object) => {
      const before = await xpOf();
      await bot.handlers.message(event);
      return (await xpOf()) - before;
    };
    expect([await gained(message()), await gained(message('abc')), await gained(message('😀😀'))]).toEqual([30, 30, 0]);
    roles.cache.set('booster', {});
    expect(await gained(message('abc'))).toBe(60);
    expect(await gained(message('abc', { channel: { id: 'spam', parent: null } }))).toBe(0);
    roles.cache.set('mute', {});
    expect(await gained(message('abc'))).toBe(0);
  });

  it('the bot reads changed rules after a minute', async () => {
    const { message } = madeUp();
    let now = 0;
    const bot = madeUpBot(store.client, { now: () => now });
    const writeFor = async (xp: number) => {
      await bot.setRules({ message: { xp, cooldown_ms: 0 } });
      await bot.handlers.message(message());
      return xpOf();
    };
    expect(await writeFor(10)).toBe(10);
    now = 59_999;
    expect(await writeFor(100)).toBe(20);
    now = 60_000;
    expect(await writeFor(100)).toBe(120);
  });

  it('the bot announces a level-up once, with the roles of its level, and takes the roles that are replaced', async () => {
    const { message, said, roles } = madeUp();
    const { handlers, writer, setRules } = madeUpBot(store.client);
    await setRules({ message: { xp: 20 }, rewards: REWARDS });
    roles.cache.set('no reward', {});
    await writer.record(GUILD, { userId: '7', set: 99 });
    await Promise.all(Array.from({ length: 5 }, () => handlers.message(message())));
    expect([said, [...roles.cache.keys()]]).toEqual([['<@7> is now level 1!'], ['no reward', 'role1']]);
    await writer.record(GUILD, { userId: '7', set: 1149 });
    await store.client.del(`gr:{${GUILD}}:cooldown:7`);
    await handlers.message(message());
    expect([said[1], [...roles.cache.keys()]]).toEqual(['<@7> is now level 5!', ['no reward', 'role2', 'role5']]);
    expect([roles.add.mock.calls.flat(), roles.remove.mock.calls.flat()]).toEqual([
      ['role1', 'role2', 'role5'],
      ['role1'],
    ]);
  });

  it('the bot gives the other roles when Discord refuses one, announces then too, and logs a line for each failure', async () => {
    const { message, channel, said, roles } = madeUp();
    const { handlers, writer, lines, setRules } = madeUpBot(store.client);
    await setRules({ message: { xp: 20 }, rewards: [...REWARDS, { level: 1, role: 'gone' }] });
    roles.add.mockRejectedValueOnce(new Error('Missing\nPermissions'));
    await writer.record(GUILD, { userId: '7', set: 254 });
    await handlers.message(message());
    expect([said, [...roles.cache.keys()]]).toEqual([['<@7> is now level 2!'], ['gone']]);
    channel.send.mockRejectedValueOnce(new Error('no permission to send'));
    await writer.record(GUILD, { userId: '7', set: 1149 });
    await store.client.del(`gr:{${GUILD}}:cooldown:7`);
    await handlers.message(message());
    expect([said.length, [...roles.cache.keys()]]).toEqual([1, ['gone', 'role2', 'role5']]);
    expect(lines).toEqual(['Role role2 of member 7: Missing Permissions', 'Level-up: no permission to send']);
  });

  it('a message counts once when its reply is lost, and the level-up is told', async () => {
    const { message, said, roles } = madeUp();
    const { handlers, waits, lines, writer, setRules } = madeUpBot(store.client, {
      writer: createWriter(losing(store.client, 1)),
    });
    await setRules({ message: { xp: 20, cooldown_ms: 0 }, rewards: REWARDS });
    await writer.record(GUILD, { userId: '7', set: 99 });
    const sent = message();
    await handlers.message(sent);
    const outcome = [await xpOf(), said, [...roles.cache.keys()], waits, lines];
    expect(outcome).toEqual([119, ['<@7> is now level 1!'], ['role1'], [300], []]);
    // The same message in another process of the bot.
    await madeUpBot(store.client).handlers.message(sent);
    expect([await xpOf(), said.length]).toEqual([119, 1]);
  });

  it('a message without Redis logs one line, after one more call', async () => {
    const { handlers, lines, waits } = madeUpBot(withoutRedis());
    await handlers.message(madeUp().message());
    expect([lines, waits]).toEqual([[expect.stringMatching(/^Message message-7-0: Redis: [^\n]+$/)], [300]]);
  });

  it('the bot announces no level-up of a hidden member', async () => {
    const { message, said, roles } = madeUp();
    const { handlers, writer, setRules } = madeUpBot(store.client);
    await setRules({ rewards: REWARDS });
    await writer.record(GUILD, { userId: '7', set: 99 });
    await writer.hide(GUILD, ['7']);
    await handlers.message(message());
    expect([said, [...roles.cache.keys()]]).toEqual([[], ['role1']]);
  });

  it('the bot hides a member who leaves, and gives everything back to a member who returns', async () => {
    const { member, roles } = madeUp();
    const { handlers, reader, writer, setRules } = madeUpBot(store.client);
    await setRules({ rewards: REWARDS });
    await writer.record(GUILD, { userId: '7', set: 300 });
    await handlers.memberLeft(member);
    expect((await reader.page(GUILD)).total).toBe(0);
    await handlers.memberJoined(member);
    expect([(await reader.member(GUILD, '7'))?.xp, [...roles.cache.keys()]]).toEqual([300, ['role2']]);
    await handlers.memberJoined(madeUp('10', 'New').member);
    expect((await reader.page(GUILD)).total).toBe(1);
  });

  it('the bot stores the picture of a member who writes, and removes a picture that the member removed', async () => {
    const { message, user } = madeUp();
    const { handlers, setRules } = madeUpBot(store.client);
    await setRules({ message: { xp: 10, cooldown_ms: 0 } });
    const pictured = (avatar: string | null) => handlers.message(message('', { author: { ...user, avatar } }));
    await pictured(`a_${'0'.repeat(32)}`);
    expect(await store.client.hgetall(`gr:{${GUILD}}:avatars`)).toEqual({ 7: `a_${'0'.repeat(32)}` });
    await pictured(null);
    expect([await store.client.exists(`gr:{${GUILD}}:avatars`), await xpOf()]).toEqual([0, 20]);
  });

  describe('the handlers for names', () => {
    const named = (id: string, name: string, position: number) => ({ id, name, color: 0xff8800, position });
    const channelOf = (id: string, name: string, rawPosition: number, more: object = {}) => ({
      ...{ id, name, rawPosition, type: 0, parentId: null, isThread: () => false },
      ...more,
    });
    const guildNamed = (name: string) => ({
      ...{ id: GUILD, name, icon: null },
      roles: {
        cache: new Map([named(GUILD, '@everyone', 0), named('1', 'Regular', 1), named('2', 'Veteran', 2)].entries()),
      },
      channels: {
        cache: new Map(
          [
            channelOf('21', 'memes', 1, { parentId: '20' }),
            channelOf('20', 'Fun', 0, { type: 4 }),
            channelOf('22', 'a thread', 0, { isThread: () => true }),
          ].entries(),
        ),
      },
    });
    const nameOf = async () => (await store.client.hgetall(`gr:{${GUILD}}:about`)).name;

    it('the bot tells the names of the server, of its roles from the top, and of its channels', async () => {
      const { handlers, lines } = madeUpBot(store.client);
      await handlers.describe(guildNamed('Quiet Hours'));
      const { name, icon, roles = '', channels = '' } = await store.client.hgetall(`gr:{${GUILD}}:about`);
      expect({ name, icon, roles: JSON.parse(roles), channels: JSON.parse(channels), lines }).toEqual({
        name: 'Quiet Hours',
        icon: undefined,
        roles: [named('2', 'Veteran', 2), named('1', 'Regular', 1)],
        channels: [
          { id: '20', name: 'Fun', type: 4, parent: null },
          { id: '21', name: 'memes', type: 0, parent: '20' },
        ],
        lines: [],
      });
    });

    it('the bot tells changes that come together in one call, some seconds later', async () => {
      let go = () => {};
      const wait = vi.fn(() => new Promise<void>((resolve) => (go = resolve)));
      const { handlers } = madeUpBot(store.client, { wait });
      const first = handlers.describeChange(guildNamed('Loud Hours'));
      await handlers.describeChange(guildNamed('Loud Hours'));
      expect([wait.mock.calls, await nameOf()]).toEqual([[[5000]], undefined]);
      go();
      await first;
      expect(await nameOf()).toBe('Loud Hours');
    });

    it('the bot logs a line when it cannot tell the names', async () => {
      const { handlers, lines } = madeUpBot(withoutRedis());
      await handlers.describe(guildNamed('Quiet Hours'));
      expect(lines).toEqual([expect.stringMatching(/^Description of guild 9: Redis: [^\n]+$/)]);
    });
  });

  describe('the handlers for voice', () => {
    /** Returns a guild whose members are in voice channels: id, channel, what holds for the member. */
    function guildWith(...present: [Made, string, object?][]) {
      const guild = { id: GUILD, afkChannelId: 'afk', voiceStates: { cache: new Map<string, object>() } };
      for (const [{ member, channel }, id, state] of present) {
        const voice = {
          guild,
          member,
          channel: { ...channel, id },
          deaf: false,
          mute: false,
          suppress: false,
          ...state,
        };
        guild.voiceStates.cache.set(member.id, voice);
      }
      return guild;
    }
    const people = (...ids: string[]) => ids.map((id) => madeUp(id));

    it('the bot gives the XP of a minute to members whose voice counts, and announces in the channel', async () => {
      const [ann, bob, eve, dan, joe, kim] = people('1', '2', '3', '4', '5', '6') as [
        Made,
        Made,
        Made,
        Made,
        Made,
        Made,
      ];
      kim.user.bot = true;
      const bot = madeUpBot(store.client);
      await bot.setRules({ voice: { xp: 100, counts: { muted: false } }, multipliers: { channels: { talk: 2 } } });
      const guild = guildWith(
        [ann, 'talk'],
        [bob, 'talk', { mute: true }],
        [eve, 'talk', { deaf: true }],
        [dan, 'afk'],
        [joe, 'lonely'],
        [kim, 'lonely'],
      );
      await bot.handlers.voice([guild], 60_000);
      const { data } = await bot.reader.page(GUILD);
      expect(data.map(({ userId, xp }) => [userId, xp])).toEqual([['1', 200]]);
      expect([ann.said, bot.lines]).toEqual([['<@1> is now level 1!'], []]);
      await bot.setRules({
        voice: { xp: 100, counts: { muted: true, deafened: true, afk: true, alone: true } },
      });
      const other = madeUpBot(store.client);
      await other.handlers.voice([guild], 120_000);
      expect(Object.fromEntries((await bot.reader.page(GUILD)).data.map(({ userId, xp }) => [userId, xp]))).toEqual({
        ...{ 1: 300, 2: 100, 3: 100, 4: 100, 5: 100 },
      });
    });

    it('the bot counts a minute once in two processes and after a restart, and gives nothing without rules', async () => {
      const [ann, bob] = people('1', '2') as [Made, Made];
      const guild = guildWith([ann, 'talk'], [bob, 'talk', { suppress: true }]);
      const bots = [madeUpBot(store.client), madeUpBot(store.client)];
      await bots[0]?.handlers.voice([guild], 0);
      expect((await createReader(store.client).page(GUILD)).total).toBe(0);
      await bots[0]?.setRules({ voice: { xp: 100 } });
      const restarted = [...bots.slice(1), madeUpBot(store.client), madeUpBot(store.client)];
      await Promise.all(restarted.map(({ handlers }, index) => handlers.voice([guild], 60_000 + index)));
      expect([await xpOf('1'), await xpOf('2'), ann.said]).toEqual([100, 0, ['<@1> is now level 1!']]);
      await restarted[0]?.handlers.voice([guild], 120_000);
      expect(await xpOf('1')).toBe(200);
    });

    it('the bot logs one line for all members without Redis', async () => {
      const { handlers, lines } = madeUpBot(withoutRedis());
      await handlers.voice([guildWith(...people('1', '2', '3').map((each) => [each, 'talk'] as [Made, string]))], 0);
      expect(lines).toEqual([expect.stringMatching(/^Voice: Redis: [^\n]+$/)]);
    });

    it('the bot ticks in the middle of each minute', () => {
      expect([0, 29_999, 30_000, 59_999].map(msToTick)).toEqual([30_000, 1, 60_000, 30_001]);
    });
  });
});
