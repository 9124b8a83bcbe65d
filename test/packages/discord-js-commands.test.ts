import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWriter } from '../../src/kit/writer.ts';
import { needs } from '../support/needs.ts';
import { realStore, type TestStore } from '../support/stores.ts';
import { commands, GUILD, losing, madeUp, madeUpBot, withoutRedis } from './discord.ts';

const TIME = /<t:\d+:R>/;
const REWARDS = [
  { level: 1, role: 'role1' },
  { level: 2, role: 'role2' },
];

describe('the commands of examples/discord-js', needs('redis-server'), () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await realStore.start();
  });
  afterAll(() => store?.stop());
  beforeEach(() => store.empty());

  it('commands that change XP or show the dashboard are for managers of the server', () => {
    const named = commands.map((command: { name: string; default_member_permissions?: string; contexts: number[] }) => {
      const { name, default_member_permissions: permissions, contexts } = command;
      return [name, permissions, contexts];
    });
    expect(named).toEqual([
      ['rank', undefined, [0]],
      ['top', undefined, [0]],
      ['daily', undefined, [0]],
      ['xp', '32', [0]],
      ['sync-roles', '32', [0]],
      ['privacy', undefined, [0]],
      ['dashboard', '32', [0]],
    ]);
  });

  it('/rank and /top show names that cannot change the text around them', async () => {
    const { command, answers } = madeUp();
    const { handlers, writer } = madeUpBot(store.client);
    await handlers.interaction(command('rank'));
    await handlers.interaction(command('top'));
    await writer.recordMany(GUILD, [
      { userId: '7', set: 300, username: 'A*nn' },
      { userId: '8', set: 255, username: '[a](https://b)\n', level: 7 },
    ]);
    await handlers.interaction(command('rank'));
    await handlers.interaction(command('top', { board: 'all' }));
    const rows = '**1. A\\*nn: level 2, 300 XP**\n2. \\[a\\]\\(https\\:\\/\\/b\\): level 7, 255 XP';
    expect(answers).toEqual([
      { content: 'You have no XP yet. Write something!', isHidden: true },
      { content: 'Nobody has XP yet.', isHidden: false },
      { content: rows, isHidden: false },
      { content: `${rows}\n2 members`, isHidden: false },
    ]);
  });

  describe('the command /sync-roles', () => {
    /** Returns members of a server as discord.js has them, with the roles that they have. */
    const present = (roles: Readonly<Record<string, readonly string[]>>) => {
      const people = new Map(
        Object.entries(roles).map(([id, own]) => {
          const made = madeUp(id);
          for (const role of own) made.roles.cache.set(role, {});
          return [id, made];
        }),
      );
      const list = Object.assign(new Map([...people].map(([id, { member }]) => [id, member])), {
        filter: (fits: (member: { user: { bot: boolean } }) => boolean) =>
          new Map([...people].map(([id, { member }]) => [id, member] as const).filter(([, each]) => fits(each))),
      });
      const guild = { members: { fetch: vi.fn(async () => list) } };
      return { guild, rolesOf: (id: string) => [...(people.get(id)?.roles.cache.keys() ?? [])] };
    };
    const imported = async () => {
      const bot = madeUpBot(store.client);
      await bot.setRules({ rewards: REWARDS });
      await bot.writer.recordMany(GUILD, [
        { userId: '1', set: 300 },
        { userId: '2', set: 0 },
        { userId: '3', set: 5, level: 1 },
        { userId: '4', set: 300 },
        { userId: 'gone', set: 300 },
      ]);
      await bot.writer.hide(GUILD, ['3']);
      return bot;
    };
    const ROLES = { '1': [], '2': ['role1', 'other'], '3': [], '4': ['role1', 'role2'], '5': [] };

    it('/sync-roles first says how many members would have other roles, and changes nothing', async () => {
      const { handlers } = await imported();
      const { guild, rolesOf } = present(ROLES);
      const { command, answers } = madeUp();
      await handlers.interaction(command('sync-roles', { guild }));
      expect(answers.at(-1)?.content).toBe(
        '3 of 5 members would have other roles. Call the command with apply to change them.',
      );
      expect([rolesOf('1'), rolesOf('2'), rolesOf('3')]).toEqual([[], ['role1', 'other'], []]);
    });

    it('/sync-roles gives all members the roles of their levels, hidden members too, and says how far it is', async () => {
      const { handlers } = await imported();
      const { guild, rolesOf } = present(ROLES);
      const { command, answers } = madeUp();
      await handlers.interaction(command('sync-roles', { guild, apply: true }));
      expect(answers.map(({ content }) => content)).toEqual([
        '5 of 5 members checked, 3 changed …',
        'Done: 3 of 5 members have other roles now.',
      ]);
      expect(Object.keys(ROLES).map(rolesOf)).toEqual([
        ['role1', 'role2'],
        ['other'],
        ['role1'],
        ['role1', 'role2'],
        [],
      ]);
    });

    it('/sync-roles answers in words when Redis is away, and runs again afterwards', async () => {
      const { guild } = present(ROLES);
      const { command, answers } = madeUp();
      const { handlers, lines } = madeUpBot(withoutRedis());
      for (let call = 0; call < 2; call++) await handlers.interaction(command('sync-roles', { guild }));
      expect(answers.map(({ content }) => content)).toEqual(
        Array(2).fill('The ranking cannot be reached now. Try again in a minute.'),
      );
      expect(lines).toHaveLength(2);
    });
  });

  it('/top shows the boards of the week and the month', async () => {
    const { command, answers } = madeUp();
    const { handlers, writer, store: configured } = madeUpBot(store.client);
    await writer.record(GUILD, { userId: '7', set: 300, username: 'Ann' });
    await configured('boards', 'week');
    await writer.record(GUILD, { userId: '7', add: 20 });
    for (const board of ['week', 'month']) await handlers.interaction(command('top', { board }));
    expect(answers.map(({ content }) => content)).toEqual([
      '**XP of this week**\n**1. Ann: level 2, 20 XP**\n1 member',
      'Nobody gained XP this month.',
    ]);
  });

  it('a hidden member alone is told that it is hidden, and why', async () => {
    const { command, answers } = madeUp();
    const { handlers, writer } = madeUpBot(store.client);
    await writer.record(GUILD, { userId: '7', set: 300 });
    await writer.hide(GUILD, ['7']);
    const tell = async (reasons: string) => {
      await store.client.hset(`gr:{${GUILD}}:hidden:reasons`, '7', reasons);
      await handlers.interaction(command('rank'));
      return answers.pop();
    };
    const answer = (why: string) => ({
      content: `You are hidden from the ranking: ${why}. You have level 2 with 300 XP.`,
      isHidden: true,
    });
    expect(await tell('self')).toEqual(answer('you asked for it'));
    expect(await tell('left moderator')).toEqual(answer('you left this server, and a moderator decided so'));
  });

  it('/rank answers with a picture, and with text when the picture fails', async () => {
    const { command, answers } = madeUp();
    const picture = Buffer.from('picture');
    const drawCard = vi.fn().mockResolvedValueOnce(picture).mockRejectedValueOnce(new Error('no fonts'));
    const { handlers, writer, reader, lines } = madeUpBot(store.client, { drawCard });
    await writer.record(GUILD, { userId: '7', set: 300, username: 'Ann' });
    for (let n = 0; n < 2; n++) await handlers.interaction(command('rank'));
    const description = '**1. Ann: level 2, 300 XP**';
    expect(answers).toEqual([
      { content: undefined, isHidden: false, files: [{ attachment: picture, name: 'rank.png', description }] },
      { content: description, isHidden: false },
    ]);
    expect(lines).toEqual(['Rank card: no fonts']);
    const avatarUrl = 'https://cdn.example.com/7.png?size=128';
    expect(drawCard).toHaveBeenCalledWith(await reader.card(GUILD, '7'), { lang: 'pt-BR', avatarUrl });
    await writer.hide(GUILD, ['7']);
    drawCard.mockResolvedValueOnce(picture);
    await handlers.interaction(command('rank'));
    expect(answers[2]).toMatchObject({ content: expect.stringContaining('hidden'), isHidden: true, files: [{}] });
  });

  it('/daily pays once a day, even when a reply of Redis is lost or Discord takes no answer', async () => {
    const { command, answers, said, roles } = madeUp();
    const bot = madeUpBot(store.client, { writer: createWriter(losing(store.client, 1)) });
    await bot.setRules({ rewards: REWARDS });
    const first = command('daily');
    await bot.handlers.interaction(first);
    await bot.handlers.interaction(first);
    await bot.handlers.interaction(command('daily'));
    expect(answers.map(({ content, isHidden }) => [content?.replace(TIME, 'later'), isHidden])).toEqual([
      ['100 XP, day 1 in a row. Come back later.', false],
      ['You have claimed already. Come back later.', true],
    ]);
    expect([said, [...roles.cache.keys()], bot.lines]).toEqual([['<@7> is now level 1!'], ['role1'], []]);
    const late = madeUp('8');
    const unanswered = late.command('daily');
    unanswered.reply.mockRejectedValue(new Error('unknown interaction'));
    await bot.handlers.interaction(unanswered);
    expect([late.said, [...late.roles.cache.keys()]]).toEqual([['<@8> is now level 1!'], ['role1']]);
    expect(bot.lines).toEqual(['/daily: unknown interaction']);
  });

  it('/xp gives, takes and sets XP, answers what the XP was and is, and lets the roles follow', async () => {
    const manager = madeUp('1', 'Manager');
    const { user, member, roles } = madeUp();
    // The reply of the first call is lost, and it counts once.
    const bot = madeUpBot(store.client, { writer: createWriter(losing(store.client, 1)) });
    await bot.setRules({ rewards: REWARDS });
    const xp = async (verb: string, given: object) => {
      const options = { verb, member: user, present: member, ...given };
      await bot.handlers.interaction(manager.command('xp', options));
      return [manager.answers.pop()?.content, ...roles.cache.keys()];
    };
    expect(await xp('give', { amount: 100 })).toEqual([
      'A\\*nn had 0 XP, level 0, and has 100 XP, level 1 now.',
      'role1',
    ]);
    expect(await xp('set', { level: 2 })).toEqual([
      'A\\*nn had 100 XP, level 1, and has 255 XP, level 2 now.',
      'role1',
      'role2',
    ]);
    expect(await xp('take', { amount: 100 })).toEqual([
      'A\\*nn had 255 XP, level 2, and has 155 XP, level 1 now.',
      'role1',
    ]);
    expect(await xp('take', { amount: 1000 })).toEqual(['A\\*nn had 155 XP, level 1, and has 0 XP, level 0 now.']);
    await bot.writer.record(GUILD, { userId: '7', add: 0, level: 9 });
    expect(await xp('set', { xp: 300 })).toEqual([
      'A\\*nn had 0 XP, level 9, and has 300 XP, level 2 now.',
      'role1',
      'role2',
    ]);
    expect((await bot.reader.member(GUILD, '7'))?.username).toBe('A*nn');
    expect(await xp('set', { xp: 300, level: 2 })).toContain('Give a level or XP, one of both.');
    expect(await xp('set', {})).toContain('Give a level or XP, one of both.');
    expect(await xp('set', { level: 1e9 })).toContain(
      "By the guild's curve, no amount of XP gives this level. Nothing was changed.",
    );
    expect(await xp('give', { amount: 1, member: { ...user, bot: true } })).toContain('A bot has no XP.');
    expect(bot.lines).toEqual(["/xp: By the guild's curve, no amount of XP gives this level (entry 0)"]);
    expect(manager.said).toEqual([]);
  });

  it('/xp names a new member whose level is set, and a member who is not on the server', async () => {
    const manager = madeUp('1', 'Manager');
    const bot = madeUpBot(store.client);
    const { user } = madeUp('8', 'Gone');
    await bot.handlers.interaction(manager.command('xp', { verb: 'set', member: user, level: 1 }));
    expect(await bot.reader.member(GUILD, '8')).toMatchObject({ username: 'Gone', level: 1, xp: 100 });
    expect(manager.answers).toEqual([
      { content: 'Gone had 0 XP, level 0, and has 100 XP, level 1 now.', isHidden: true },
    ]);
  });

  it('/dashboard answers with a link that only the caller sees', async () => {
    const { command, answers } = madeUp();
    await madeUpBot(store.client).handlers.interaction(command('dashboard'));
    expect(answers[0]?.isHidden).toBe(true);
    expect(answers[0]?.content).toMatch(
      /^https:\/\/dash\.example\.com\/sign-in\/[\w-]{43}\nIt works once, for 15 minutes\.$/,
    );
    const [key] = await store.client.keys('gr:invite:*');
    expect(await store.client.get(key as string)).toMatch(/^9 7 \d{16}$/);
    await madeUpBot(store.client, { dashboardUrl: '' }).handlers.interaction(command('dashboard'));
    expect(answers[1]).toEqual({ content: 'This bot has no dashboard.', isHidden: true });
  });

  it('a member who opted out stays hidden after leaving and returning, and may decide for this guild and its archives', async () => {
    const { member, command, answers, roles } = madeUp();
    const rankings = [GUILD, `${GUILD}.s1`, `${GUILD}9.s1`];
    const { handlers, reader, writer, setRules } = madeUpBot(store.client, { archives: rankings.slice(1) });
    await setRules({ rewards: REWARDS });
    for (const ranking of rankings) await writer.record(ranking, { userId: '7', set: 300 });
    const privacy = (verb: string, sure = true, of = command) => handlers.interaction(of('privacy', { verb, sure }));
    const totals = () => Promise.all(rankings.map(async (ranking) => (await reader.page(ranking)).total));
    await privacy('hide');
    await privacy('hide', true, madeUp('8').command);
    await handlers.memberLeft(member);
    await handlers.memberJoined(member);
    const cache = new Map(['7', '8'].map((id) => [id, member]));
    await handlers.ready({ id: GUILD, members: { fetch: async () => cache, cache } });
    expect([await totals(), [...roles.cache.keys()]]).toEqual([
      [0, 0, 1],
      ['role1', 'role2'],
    ]);
    await privacy('show');
    expect(await totals()).toEqual([1, 1, 1]);
    await writer.hide(GUILD, ['7']);
    await privacy('show');
    await privacy('delete', false);
    expect(await totals()).toEqual([0, 1, 1]);
    await privacy('delete');
    expect(await Promise.all(rankings.map((ranking) => writer.remove(ranking, ['7'])))).toEqual([0, 0, 1]);
    expect([...roles.cache.keys()]).toEqual([]);
    expect(answers.map(({ content, isHidden }) => [content?.split('.')[0], isHidden])).toEqual([
      ['The ranking does not show you', true],
      ['The ranking shows you', true],
      ['A moderator has hidden you from the ranking', true],
      ['Nothing was erased', true],
      ['Your XP and your profile are erased', true],
    ]);
  });

  it('the commands tell the caller alone when Redis is away, and log one line, even when Discord takes no answer', async () => {
    const { command, answers } = madeUp();
    const { handlers, lines } = madeUpBot(withoutRedis());
    const names = ['rank', 'top', 'daily', 'dashboard'];
    for (const name of names) await handlers.interaction(command(name));
    const content = 'The ranking cannot be reached now. Try again in a minute.';
    expect(answers).toEqual(names.map(() => ({ content, isHidden: true })));
    const unanswered = command('top');
    unanswered.reply.mockRejectedValue(new Error('getaddrinfo EAI_AGAIN discord.com'));
    await handlers.interaction(unanswered);
    const line = (name: string) => expect.stringMatching(new RegExp(`^/${name}: Redis: [^\\n]+$`));
    expect(lines).toEqual([...names, 'top'].map(line));
  });
});
