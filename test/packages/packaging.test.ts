import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningChild, startChild } from '../../scripts/dev/child-process.ts';
import { writerReadme } from '../../scripts/dev/writer-readme.mjs';
import { typeErrors } from '../support/check-types.ts';
import { needs } from '../support/needs.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { realStore, type TestStore } from '../support/stores.ts';
import { INSTALLING_MS } from '../support/wait.ts';

const WRITER = 'guildrank-writer';
const COMMANDS = 'serve doctor keys guild member season seed export stats widget dashboard'.split(' ');

/** Node loads ES modules with require from 20.19 on; 20.15 has neither that nor the option. */
const WITHOUT_REQUIRED_MODULES = process.allowedNodeEnvironmentFlags.has('--no-experimental-require-module')
  ? ['--no-experimental-require-module']
  : [];

const BOT = `
import { readFileSync } from 'node:fs';
import { levelForXp, progress } from 'guildrank/curves';
import { rankCard } from 'guildrank/card';
import { createReader } from 'guildrank/reader';
import { createWriter, InvalidInputError, RefusedError } from 'guildrank/writer';
import { Redis } from 'ioredis';

const redis = new Redis(process.env.REDIS_URL);
const writer = createWriter(redis, { keyPrefix: 'bot' });
const { level } = await writer.record('g', { userId: '1', add: 4675, profile: { username: 'One' } });
const refused = await writer.record('g', { userId: '1', add: -5000 }).catch((error) => error);
const lua = readFileSync(new URL(import.meta.resolve('guildrank/lua/remove.lua')), 'utf8');
const keys = ['xp', 'stats', 'config', 'hidden', 'members', 'season:xp', 'hidden:reasons', 'cooldown:1'].map((key) => 'bot:{g}:' + key);
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
import { rankCard, type CardOptions } from 'guildrank/card';
import { levelForXp, type Curve } from 'guildrank/curves';
import { createReader, type MemberCard, type RankingPage } from 'guildrank/reader';
import { xpFor } from 'guildrank/rules';
import { createWriter, RefusedError, type LeaderboardWriter, type XpRecord } from 'guildrank/writer';
import { Cluster, Redis } from 'ioredis';

const writer: LeaderboardWriter = createWriter(new Redis());
createWriter(new Cluster([]), { keyPrefix: 'bot' });
const record: XpRecord = { userId: '1', add: 5n, profile: { level: null, lastDailyClaim: new Date() } };
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

/** Returns the packages that npm installs with the package of a folder: it leaves out optional peers. */
function broughtBy(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const required = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...required];
}

/** A bot with node-redis and one with a connection of its own, where ioredis is not installed. */
const BOT_WITHOUT_IOREDIS = `
import { createReader } from 'guildrank-writer/reader';
import { createWriter, type WriterClient } from 'guildrank-writer';
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
  const { createWriter } = loaded['guildrank-writer'];
  const { createReader } = loaded['guildrank-writer/reader'];
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
    "const loaded = { 'guildrank-writer': require('guildrank-writer'), 'guildrank-writer/reader': require('guildrank-writer/reader') };",
  'bot.mjs': `import { createRequire } from 'node:module';
import * as writer from 'guildrank-writer';
import * as reader from 'guildrank-writer/reader';
const loaded = { 'guildrank-writer': writer, 'guildrank-writer/reader': reader };
const require = createRequire(import.meta.url);`,
};

/** A bot in CommonJS, on a Node that cannot load ES modules with require. */
const COMMON_JS_BOT = `
const { Redis } = require(process.env.IOREDIS);
for (const name of process.argv.slice(2)) {
  const { createWriter, RefusedError, InvalidInputError } = require(name);
  const entry = name.replace('/writer', '');
  if (require(entry + '/curves').levelForXp('standard', 100) !== 1 || !require(entry + '/reader').createReader || !require(entry + '/card').rankCard) throw new Error(entry);
  const redis = new Redis(process.env.REDIS_URL);
  const writer = createWriter(redis, { keyPrefix: entry });
  (async () => {
    const { level } = await writer.record('g', { userId: '1', add: 4675 });
    const refused = await writer.record('g', { userId: '1', add: -5000 }).catch((error) => error);
    const bad = await writer.record('g', { userId: 'a b', add: 1 }).catch((error) => error);
    console.log(level, refused instanceof RefusedError, bad instanceof InvalidInputError, await writer.remove('g', ['1']));
    redis.disconnect();
  })();
}
`;

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

describe.each(['package-lock.json', 'tools/package-lock.json'])('%s', (lock) => {
  it('has the optional packages of every platform, because npm ci needs them on each', () => {
    const { packages } = JSON.parse(readFileSync(join(repository, lock), 'utf8'));
    const entries = Object.values<{ optionalDependencies?: Record<string, string> }>(packages);
    const optional = entries.flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    const present = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')));
    expect(optional.filter((name) => !present.has(name))).toEqual([]);
  });

  it('says where each package is and what its hash is, so that an installation asks for nothing else', () => {
    const { packages } = JSON.parse(readFileSync(join(repository, lock), 'utf8'));
    const { '': _, ...installed } = packages as Record<string, { resolved?: string; integrity?: string }>;
    const complete = ({ resolved = '', integrity }: { resolved?: string; integrity?: string }) =>
      resolved.startsWith('https://registry.npmjs.org/') && integrity?.startsWith('sha512-');
    expect(Object.keys(installed).length).toBeGreaterThan(200);
    expect(Object.entries(installed).flatMap(([path, entry]) => (complete(entry) ? [] : path))).toEqual([]);
  });
});

describe('the packed tarball, installed in an empty folder', needs('npm registry', 'redis-server'), () => {
  let testStore: TestStore | undefined;
  let folder: string;
  /** Has guildrank-writer, as npm has installed it, and nothing else. */
  let botFolder: string;
  let files: string[];
  const env = () => ({ REDIS_URL: testStore?.url ?? '' });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'guildrank-install-'));
    botFolder = mkdtempSync(join(tmpdir(), 'guildrank-bot-'));
    // The run of the tests has built both packages: test/support/entry.ts.
    const pack = ['pack', '.', './dist/writer', '--ignore-scripts', '--json', '--pack-destination', folder];
    const packed = await runProgram('npm', pack);
    expect(packed.code, packed.stderr).toBe(0);
    const [main, writer] = JSON.parse(packed.stdout);
    files = main.files.map(({ path }: { path: string }) => path);
    const [tarball, ofWriter] = [main, writer].map(({ filename }) => join(folder, filename)) as [string, string];
    // One run of npm installs the package and the example.
    const example = JSON.parse(readFileSync(join(repository, 'examples/discord-js/package.json'), 'utf8'));
    cpSync(join(repository, 'examples/discord-js'), join(folder, 'discord-js'), { recursive: true });
    example.dependencies['guildrank-writer'] = `file:${ofWriter}`;
    writeFileSync(join(folder, 'discord-js/package.json'), JSON.stringify(example));
    const manifest = {
      type: 'module',
      workspaces: ['discord-js'],
      dependencies: { guildrank: `file:${tarball}`, ioredis: '5' },
    };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...manifest }));
    // So does the command of docs/operations.md that installs the SDK of OpenTelemetry.
    const document = readFileSync(join(repository, 'docs/operations.md'), 'utf8');
    const [command = ''] = /^npm install .*@opentelemetry[\s\S]*?(?=\n```)/m.exec(document) ?? [];
    const npm = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
    const installed = await runProgram('sh', ['-c', command], { cwd: folder, env: npm });
    expect(installed.code, installed.stderr).toBe(0);
    cpSync(join(folder, 'node_modules', WRITER), join(botFolder, 'node_modules', WRITER), { recursive: true });
    testStore = await realStore.start();
  }, INSTALLING_MS);
  afterAll(async () => {
    await testStore?.stop();
    for (const each of [folder, botFolder]) rmSync(each, { recursive: true, force: true });
  });

  it('contains only compiled code, deployment files, the readme and the documents', () => {
    expect(files).toEqual(
      expect.arrayContaining(['LICENSE', 'dist/guildrank.cjs', 'dist/THIRD-PARTY.txt', 'dist/lua/record.lua']),
    );
    const expected =
      /^(dist|deploy)\/|^docs\/[\w-]+\.md$|^(package\.json|(README|CHANGELOG|SECURITY)\.md|LICENSE|\.env\.example)$/;
    expect(files.filter((file) => !expected.test(file) || /demo|bench/.test(file))).toEqual([]);
  });

  it('is built whenever npm packs it', () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    expect(scripts.prepack).toBe('npm run build');
  });

  it('brings no SDK of OpenTelemetry: the command of docs/operations.md has installed it', () => {
    const SDK = '@opentelemetry/sdk-trace-base';
    expect(existsSync(join(folder, 'node_modules', SDK))).toBe(true);
    const installed = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
    const needing = Object.entries<{ dependencies?: object }>(installed.packages).filter(
      ([path, { dependencies = {} }]) => SDK in dependencies && !path.startsWith('node_modules/@opentelemetry/'),
    );
    expect(needing).toEqual([]);
    const brought = broughtBy(join(folder, 'node_modules/guildrank'));
    expect(brought.length).toBeGreaterThan(10);
    expect(brought.filter((name) => name.startsWith('@opentelemetry/'))).toEqual([]);
  });

  describe('its service, with an endpoint for traces', () => {
    let service: RunningChild;
    let url: string;
    beforeAll(async () => {
      const settings = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', PUBLIC_PAGES: '1' };
      service = startChild(join(folder, 'node_modules/.bin/guildrank'), ['serve'], {
        cwd: folder,
        env: { PATH: process.env.PATH, ...env(), ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
      });
      await service.waitForOutput('the service', () => service.stdout().includes('serving from'), 60_000);
      url = /"url":"(?<url>[^"]+)"/.exec(service.stdout())?.groups?.url as string;
    });
    afterAll(() => service?.stop());

    it('draws pictures of public pages with resvg, which the example brings', needs('fonts-dejavu-core'), async () => {
      await testStore?.client.hset('gr:{pictured}:config', 'public_page', 'on');
      const answer = await fetch(`${url}/g/pictured/top.png`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
      const png = Buffer.from(await answer.arrayBuffer());
      // The header of a PNG has its size at these places.
      expect([png.toString('latin1', 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual(['PNG', 1200, 630]);
    });

    it('serves over HTTP the key that npx guildrank keys create made, and ends on SIGTERM', async () => {
      const args = ['--no-install', 'guildrank', 'keys', 'create', '--guild', 'g', '--json'];
      const created = await runProgram('npx', args, { cwd: folder, env: env() });
      expect(created.code, created.stderr).toBe(0);
      const { key } = JSON.parse(created.stdout);
      const answer = await fetch(`${url}/api/v1/servers/g/stats`, { headers: { 'x-api-key': key } });
      expect(answer.status).toBe(200);
      service.kill('SIGTERM');
      expect((await service.waitForEnd()).code).toBe(0);
    });
  });

  it('types guildrank/writer, its own declarations checked too, and examples/discord-js', () => {
    writeFileSync(join(folder, 'bot.ts'), TYPED_BOT);
    // The same in CommonJS, where TypeScript refuses the types of an ES module.
    writeFileSync(join(folder, 'bot.cts'), TYPED_BOT.replaceAll('await ', '').replace(').level', ') as never'));
    const files = ['bot.ts', 'bot.cts', 'discord-js/bot.js', 'discord-js/card.js'];
    expect(typeErrors(folder, files, { allowJs: true, checkJs: true }, isOwn)).toBe('');
  });

  it('has the widget as an ES module that a server can import', async () => {
    const { exports, customElements } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    const entries = Object.entries<Record<string, string>>(exports).filter(([name]) => name.startsWith('./widget'));
    const named = entries.flatMap(([, paths]) => Object.values(paths)).map((path) => path.slice('./'.length));
    expect(files).toEqual(expect.arrayContaining([...named, customElements]));
    const names = entries.map(([entry]) => entry.replace('.', 'guildrank'));
    const program = `for (const name of ${JSON.stringify(names)}) console.log(...Object.keys(await import(name)), typeof customElements)`;
    const result = await runProgram(process.execPath, ['--input-type=module', '-e', program], { cwd: folder });
    const stdout = 'GuildLeaderboard GuildMember GuildStats undefined\n'.repeat(names.length);
    expect(result).toEqual({ code: 0, stdout, stderr: '' });
  });

  it('describes in custom-elements.json what the module of the widget has', async () => {
    const program = `
      const { customElements } = JSON.parse(readFileSync('node_modules/guildrank/package.json', 'utf8'));
      const { modules } = JSON.parse(readFileSync('node_modules/guildrank/' + customElements, 'utf8'));
      const untrue = [];
      for (const { path, declarations } of modules) {
        const elements = await import(resolve('node_modules/guildrank', path));
        for (const { name, members, attributes } of declarations) {
          for (const member of members) if (!(member.name in elements[name].prototype)) untrue.push(member.name);
          for (const each of attributes) if (!elements[name].observedAttributes.includes(each.name)) untrue.push(each.name);
          console.log(name, members.length > 5, attributes.length > 4);
        }
      }
      console.log(untrue);`;
    const imports = "import { readFileSync } from 'node:fs'; import { resolve } from 'node:path';";
    const result = await runProgram(process.execPath, ['--input-type=module', '-e', imports + program], {
      cwd: folder,
    });
    const stdout = 'GuildLeaderboard true true\nGuildMember true true\nGuildStats true true\n[]\n';
    expect(result).toEqual({ code: 0, stdout, stderr: '' });
  });

  it('has a page in the small package, whose lines run, and which leads to the guide', async () => {
    const page = readFileSync(join(botFolder, 'node_modules/guildrank-writer/README.md'), 'utf8');
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    expect(page).toContain(`npm install ./guildrank-writer-${version}.tgz ioredis\n`);
    expect(page).toContain('`docs/bots.md` in the repository');
    const [, snippet = ''] = /^```js\n([\s\S]*?)```/m.exec(page) ?? [];
    writeFileSync(join(folder, 'page.mjs'), snippet);
    const result = await runProgram(process.execPath, ['page.mjs'], { cwd: folder, env: env() });
    expect(result).toEqual({ code: 0, stdout: 'level 1\n', stderr: '' });
    // A release writes the address of the repository into package.json.
    const released = writerReadme({
      version: '2.0.0',
      repository: { url: 'git+https://git.example/someone/guildrank.git' },
    });
    expect(released).toContain('npm install guildrank-writer ioredis\n');
    expect(released).toContain('[docs/bots.md](https://git.example/someone/guildrank/blob/v2.0.0/docs/bots.md)');
  });

  it('has a small package for bots, which brings no other package', () => {
    expect(broughtBy(join(botFolder, 'node_modules', WRITER))).toEqual([]);
  });

  it('types the small package, its own declarations checked too, for a bot without ioredis', () => {
    const clients = mkdtempSync(join(tmpdir(), 'guildrank-types-'));
    try {
      writeFileSync(join(clients, 'bot.mts'), BOT_WITHOUT_IOREDIS);
      mkdirSync(join(clients, 'node_modules'));
      const linked = {
        redis: join(repository, 'tools/node_modules/redis5'),
        '@redis': join(repository, 'tools/node_modules/@redis'),
        'guildrank-writer': join(botFolder, 'node_modules/guildrank-writer'),
      };
      for (const [name, source] of Object.entries(linked)) symlinkSync(source, join(clients, 'node_modules', name));
      expect(typeErrors(clients, ['bot.mts'], { preserveSymlinks: true }, isOwn)).toBe('');
    } finally {
      rmSync(clients, { recursive: true });
    }
  });

  it('has a bot in examples/discord-js that asks for a token', async () => {
    const bot = await runProgram('npm', ['start', '--silent'], {
      cwd: join(folder, 'discord-js'),
      env: { DISCORD_TOKEN: '' },
    });
    expect(bot).toEqual({ code: 1, stdout: '', stderr: 'Set DISCORD_TOKEN to the token of your bot.\n' });
  });

  it('draws the rank card of examples/discord-js as PNG, with the picture of the member or without', async () => {
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

  it('writes and reads with each client, by require and by import', needs('redis-server'), async () => {
    const further = ['ioredis6', 'redis5', 'redis6'].map((name) => join(repository, 'tools/node_modules', name));
    const clients = [join(repository, 'node_modules/ioredis'), ...further];
    for (const [index, [file, loaded]] of Object.entries(LOADED).entries()) {
      writeFileSync(join(botFolder, file), loaded + BOT_OF_EACH_CLIENT);
      const result = await runProgram(process.execPath, [file, ...clients], { cwd: botFolder, env: env() });
      const totals = clients.map((_, client) => 100 * (1 + client + index * clients.length));
      expect(result).toEqual({ code: 0, stdout: `${totals.join(' ')}\n`, stderr: '' });
    }
  });

  it.each([
    ['curves', 2],
    ['rules', 3],
    ['card', 10],
  ])('has %s for browsers as one module of less than %d kB on the wire, which imports nothing', (name, kilobytes) => {
    for (const path of [
      `node_modules/guildrank/dist/writer/${name}.mjs`,
      join(botFolder, `node_modules/guildrank-writer/${name}.mjs`),
    ]) {
      const source = readFileSync(resolve(folder, path), 'utf8');
      expect(source).not.toMatch(/\b(import|require)\b/);
      expect(gzipSync(source).length).toBeLessThan(1024 * kilobytes);
    }
  });

  it('has the rules by import and by require, and their schema', async () => {
    for (const name of ['guildrank', 'guildrank-writer']) {
      const cwd = name === 'guildrank' ? folder : botFolder;
      writeFileSync(join(cwd, 'rules.mjs'), `import * as rules from '${name}/rules'; ${RULES_BOT}`);
      writeFileSync(join(cwd, 'rules.cjs'), `const rules = require('${name}/rules'); ${RULES_BOT}`);
      for (const file of ['rules.mjs', 'rules.cjs']) {
        const result = await runProgram(process.execPath, [file], { cwd });
        const stdout = 'InvalidInputError voice.xp must be a whole number from 0 to 1000000000, not -1 2 r\n';
        expect(result).toEqual({ code: 0, stdout, stderr: '' });
      }
      const schema = readFileSync(createRequire(join(cwd, 'rules.cjs')).resolve(`${name}/rules.schema.json`), 'utf8');
      expect(JSON.parse(schema)).toMatchObject({ title: 'Rules of a guild' });
    }
  });

  it('writes XP from CommonJS, without ES modules, through either package', needs('redis-server'), async () => {
    const ioredis = join(repository, 'node_modules/ioredis');
    for (const [cwd, name] of [
      [botFolder, 'guildrank-writer'],
      [folder, 'guildrank/writer'],
    ] as const) {
      writeFileSync(join(cwd, 'bot.cjs'), COMMON_JS_BOT);
      const args = [...WITHOUT_REQUIRED_MODULES, 'bot.cjs', name];
      const result = await runProgram(process.execPath, args, { cwd, env: { ...env(), IOREDIS: ioredis } });
      expect(result).toEqual({ code: 0, stdout: '10 true true 1\n', stderr: '' });
    }
  });

  it('writes XP through guildrank/writer and the complete Lua sources', needs('redis-server'), async () => {
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

  it('calls a script with the lines of docs/redis-keys.md', needs('redis-server'), async () => {
    const guide = readFileSync(join(repository, 'docs/redis-keys.md'), 'utf8');
    const snippet = guide.split('```sh\n')[1]?.split('```')[0] ?? '';
    const inPackage = join(folder, 'node_modules/guildrank');
    const shell = await runProgram('sh', ['-ec', snippet], { cwd: inPackage, env: env() });
    expect(shell.stdout.split('\n').slice(0, 5)).toEqual(['OK', expect.stringMatching(/^\d{16}$/), '1', '15', '0']);
  });

  it('lists its commands, and refuses others with exit code 2', async () => {
    const bin = join(folder, 'node_modules/.bin/guildrank');
    const help = await runProgram(bin, ['--help']);
    expect(help.code).toBe(0);
    for (const name of COMMANDS) expect(help.stdout).toContain(`\n  ${name} `);
    const { stdout } = await runProgram(bin, ['seed', '--help']);
    expect(stdout).toContain('Usage: guildrank seed');
    expect(stdout).toContain('\n  guildrank seed --guild 123456789012345678 --file members.csv\n');
    expect(stdout).not.toContain('npm run');
    const [document = ''] = /docs\/\S+\.md/.exec(stdout) ?? [];
    expect(existsSync(join(folder, 'node_modules/guildrank', document)), document).toBe(true);
    expect(await runProgram(bin, ['sed'])).toMatchObject({
      code: 2,
      stderr: "error: unknown command 'sed'\n(Did you mean seed?)\n(--help lists the commands)\n",
    });
  });
});
