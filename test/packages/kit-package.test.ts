import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GuildReader } from '../../src/kit/reader.ts';
import type { GuildWriter } from '../../src/kit/writer.ts';
import { sharedChromium, startSite } from '../../tools/browser.ts';
import { typeErrors } from '../support/check-types.ts';
import { COMPILER_DEPENDENCIES, COMPILERS, checkTypes } from '../support/compilers.ts';
import { needs } from '../support/needs.ts';
import { broughtBy, pack } from '../support/packed.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { realStore, type TestStore } from '../support/stores.ts';
import { INSTALLING_MS } from '../support/wait.ts';

const ENTRIES = ['writer', 'reader', 'rules', 'curves', 'card'] as const;
/** Entries that run in browsers too. */
const FOR_BROWSERS = ['rules', 'curves', 'card'] as const;

const BOT = `
import { readFileSync } from 'node:fs';
import { levelForXp, progress } from 'guildrank-kit/curves';
import { rankCard } from 'guildrank-kit/card';
import { createReader } from 'guildrank-kit/reader';
import { createWriter, InvalidInputError, RefusedError } from 'guildrank-kit/writer';
import { Redis } from 'ioredis';

const redis = new Redis(process.env.REDIS_URL);
const writer = createWriter(redis, { keyPrefix: 'bot' });
const { level } = await writer.record('g', { userId: '1', add: 4675, username: 'One' });
const refused = await writer.record('g', { userId: '1', add: -5000 }).catch((error) => error);
const lua = readFileSync(new URL(import.meta.resolve('guildrank-kit/lua/remove.lua')), 'utf8');
const keys = ['xp', 'stats', 'config', 'hidden', 'members', 'season:xp', 'hidden:reasons', 'avatars', 'cooldown:1'].map((key) => 'bot:{g}:' + key);
const card = await createReader(redis, { keyPrefix: 'bot' }).card('g', '1');
const isDrawn = rankCard(card, { theme: 'dark', lang: 'de' }).includes('Rang <');
const isOneError = (() => { try { rankCard(card, {}) } catch (error) { return error instanceof InvalidInputError } })();
const removed = await redis.eval(lua, keys.length, ...keys, '1');
const gone = await createReader(redis, { keyPrefix: 'bot' }).member('g', '1');
const curve = [levelForXp('standard', 300), progress('standard', 300).needed];
console.log(JSON.stringify({ gone, curve, level, refused: refused instanceof RefusedError && refused.code, removed, isDrawn, isOneError }));
redis.disconnect();
`;

const TYPED_BOT = `
import { rankCard, type CardOptions } from 'guildrank-kit/card';
import { levelForXp, type Curve } from 'guildrank-kit/curves';
import { createReader, type MemberCard, type RankingPage } from 'guildrank-kit/reader';
import { xpFor } from 'guildrank-kit/rules';
import { createWriter, RefusedError, type GuildWriter, type XpRecord } from 'guildrank-kit/writer';
import { Cluster, Redis } from 'ioredis';

const writer: GuildWriter = createWriter(new Redis());
createWriter(new Cluster([]), { keyPrefix: 'bot' });
const record: XpRecord = { userId: '1', add: 5n, level: null, lastDailyClaim: new Date() };
const curve: Curve = { a: 0, b: 0, c: 50, d: 0, q: 1, m: 1 };
export const page: Promise<RankingPage> = createReader(new Cluster([])).page('g');
export const own: number = levelForXp(curve, 100);
const rules = await createReader(new Redis()).rules('g');
const { reason, ...gain } = xpFor(rules as never, { kind: 'voice', roles: [], channel: 'c', voice: { muted: true } });
if (reason === null) createWriter(new Redis()).award('g', { userId: '1', ...gain });
const look: CardOptions = { theme: 'dark', lang: 'en', labels: { level: 'Tier {n}' } };
export const draw = (card: MemberCard) => rankCard(card, look);
export const level: number = (await writer.record('g', record)).level;
// @ts-expect-error XP is set or added, never both
const both: XpRecord = { userId: '1', set: 1, add: 1 };
// @ts-expect-error a record without XP
const neither: XpRecord = { userId: '1' };
export const all = [both, neither, RefusedError];
export const told = (error: unknown): number | string | undefined => {
  if (!(error instanceof RefusedError)) return undefined;
  // @ts-expect-error a code that there is not
  if (error.code === 'no_such_code') return 0;
  return 'index' in error.params ? error.params.index : error.tell({ guild_busy: ({ guild }) => guild });
};
`;

/** Whether a file is a bot of these tests or a declaration of these packages. */
const isOwn = (file: string) => !/node_modules\/(?!guildrank)/.test(file);

/** A bot with node-redis and one with a connection of its own, where ioredis is not installed. */
const BOT_WITHOUT_IOREDIS = `
import { createReader } from 'guildrank-kit/reader';
import { createWriter, type WriterClient } from 'guildrank-kit/writer';
import { createClient, createCluster, createClientPool, createSentinel } from 'redis';

createWriter(createClient());
createReader(createCluster({ rootNodes: [] }));
createWriter(createClientPool({ url: 'redis://127.0.0.1' }));
createWriter(createSentinel({ name: 'guilds', sentinelRootNodes: [] }));
export const own: WriterClient = { evalsha: async (...call) => call, scriptLoad: async (source) => source };
// @ts-expect-error no connection
createWriter({});
`;

/** A bot in CommonJS, and as an ES module, with each version of each client. */
const BOT_OF_EACH_CLIENT = `
(async () => {
  const { createWriter } = loaded['guildrank-kit/writer'];
  const { createReader } = loaded['guildrank-kit/reader'];
  const levels = [];
  for (const path of process.argv.slice(2)) {
    const { Redis, createClient } = require(path);
    const client = Redis ? new Redis(process.env.REDIS_URL) : await createClient({ url: process.env.REDIS_URL }).connect();
    await createWriter(client).record('clients', { userId: '1', add: 100 });
    levels.push((await createReader(client).member('clients', '1')).xp);
    await client.quit();
  }
  console.log(...levels);
})();
`;
const LOADED = {
  'bot.cjs':
    "const loaded = { 'guildrank-kit/writer': require('guildrank-kit/writer'), 'guildrank-kit/reader': require('guildrank-kit/reader') };",
  'bot.mjs': `import { createRequire } from 'node:module';
import * as writer from 'guildrank-kit/writer';
import * as reader from 'guildrank-kit/reader';
const loaded = { 'guildrank-kit/writer': writer, 'guildrank-kit/reader': reader };
const require = createRequire(import.meta.url);`,
};

/** Uses the rules in the variable `rules`. */
const RULES_BOT = `
try {
  rules.parseRules({ voice: { xp: -1 } });
} catch (error) {
  const own = rules.parseRules({ multipliers: { roles: { r: 2 } }, rewards: [{ level: 1, role: 'r' }] });
  const { factor } = rules.xpFor(own, { kind: 'message', roles: ['r'], channel: 'c' });
  console.log(error.name, error.message, factor, ...rules.rewardRoles(own, 1, []).add);
}
`;

/** Names every entry, and something of each. */
const TYPED_ENTRIES = `
import { rankCard } from 'guildrank-kit/card';
import { levelForXp } from 'guildrank-kit/curves';
import { createReader, type MemberCard } from 'guildrank-kit/reader';
import { parseRules } from 'guildrank-kit/rules';
import { createWriter, type WriterClient } from 'guildrank-kit/writer';

declare const client: WriterClient;
declare const card: MemberCard;
export const level: number = levelForXp('standard', 100);
export const text: string = rankCard(card, { theme: 'dark', lang: 'en' });
export const stacking: string | undefined = parseRules({}).multipliers?.stacking;
createWriter(client);
createReader(client);
// @ts-expect-error no connection
createWriter({});
`;

/** A call of each method of the writer, in an order in which each call has something to do. */
const WRITES: { readonly [Method in keyof GuildWriter]: (writer: GuildWriter) => Promise<unknown> } = {
  describeGuild: (writer) => writer.describeGuild('g', { name: 'Guild', roles: [], channels: [] }),
  record: (writer) => writer.record('g', { userId: '1', set: 300, username: 'Ann' }),
  recordMany: (writer) => writer.recordMany('g', [{ userId: '2', add: 5 }]),
  award: (writer) => writer.award('g', { userId: '1', amount: 5 }),
  claimDaily: (writer) => writer.claimDaily('g', { userId: '1', reward: 5 }),
  setLevel: (writer) => writer.setLevel('g', { userId: '2', level: 2 }),
  setProfiles: (writer) => writer.setProfiles('g', [{ userId: '2', username: 'Bob' }]),
  hide: (writer) => writer.hide('g', ['2']),
  unhide: (writer) => writer.unhide('g', ['2']),
  syncMembers: (writer) => writer.syncMembers('g', ['1'], { maxShare: 1 }),
  createDashboardLink: (writer) => writer.createDashboardLink('g', { url: 'https://dash.example.com' }),
  resetSeason: (writer) => writer.resetSeason('g', { archiveAs: 'archive' }),
  remove: (writer) => writer.remove('g', ['1']),
};
/** A call of each method of the reader. */
const READS: { readonly [Method in keyof GuildReader]: (reader: GuildReader) => Promise<unknown> } = {
  page: (reader) => reader.page('archive', 1, 10, { board: 'week' }),
  member: (reader) => reader.member('archive', '1'),
  stats: (reader) => reader.stats('archive'),
  rules: (reader) => reader.rules('archive'),
  around: (reader) => reader.around('archive', '1'),
  card: (reader) => reader.card('archive', '1'),
  find: (reader) => reader.find('archive', 'ann'),
  rewardsOf: (reader) => reader.rewardsOf('archive').next(),
};

it('the modules of the kit contain the scripts that its calls need', needs('redis-server'), async () => {
  const testStore = await realStore.start();
  try {
    const built = (entry: string) => import(join(repository, `src/kit/dist/${entry}.js`));
    const { createWriter }: typeof import('../../src/kit/writer.ts') = await built('writer');
    const { createReader }: typeof import('../../src/kit/reader.ts') = await built('reader');
    const [writer, reader] = [createWriter(testStore.client), createReader(testStore.client)];
    for (const call of Object.values(WRITES)) await call(writer);
    for (const call of Object.values(READS)) await call(reader);
    expect(await reader.member('archive', '1')).toMatchObject({ username: 'Ann', xp: 310 });
  } finally {
    await testStore.stop();
  }
});

describe('the packed tarball of the kit, installed in an empty folder', needs('npm registry', 'redis-server'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-kit-'));
  const kit = join(folder, 'node_modules/guildrank-kit');
  let testStore: TestStore | undefined;
  let files: readonly string[];
  const env = () => ({ REDIS_URL: testStore?.url ?? '' });

  beforeAll(async () => {
    const packed = await pack('./src/kit', folder);
    files = packed.files;
    const example = JSON.parse(readFileSync(join(repository, 'examples/discord-js/package.json'), 'utf8'));
    cpSync(join(repository, 'examples/discord-js'), join(folder, 'discord-js'), { recursive: true });
    example.dependencies['guildrank-kit'] = `file:${packed.tarball}`;
    writeFileSync(join(folder, 'discord-js/package.json'), JSON.stringify(example));
    const manifest = {
      private: true,
      type: 'module',
      workspaces: ['discord-js'],
      dependencies: {
        'guildrank-kit': `file:${packed.tarball}`,
        ioredis: '5',
        bun: '1',
        deno: '2',
        ...COMPILER_DEPENDENCIES,
      },
    };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    const install = ['install', '--prefer-offline', '--no-audit', '--no-fund'];
    const installed = await runProgram('npm', install, { cwd: folder });
    expect(installed.code, installed.stderr).toBe(0);
    testStore = await realStore.start();
  }, INSTALLING_MS);
  afterAll(async () => {
    await testStore?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('the kit brings no other package, and holds nothing but its modules, types and scripts', () => {
    expect(broughtBy(kit)).toEqual([]);
    const expected =
      /^(?:package\.json|README\.md|dist\/(?:LICENSE|rules\.schema\.json|lua\/[\w-]+\.lua|[\w-]+\.(?:js|cjs|d\.ts|d\.cts)))$/;
    expect(files.filter((file) => !expected.test(file))).toEqual([]);
    const entries = ENTRIES.flatMap((name) => ['js', 'cjs', 'd.ts', 'd.cts'].map((ending) => `dist/${name}.${ending}`));
    expect(files).toEqual(expect.arrayContaining([...entries, 'dist/lua/award.lua', 'dist/LICENSE', 'README.md']));
  });

  it('the README of the kit runs as printed, and leads to the guide', async () => {
    const page = readFileSync(join(kit, 'README.md'), 'utf8');
    expect(page).toContain('`docs/bots.md` in the repository');
    const [, snippet = ''] = /^```js\n([\s\S]*?)```/m.exec(page) ?? [];
    writeFileSync(join(folder, 'page.mjs'), snippet);
    const result = await runProgram(process.execPath, ['page.mjs'], { cwd: folder, env: env() });
    expect(result).toEqual({ code: 0, stdout: 'level 1\n', stderr: '' });
  });

  describe.each(Object.entries(COMPILERS))('TypeScript %s', (version, resolutions) => {
    it.each(resolutions)(
      `TypeScript ${version} finds the types of every entry with the module resolution "%s"`,
      async (resolution) => {
        const result = await checkTypes(folder, version, resolution, TYPED_ENTRIES);
        expect(result).toEqual({ code: 0, stdout: '', stderr: '' });
      },
    );
  });

  it('TypeScript types a whole bot and examples/discord-js, and checks the declarations of the bot too', () => {
    writeFileSync(join(folder, 'bot.ts'), TYPED_BOT);
    // The same in CommonJS, where TypeScript refuses the types of an ES module.
    writeFileSync(join(folder, 'bot.cts'), TYPED_BOT.replaceAll('await ', '').replace(').level', ') as never'));
    const sources = ['bot.ts', 'bot.cts', 'discord-js/bot.js', 'discord-js/card.js'];
    expect(typeErrors(folder, sources, { allowJs: true, checkJs: true }, isOwn)).toBe('');
  });

  it('TypeScript types a bot without ioredis', () => {
    const clients = mkdtempSync(join(tmpdir(), 'guildrank-types-'));
    try {
      writeFileSync(join(clients, 'bot.mts'), BOT_WITHOUT_IOREDIS);
      mkdirSync(join(clients, 'node_modules'));
      const linked = {
        redis: join(repository, 'tools/node_modules/redis5'),
        '@redis': join(repository, 'tools/node_modules/@redis'),
        'guildrank-kit': kit,
      };
      for (const [name, source] of Object.entries(linked)) symlinkSync(source, join(clients, 'node_modules', name));
      expect(typeErrors(clients, ['bot.mts'], { preserveSymlinks: true }, isOwn)).toBe('');
    } finally {
      rmSync(clients, { recursive: true });
    }
  });

  it('the bot in examples/discord-js asks for a token', async () => {
    const bot = await runProgram('npm', ['start', '--silent'], {
      cwd: join(folder, 'discord-js'),
      env: { DISCORD_TOKEN: '' },
    });
    expect(bot).toEqual({ code: 1, stdout: '', stderr: 'Set DISCORD_TOKEN to the token of your bot.\n' });
  });

  it('the bot in examples/discord-js draws the rank card as PNG, with the picture of the member or without', async () => {
    const program = `
      import { cardDrawer } from './card.js';
      const row = { userId: '1', username: 'Ünal 数据 👩‍👩‍👧‍👦', level: 2, xp: 300 };
      const way = { progress: { gained: 45, needed: 220 }, nextLevelXp: 475, dailyStreak: 1 };
      const card = { ...row, ...way, rank: 1, total: 1, above: null, below: null, hidden: null };
      for (const avatarUrl of [process.argv[1], 'http://127.0.0.1:9/none.png', undefined]) {
        const png = await cardDrawer()(card, { lang: 'de', avatarUrl });
        console.log(png.toString('latin1', 1, 4), png.readUInt32BE(16), png.readUInt32BE(20));
      }`;
    const pixel =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const args = ['--input-type=module', '-e', program, pixel];
    const result = await runProgram(process.execPath, args, { cwd: join(folder, 'discord-js') });
    expect(result).toEqual({ code: 0, stdout: 'PNG 934 282\n'.repeat(3), stderr: '' });
  });

  it('the kit writes and reads with each client, by require and by import', needs('redis-server'), async () => {
    const further = ['ioredis6', 'redis5', 'redis6'].map((name) => join(repository, 'tools/node_modules', name));
    const clients = [join(repository, 'node_modules/ioredis'), ...further];
    for (const [index, [file, loaded]] of Object.entries(LOADED).entries()) {
      writeFileSync(join(folder, file), loaded + BOT_OF_EACH_CLIENT);
      const result = await runProgram(process.execPath, [file, ...clients], { cwd: folder, env: env() });
      const totals = clients.map((_, client) => 100 * (1 + client + index * clients.length));
      expect(result).toEqual({ code: 0, stdout: `${totals.join(' ')}\n`, stderr: '' });
    }
  });

  it.each(['bun', 'deno'])('the kit writes and reads in %s', async (runtime) => {
    const program = `
      import { createReader } from 'guildrank-kit/reader';
      import { createWriter } from 'guildrank-kit/writer';
      import { Redis } from 'ioredis';
      const redis = new Redis(process.env.REDIS_URL);
      await createWriter(redis).record('${runtime}', { userId: '1', set: 100 });
      console.log((await createReader(redis).member('${runtime}', '1')).level);
      redis.disconnect();`;
    writeFileSync(join(folder, `${runtime}.mjs`), program);
    const args = runtime === 'bun' ? ['run', `${runtime}.mjs`] : ['run', '--allow-all', '--no-lock', `${runtime}.mjs`];
    const result = await runProgram(join(folder, 'node_modules/.bin', runtime), args, { cwd: folder, env: env() });
    expect(result, result.stderr).toMatchObject({ code: 0, stdout: '1\n' });
  });

  it('the kit runs rules, curves and card in a browser, from one bundle', needs('chromium'), async () => {
    const source = `
      import { rankCard } from 'guildrank-kit/card';
      import { levelForXp } from 'guildrank-kit/curves';
      import { parseRules, xpFor } from 'guildrank-kit/rules';
      const card = { userId: '1', username: 'Ann', level: 2, xp: 300, progress: { gained: 45, needed: 220 }, nextLevelXp: 475,
        dailyStreak: 1, rank: 1, total: 1, above: null, below: null, hidden: null };
      const rules = parseRules({ multipliers: { roles: { r: 2 } } });
      document.title = [
        levelForXp('standard', 300),
        rankCard(card, { theme: 'dark', lang: 'de' }).includes('Rang <'),
        xpFor(rules, { kind: 'message', roles: ['r'], channel: 'c' }).factor,
      ].join(' ');`;
    const bundled = await build({
      stdin: { contents: source, resolveDir: folder },
      bundle: true,
      format: 'iife',
      platform: 'browser',
      write: false,
      logLevel: 'silent',
    });
    const site = await startSite();
    try {
      const browser = await sharedChromium();
      const page = await browser.newPage();
      await page.route('**/app.js', (route) =>
        route.fulfill({ body: bundled.outputFiles[0]?.text ?? '', contentType: 'text/javascript' }),
      );
      site.html = '<!doctype html><link rel="icon" href="data:,"><script src="/app.js"></script>';
      await page.goto(site.url);
      expect(await page.title()).toBe('2 true 2');
    } finally {
      await site.close();
    }
  });

  it.each(FOR_BROWSERS)('the entry %s of the kit has no module of Node, by import and by require', (name) => {
    for (const ending of ['js', 'cjs']) {
      const seen = new Set([`dist/${name}.${ending}`]);
      // A set visits what is added to it during the visit.
      for (const file of seen) {
        const text = readFileSync(join(kit, file), 'utf8');
        expect(text, file).not.toMatch(/["']node:/);
        for (const [, other] of text.matchAll(/["']\.\/([\w-]+\.c?js)["']/g)) seen.add(`dist/${other}`);
      }
    }
  });

  it('the kit has the rules by import and by require, and their schema', async () => {
    writeFileSync(join(folder, 'rules.mjs'), `import * as rules from 'guildrank-kit/rules'; ${RULES_BOT}`);
    writeFileSync(join(folder, 'rules.cjs'), `const rules = require('guildrank-kit/rules'); ${RULES_BOT}`);
    for (const file of ['rules.mjs', 'rules.cjs']) {
      const result = await runProgram(process.execPath, [file], { cwd: folder });
      const stdout = 'InvalidInputError voice.xp must be a whole number from 0 to 1000000000, not -1 2 r\n';
      expect(result).toEqual({ code: 0, stdout, stderr: '' });
    }
    const schema = readFileSync(
      createRequire(join(folder, 'rules.cjs')).resolve('guildrank-kit/rules.schema.json'),
      'utf8',
    );
    expect(JSON.parse(schema)).toMatchObject({ title: 'Rules of a guild' });
  });

  it('the curves of the kit name a wrong argument', async () => {
    const program = `
      import { levelForXp, progress, xpForLevel } from 'guildrank-kit/curves';
      for (const call of [() => levelForXp('mee6', 1), () => levelForXp('standard', -1), () => xpForLevel(null, 1), () => progress('standard', '5')])
        try { call(); } catch (error) { console.log(error.name, error.message); }`;
    const { stdout } = await runProgram(process.execPath, ['--input-type=module', '-e', program], { cwd: folder });
    const curve =
      'InvalidInputError The curve must be one of standard, amari, lurkr, polaris, arcane, or have the numbers that reader.stats gives';
    expect(stdout.trim().split('\n')).toEqual([
      `${curve}, not "mee6"`,
      'InvalidInputError xp must be a whole number from 0 to 9007199254740991, not -1',
      `${curve}, not null`,
      'InvalidInputError xp must be a whole number from 0 to 9007199254740991, not "5"',
    ]);
  });

  it('a bot writes XP through guildrank-kit/writer and the complete Lua sources', needs('redis-server'), async () => {
    writeFileSync(join(folder, 'bot.mjs'), BOT);
    const { code, stdout, stderr } = await runProgram(process.execPath, ['bot.mjs'], { cwd: folder, env: env() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      gone: null,
      curve: [2, 220],
      level: 10,
      refused: 'range',
      removed: 1,
      isDrawn: true,
      isOneError: true,
    });
  });

  it('a bot calls a script with the lines of docs/redis-keys.md', needs('redis-server'), async () => {
    const guide = readFileSync(join(repository, 'docs/redis-keys.md'), 'utf8');
    const snippet = guide.split('```sh\n')[1]?.split('```')[0] ?? '';
    const inPackage = kit;
    const shell = await runProgram('sh', ['-ec', snippet], { cwd: inPackage, env: env() });
    expect(shell.stdout.split('\n').slice(0, 5)).toEqual(['OK', expect.stringMatching(/^\d{16}$/), '1', '15', '0']);
  });
});
