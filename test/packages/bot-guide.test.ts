import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { xpForLevel } from '../../src/core/ranking/curves.ts';
import * as writerEntry from '../../src/kit/writer.ts';
import { snippetsOf } from '../support/guide-snippets.ts';
import { needs } from '../support/needs.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { INSTALLING_MS, PATIENT } from '../support/wait.ts';

const read = (path: string) => readFileSync(join(repository, path), 'utf8');
const guide = read('docs/bots.md');

/** The snippets of the guide in their order, each with its heading. */
const snippets = snippetsOf(guide);
const [install] = snippets;
/** This one runs by itself: test/packages/small-bot.test.ts. */
const SMALL_BOT = 'A whole small bot';

/** The objects of discord.js that the snippets use, made up. Member 42 does all; 43 talks; 50 to 54 have XP, and 54 left. */
const BEFORE = `
import { execFileSync } from 'node:child_process';
const [guildId, userId] = ['123456789012345678', '42'];
const events = [];
const channelOf = (id, size = 2) => ({ id, parentId: null, members: { size }, send: async (text) => events.push(text) });
const personOf = (id, roles = ['role'], bot = false) => ({
  ...{ id, displayName: 'Amber', user: { bot }, guild: { id: guildId }, toString: () => '<@' + id + '>' },
  roles: { cache: new Map(roles.map((role) => [role, {}])), set: async (ids) => events.push(ids) },
});
const present = new Map(['42', '43', '50', '51', '52', '53'].map((id) => [id, {}]));
const guild = { icon: null, members: { fetch: async () => present, cache: new Map() } };
const sh = (source) => execFileSync('sh', ['-ec', source], { cwd: process.env.HERE });
const tell = (...values) => console.log(JSON.stringify(values));
`;

/** Code that runs after the snippets of a heading, and the values that it tells. */
const CHECKS: Record<string, readonly [code: string, ...told: unknown[]]> = {
  // Of two messages at once, the first has the level-up: roles come first, then words. Its repeat has it again. Bots and webhooks have none.
  'Rules and rewards': [
    `for (const id of ['50', '51', '52', '53', '54']) await writer.record(guildId, { userId: id, set: 1 });
    await writer.record(guildId, { userId, set: ${xpForLevel('standard', 5) - 1} });
    const message = { author: { bot: false }, member: personOf(userId), channel: channelOf('1'), content: 'Hello' };
    await Promise.all(['m1', 'm2'].map((id) => onMessage({ ...message, id })));
    await onMessage({ ...message, id: 'm3', author: { bot: true } });
    await onMessage({ ...message, id: 'm4', member: null });
    await onMessage({ ...message, id: 'm5', member: personOf('60', ['400000000000000001']) });
    const repeat = await writer.award(guildId, { userId, amount: 1, eventId: 'm1' });
    tell(...events, repeat.repeated, repeat.level - repeat.levelBefore, (await reader.page(guildId)).total);
    await giveRoles(personOf(userId, ['role', '400000000000000005']), 5);
    await giveRoles(personOf(userId, ['role', '400000000000000005']), 4);
    let tries = 0;
    const lost = () => retried(async () => { tries += 1; if (tries < 3) throw new StoreUnavailableError('lost'); return tries; });
    const unfit = await retried(() => writer.award(guildId, { userId: 'a b', amount: 1 })).catch((error) => error.name);
    tell(await lost(), unfit, ...events.slice(2));`,
    [['role', '400000000000000005'], '<@42> is now level 5!', true, 1, 6],
    [3, 'InvalidInputError', ['role']],
  ],
  'Voice ticks': [
    `const talk = channelOf('1');
    const speaker = { member: personOf('43'), channel: talk, deaf: false, mute: true };
    const silent = [
      { ...speaker, member: personOf('44'), deaf: true },
      { ...speaker, member: personOf('45'), channel: channelOf('2', 1) },
      { ...speaker, member: personOf('46'), channel: channelOf('8') },
      { ...speaker, member: personOf('47'), channel: null },
      { ...speaker, member: personOf('48', [], true) },
    ];
    const voiceStates = { cache: new Map([speaker, ...silent].map((state) => [state.member.id, state])) };
    for (const minute of [1, 1, 2]) await onTick({ afkChannelId: '8', voiceStates }, minute);
    tell((await reader.member(guildId, '43')).xp, (await reader.page(guildId)).total);`,
    [20, 7],
  ],
  Boards: [
    `await gainXp(personOf('43'), channelOf('1'), 'm6', { amount: 7 });
    tell(data, (await reader.page(guildId, 1, 10, { board: 'week' })).data.map(({ userId, xp }) => [userId, xp]));`,
    [[], [['43', 7]]],
  ],
  'Change XP': [`tell(await reader.member(guildId, userId));`, [expect.objectContaining({ level: 10, xp: 4775 })]],
  'Hide members': [
    `tell(hidden, (await reader.card(guildId, '54')).hidden, (await reader.page(guildId)).total);`,
    [[{ userId: '42', reasons: ['self'] }], ['left'], 5],
  ],
  'Roles of all members': [`tell(levels.size, levels.get(userId), levels.get('54'));`, [6, 10, null]],
  'Names of the server': [
    `tell(await redis.hget('gr:{' + guildId + '}:about', 'name'), await redis.hget('gr:{' + guildId + '}:about', 'roles'));`,
    ['Quiet Hours', '[{"id":"11","name":"Regular","color":16746496,"position":3}]'],
  ],
  'Pictures of members': [
    `tell((await reader.card(guildId, userId)).xp, await redis.exists('gr:{' + guildId + '}:avatars'));`,
    [4790, 0],
  ],
  'Rank card': [`tell(card.hidden, svg.slice(0, 5));`, [['self'], '<svg ']],
  Read: [`tell(total, member, near, typeof curve.a, names);`, [5, null, null, 'number', ['1. Amber']]],
  Seasons: [
    `const archive = guildId + '.2026-s1';
    tell((await reader.card(archive, userId)).xp, (await reader.card(guildId, userId)).xp);`,
    [4790, 0],
  ],
  Failover: [
    `tell((await reader.card(guildId, userId)).xp);
    for (const each of [redis, connection]) each.disconnect();`,
    [15],
  ],
};

/** Stands for npm in the lines that install the package. The run of the tests has installed and built all: test/support/entry.ts. */
const NPM = 'npm() { case "$*" in ci | "run build") ;; *) command npm "$@" ;; esac; }\n';
/** Stands for `npm run -s NAME -- ARGUMENTS`: test/process/printed-commands.test.ts runs one by npm. */
const NPM_RUN = 'npm() { name=$3; shift 4; node dist/guildrank.cjs "$name" "$@"; }\n';

describe('docs/bots.md', needs('npm registry', 'redis-server'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-guide-'));
  const here = join(folder, 'guildrank');
  const bot = join(folder, 'bot');
  let master: EmbeddedRedis | undefined;
  let replica: EmbeddedRedis | undefined;
  beforeAll(async () => {
    const options = ['--repl-diskless-sync-delay', '0'];
    [master, replica] = await Promise.all([startEmbeddedRedis(options), startEmbeddedRedis(options)]);
    const admin = new Redis(master.url);
    const follower = new Redis(replica.url);
    await follower.replicaof('127.0.0.1', master.port);
    await vi.waitFor(async () => expect(await admin.info('replication')).toContain('state=online'), PATIENT);
    for (const client of [admin, follower]) client.disconnect();
    for (const made of [here, bot]) mkdirSync(made);
    // npm writes the tarball here.
    for (const name of ['package.json', 'node_modules', 'src', 'scripts', 'dist', 'tsconfig.json']) {
      symlinkSync(join(repository, name), join(here, name));
    }
    const npm = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
    const installed = await runProgram('sh', ['-ec', NPM + install?.source], { cwd: here, env: npm });
    expect(installed.code, installed.stderr).toBe(0);
  }, INSTALLING_MS);
  afterAll(async () => {
    await Promise.all([master?.stop(), replica?.stop()]);
    rmSync(folder, { recursive: true });
  });

  it('the snippets of docs/bots.md run as printed, in their order', { timeout: INSTALLING_MS }, async () => {
    const [, rules = ''] = /^## Rules\n[\s\S]*?```json\n([\s\S]*?)```/m.exec(read('docs/guilds.md')) ?? [];
    writeFileSync(join(here, 'rules.json'), rules);

    const code: Record<string, (source: string) => string> = {
      js: (source) => source,
      sh: (source) => `sh(${JSON.stringify(NPM_RUN + source)});`,
    };
    const parts = snippets
      .slice(1)
      .filter(({ heading }) => heading !== SMALL_BOT)
      .map(({ heading, language, source }, index, { [index + 1]: next }) => {
        const check = next?.heading === heading ? '' : (CHECKS[heading]?.[0] ?? '');
        return `${code[language]?.(source)}\n${check}`;
      });
    writeFileSync(join(bot, 'bot.mjs'), BEFORE + parts.join('\n'));
    const env = { REDIS_URL: master?.url ?? '', HERE: here };
    const { stdout, ...ended } = await runProgram(process.execPath, ['bot.mjs'], { cwd: bot, env });
    expect(ended).toEqual({ code: 0, stderr: '' });
    const told = stdout.trim().split('\n');
    expect(told.map((line) => JSON.parse(line))).toEqual(Object.values(CHECKS).flatMap(([, ...values]) => values));
  });

  it('docs/bots.md has the line of README.md that installs the package', () => {
    expect(read('README.md')).toContain(install?.source);
  });

  it('the command of README.md installs what its bot needs, and the bot gives XP as printed', async () => {
    const [, printed = ''] = /^```js\n([\s\S]*?)^```/m.exec(read('README.md')) ?? [];
    const again = "console.log((await writer.award('123456789012345678', award)).onCooldown);\nredis.disconnect();";
    writeFileSync(join(bot, 'award.mjs'), printed.replace('redis.disconnect();', again));
    const env = { REDIS_URL: master?.url ?? '' };
    const ended = await runProgram(process.execPath, ['award.mjs'], { cwd: bot, env });
    expect(ended).toEqual({ code: 0, stderr: '', stdout: 'true\n' });
  });

  it('docs/bots.md names the classes of errors as the package does', () => {
    const named = [...guide.matchAll(/^\| .*$/gm)].flatMap(([row]) => row.match(/\w+Error\b/g) ?? []);
    const own = Object.keys(writerEntry).filter((name) => name.endsWith('Error'));
    expect([...new Set(named)].sort()).toEqual(own.sort());
  });
});
