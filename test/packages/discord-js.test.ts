import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReader } from '../../src/bot/reader.ts';
import { createWriter } from '../../src/bot/writer.ts';
import { needs } from '../support/needs.ts';
import { repository } from '../support/run-command.ts';
import { realStore, type TestStore } from '../support/stores.ts';

const { createHandlers, commands } = await import(pathToFileURL(`${repository}/examples/discord-js/handlers.js`).href);
const ROLES = new Map([
  [1, 'role1'],
  [2, 'role2'],
  [5, 'role5'],
]);
const GUILD = '9';
const TIME = /<t:\d+:R>/;

describe('the handlers of examples/discord-js', needs('redis-server'), () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await realStore.start();
  });
  afterAll(() => store?.stop());
  beforeEach(() => store.empty());

  /** Returns a member of Discord with its roles, and what the bot says. */
  function madeUp(id = '7', displayName = 'A*nn') {
    const said: string[] = [];
    const replies: { content: string; isHidden: boolean; files?: object[] }[] = [];
    const displayAvatarURL = ({ extension, size }: { extension: string; size: number }) =>
      `https://cdn.example.com/${id}.${extension}?size=${size}`;
    const member = { id, displayName, guild: { id: GUILD }, roles: { add: vi.fn() }, displayAvatarURL };
    const channel = { send: async (text: string) => said.push(text) };
    const author = { id, displayName, bot: false };
    const message = { inGuild: () => true, system: false, guildId: GUILD, author, member, channel };
    const reply = async (answer: string | { content: string; flags?: number; files?: object[] }) => {
      const { content, flags, files } = typeof answer === 'string' ? { content: answer } : answer;
      replies.push({ content, isHidden: flags === 64, ...(files && { files }) });
    };
    const command = (commandName: string) => ({
      ...{ isChatInputCommand: () => true, inCachedGuild: () => true },
      ...{ commandName, guildId: GUILD, user: { id }, member, channel, reply, locale: 'pt-BR' },
    });
    return { said, replies, member, message, command };
  }

  const writer = () => createWriter(store.client);
  const reader = () => createReader(store.client);
  const handlers = () =>
    createHandlers({ writer: writer(), reader: reader(), roles: ROLES, dashboardUrl: 'https://dash.example.com' });

  it('give XP for a message once in the cooldown, and none to a bot, in a direct message or for a system message', async () => {
    const { message, said } = madeUp();
    await handlers().message(message);
    await handlers().message(message);
    await handlers().message({ ...message, author: { ...message.author, id: '8', bot: true } });
    await handlers().message({ ...message, author: { ...message.author, id: '8' }, inGuild: () => false });
    await handlers().message({ ...message, author: { ...message.author, id: '8' }, system: true });
    const { data } = await reader().page(GUILD);
    expect(data).toEqual([{ rank: 1, userId: '7', username: 'A*nn', level: 0, xp: expect.any(Number) }]);
    expect(data[0]?.xp).toBeGreaterThanOrEqual(15);
    expect(data[0]?.xp).toBeLessThanOrEqual(25);
    expect(said).toEqual([]);
  });

  it('announce a level-up once, with the roles of each level that it passes', async () => {
    const { message, said, member } = madeUp();
    await writer().record(GUILD, { userId: '7', set: 99 });
    await Promise.all(Array.from({ length: 5 }, () => handlers().message(message)));
    expect(said).toEqual(['<@7> is now level 1!']);
    expect(member.roles.add.mock.calls).toEqual([[['role1']]]);
  });

  it('give the roles when the reply or the announcement fails, and announce when the roles fail', async () => {
    const { message, command, said, member } = madeUp();
    await writer().record(GUILD, { userId: '7', set: 99 });
    const silent = { ...message.channel, send: () => Promise.reject(new Error('no permission to send')) };
    await expect(handlers().message({ ...message, channel: silent })).rejects.toThrow('no permission to send');
    expect(member.roles.add.mock.calls).toEqual([[['role1']]]);
    await writer().record(GUILD, { userId: '7', set: 254 });
    const late = { ...command('daily'), reply: () => Promise.reject(new Error('unknown interaction')) };
    await expect(handlers().interaction(late)).rejects.toThrow('unknown interaction');
    expect(member.roles.add.mock.calls).toEqual([[['role1']], [['role2']]]);
    expect(said).toEqual(['<@7> is now level 2!']);
    member.roles.add.mockRejectedValueOnce(new Error('no permission to give'));
    await writer().record(GUILD, { userId: '7', set: 1149 });
    await store.client.del(`gr:{${GUILD}}:cooldown:7`);
    await expect(handlers().message(message)).rejects.toThrow('no permission to give');
    expect(said).toEqual(['<@7> is now level 2!', '<@7> is now level 5!']);
  });

  it('give nothing to a hidden member in public', async () => {
    const { message, said } = madeUp();
    await writer().record(GUILD, { userId: '7', set: 99 });
    await writer().hide(GUILD, ['7']);
    await handlers().message(message);
    expect(said).toEqual([]);
  });

  it('show /rank and /top, with names that cannot change the text', async () => {
    const { command, replies } = madeUp();
    await handlers().interaction(command('rank'));
    await handlers().interaction(command('top'));
    await writer().recordMany(GUILD, [
      { userId: '7', set: 300, profile: { username: 'A*nn' } },
      { userId: '8', set: 255, profile: { username: 'a\\b\n', level: 7 } },
    ]);
    await handlers().interaction(command('rank'));
    await handlers().interaction(command('top'));
    const rows = '**1. A\\*nn: level 2, 300 XP**\n2. a\\\\b\\\n: level 7, 255 XP';
    expect(replies).toEqual([
      { content: 'You have no XP yet. Write something!', isHidden: true },
      { content: 'Nobody has XP yet.', isHidden: false },
      { content: rows, isHidden: false },
      { content: `${rows}\n2 members`, isHidden: false },
    ]);
  });

  it('tell a hidden member alone that it is hidden, and why', async () => {
    const { command, replies } = madeUp();
    await writer().record(GUILD, { userId: '7', set: 300 });
    await writer().hide(GUILD, ['7']);
    const tell = async (reasons: string) => {
      await store.client.hset(`gr:{${GUILD}}:hidden:reasons`, '7', reasons);
      await handlers().interaction(command('rank'));
      return replies.pop();
    };
    const answer = (why: string) => ({
      content: `You are hidden from the ranking: ${why}. You have level 2 with 300 XP.`,
      isHidden: true,
    });
    expect(await tell('self')).toEqual(answer('you asked for it'));
    expect(await tell('left moderator')).toEqual(answer('you left this server, and a moderator decided so'));
  });

  it('answer /rank with a picture, and in text when it fails', async () => {
    const { command, replies } = madeUp();
    await writer().record(GUILD, { userId: '7', set: 300, profile: { username: 'Ann' } });
    const picture = Buffer.from('picture');
    const drawCard = vi.fn().mockResolvedValueOnce(picture).mockRejectedValueOnce(new Error('no fonts'));
    const complain = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { interaction } = createHandlers({ writer: writer(), reader: reader(), drawCard });
    for (let n = 0; n < 2; n++) await interaction(command('rank'));
    const description = '**1. Ann: level 2, 300 XP**';
    expect(replies).toEqual([
      { content: undefined, isHidden: false, files: [{ attachment: picture, name: 'rank.png', description }] },
      { content: description, isHidden: false },
    ]);
    expect(complain.mock.calls).toEqual([[expect.objectContaining({ message: 'no fonts' })]]);
    complain.mockRestore();
    const avatarUrl = 'https://cdn.example.com/7.png?size=128';
    expect(drawCard).toHaveBeenCalledWith(await reader().card(GUILD, '7'), { lang: 'pt-BR', avatarUrl });
    await writer().hide(GUILD, ['7']);
    drawCard.mockResolvedValueOnce(picture);
    await interaction(command('rank'));
    expect(replies[2]).toMatchObject({ content: expect.stringContaining('hidden'), isHidden: true, files: [{}] });
  });

  it('pay /daily once a day', async () => {
    const { command, replies, said, member } = madeUp();
    await handlers().interaction(command('daily'));
    await handlers().interaction(command('daily'));
    expect(replies.map(({ content, isHidden }) => [content.replace(TIME, 'later'), isHidden])).toEqual([
      ['100 XP, day 1 in a row. Come back later.', false],
      ['You have claimed already. Come back later.', true],
    ]);
    expect([said, member.roles.add.mock.calls]).toEqual([['<@7> is now level 1!'], [[['role1']]]]);
  });

  it('answer /dashboard with a link that only the caller sees, and only managers may ask for', async () => {
    const { command, replies } = madeUp();
    await handlers().interaction(command('dashboard'));
    expect(replies[0]?.isHidden).toBe(true);
    expect(replies[0]?.content).toMatch(
      /^https:\/\/dash\.example\.com\/sign-in\/[\w-]{43}\nIt works once, for 15 minutes\.$/,
    );
    const [key] = await store.client.keys('gr:invite:*');
    expect(await store.client.get(key as string)).toMatch(/^9 7 \d{16}$/);
    const dashboard = commands.find(({ name }: { name: string }) => name === 'dashboard');
    expect(dashboard.default_member_permissions).toBe('32');
    await createHandlers({ writer: writer(), reader: reader() }).interaction(command('dashboard'));
    expect(replies[1]).toEqual({ content: 'This bot has no dashboard.', isHidden: true });
  });

  it('keep who opted out hidden when it leaves and returns, and let it decide for this guild and its archives', async () => {
    const { member, command, replies } = madeUp();
    const boards = [GUILD, `${GUILD}.s1`, `${GUILD}9.s1`];
    for (const board of boards) await writer().record(board, { userId: '7', set: 300 });
    const { interaction, memberLeft, memberJoined, ready } = createHandlers({
      ...{ writer: writer(), reader: reader(), roles: ROLES, archives: boards.slice(1) },
    });
    const privacy = (verb: string, sure = true, of = command) =>
      interaction({ ...of('privacy'), options: { getSubcommand: () => verb, getBoolean: () => sure } });
    const totals = () => Promise.all(boards.map(async (board) => (await reader().page(board)).total));
    await privacy('hide');
    await privacy('hide', true, madeUp('8').command);
    await memberLeft(member);
    await memberJoined(member);
    const cache = new Map(['7', '8'].map((id) => [id, member]));
    await ready({ id: GUILD, members: { fetch: async () => cache, cache } });
    expect([await totals(), member.roles.add.mock.calls]).toEqual([[0, 0, 1], []]);
    await privacy('show');
    expect(await totals()).toEqual([1, 1, 1]);
    await writer().hide(GUILD, ['7']);
    await privacy('show');
    await privacy('delete', false);
    expect(await totals()).toEqual([0, 1, 1]);
    await privacy('delete');
    expect(await Promise.all(boards.map((board) => writer().remove(board, ['7'])))).toEqual([0, 0, 1]);
    expect(replies.map(({ content, isHidden }) => [content.split('.')[0], isHidden])).toEqual([
      ['The ranking does not show you', true],
      ['The ranking shows you', true],
      ['A moderator has hidden you from the ranking', true],
      ['Nothing was erased', true],
      ['Your XP and your profile are erased', true],
    ]);
  });

  it('hide a member who leaves, and give all back to one who returns', async () => {
    const { member } = madeUp();
    await writer().record(GUILD, { userId: '7', set: 300 });
    await handlers().memberLeft(member);
    expect((await reader().page(GUILD)).total).toBe(0);
    await handlers().memberJoined(member);
    expect((await reader().member(GUILD, '7'))?.xp).toBe(300);
    expect(member.roles.add.mock.calls).toEqual([[['role1', 'role2']]]);
    const stranger = madeUp('10', 'New').member;
    await handlers().memberJoined(stranger);
    expect((await reader().page(GUILD)).total).toBe(1);
  });
});
