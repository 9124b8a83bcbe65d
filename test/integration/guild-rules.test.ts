import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand, startCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { realStore, type TestStore } from '../support/stores.ts';

const RULES = { message: { xp: 5 }, rewards: [{ level: 5, role: 'r1' }] };

describe('guild rules', needs('redis-server'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-rules-'));
  let store: TestStore;
  beforeAll(async () => {
    store = await realStore.start();
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await store.stop();
  });
  beforeEach(() => store.empty());

  const env = () => ({ REDIS_URL: store.url as string });
  const rules = (...args: string[]) => runCommand('guild', ['rules', '--guild', 'g', ...args], env());
  const stored = () => store.client.hget('gr:{g}:config', 'rules');
  const fixture = (name: string) => `test/fixtures/imports/${name}`;
  function file(content: unknown): string {
    const path = join(folder, 'rules.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    return path;
  }

  it('guild rules stores the rules of a file, prints them as a file, and removes them', async () => {
    expect(await rules('--file', file(RULES))).toEqual({
      code: 0,
      stdout: 'Stored the rules of guild g.\n',
      stderr: '',
    });
    expect(await stored()).toBe(JSON.stringify(RULES));
    const printed = await rules();
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(await rules('--file', file(printed.stdout))).toMatchObject({ code: 0 });
    expect(await stored()).toBe(JSON.stringify(RULES));
    expect(JSON.parse((await rules('--json')).stdout)).toEqual({ guild: 'g', rules: RULES });
    expect(await runCommand('guild', ['show', '--guild', 'g'], env())).toMatchObject({ code: 0 });
    expect(await rules('--clear')).toEqual({ code: 0, stdout: 'Guild g has no rules now.\n', stderr: '' });
    expect(await stored()).toBeNull();
  });

  it('guild rules reads standard input', async () => {
    const input = JSON.stringify(RULES);
    const result = await runCommand('guild', ['rules', '--guild', 'g', '--file', '-'], env(), { input });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(await stored()).toBe(input);
  });

  it.each<[unknown, string]>([
    [{ message: { xp: -1 } }, 'message.xp must be a whole number from 0 to 1000000000, not -1'],
    [{ rewards: [{ level: 5 }] }, 'rewards[0].role must be an id: a text of 1 to 64 of A-Z a-z 0-9 _ - ., not missing'],
    [{ no_xp: { role: [] } }, 'no_xp.role is no field of the rules: use roles, channels'],
    [{ settings: {} }, 'looks like the export of a bot: add --from polaris or --from lurkr'],
    ['{"message":', 'is not valid JSON: '],
  ])('guild rules refuses %j, names file and field, and stores nothing', async (content, message) => {
    const path = file(content);
    const { code, stdout, stderr } = await rules('--file', path);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: .*\n$/);
    expect(stderr).toContain(path);
    expect(stderr).toContain(message);
    expect(await stored()).toBeNull();
  });

  it('guild rules refuses impossible calls: a missing file, options that do not fit, rules above 16 kB, no guild, no rules', async () => {
    expect((await rules('--file', join(folder, 'none'))).stderr).toContain('there is no such file');
    expect(await rules('--clear', '--file', file(RULES))).toMatchObject({ code: 2 });
    expect(await rules('--from', 'polaris')).toMatchObject({ code: 2 });
    expect((await rules('--from', 'tatsu', '--file', 'x')).stderr).toContain(
      'Allowed choices are polaris, lurkr, mee6',
    );
    const roles = Array.from({ length: 1000 }, (_, n) => `role-${n}-of-many`);
    expect((await rules('--file', file({ no_xp: { roles } }))).stderr).toMatch(
      /The rules have \d+ bytes, and the most is/,
    );
    for (const args of [[], ['--clear']])
      expect((await rules(...args)).stderr).toBe('error: Guild g does not exist: nothing is stored for it\n');
    await store.client.hset('gr:{g}:config', 'plan', 'pro');
    expect((await rules()).stderr).toBe('error: Guild g has no rules: store rules with --file\n');
    expect(JSON.parse((await rules('--json')).stdout)).toEqual({ guild: 'g', rules: null });
  });

  it('guild rules takes the rules of a Polaris export', async () => {
    const name = fixture('polaris-rules.json');
    const { code, stderr } = await rules('--from', 'polaris', '--file', name);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `${name}: noSync has no equal here: rewards with it (1) are given and taken as the others\n`,
    });
    expect(JSON.parse((await stored()) as string)).toEqual({
      message: { xp: { min: 20, max: 40 }, cooldown_ms: 45_500 },
      no_xp: { roles: ['200000000000000002'] },
      multipliers: {
        roles: { '200000000000000001': 1.5 },
        channels: { '300000000000000001': 0, '300000000000000002': 2.25 },
        role_stacking: 'sum',
        stacking: 'product',
      },
      rewards: [
        { level: 5, role: '200000000000000003', kept: true },
        { level: 10, role: '200000000000000004', kept: false },
      ],
    });
  });

  it.each(['users', 'xp'])(
    'guild rules takes the rules of a Polaris export with many members in "%s"',
    async (place) => {
      // 2 MB, above the 1 MiB that may stand beside members.
      const username = 'n'.repeat(200);
      const members = Object.fromEntries(
        Array.from({ length: 10_000 }, (_, n) => [1e17 + 32 * n, { xp: n, username }]),
      );
      const name = file({ settings: {}, [place]: members });
      expect(await rules('--from', 'polaris', '--file', name)).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it("guild rules takes Polaris's defaults where an export leaves settings out, and says what has no equal", async () => {
    expect(await rules('--from', 'polaris', '--file', fixture('polaris.json'))).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse((await stored()) as string)).toMatchObject({
      message: { xp: { min: 50, max: 100 }, cooldown_ms: 60_000 },
      multipliers: { role_stacking: 'max', stacking: 'product' },
    });
    const multipliers = { rolePriority: 'smallest', channelStacking: 'role' };
    const { stderr } = await rules('--from', 'polaris', '--file', file({ settings: { multipliers } }));
    expect(stderr).toContain('rolePriority "smallest" has no equal here: "max" is used\n');
    expect(stderr).toContain('channelStacking "role" has no equal here: "product" is used\n');
  });

  it("guild rules takes the rules of a page of Lurkr's leaderboard", async () => {
    const name = fixture('lurkr-rules.json');
    const { code, stderr } = await rules('--from', 'lurkr', '--file', name);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        `${name}: the page does not say which rewards are replaced: all are kept\n` +
        `${name}: the multiplier of all XP is no part of the rules: set it with npm run -s guild -- set --guild g --xp-multiplier 1.5\n`,
    });
    expect(JSON.parse((await stored()) as string)).toEqual({
      message: { xp: { min: 15, max: 40 }, cooldown_ms: 60_000 },
      multipliers: {
        roles: { '200000000000000001': 2 },
        channels: { '300000000000000001': 0.75, '300000000000000002': 1.1 },
        role_stacking: 'max',
        stacking: 'product',
      },
      rewards: [
        { level: 5, role: '200000000000000003' },
        { level: 5, role: '200000000000000004' },
      ],
    });
  });

  it.each([
    ['polaris', { users: {} }, 'settings: '],
    ['polaris', { settings: { gain: { min: 'many' } } }, 'settings.gain.min: '],
    ['polaris', { settings: { gain: { min: 9, max: 8 } } }, 'message.xp.min must be a whole number from 0 to 8, not 9'],
    ['lurkr', { levels: [] }, "has no rules, as the download of Lurkr's dashboard: save the leaderboard page"],
    ['lurkr', { roleRewards: [{ level: 5 }] }, 'roleRewards.0.roles: '],
  ])('guild rules refuses an export of %s such as %j, and stores nothing', async (from, content, message) => {
    const { code, stderr } = await rules('--from', from, '--file', file(content));
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(await stored()).toBeNull();
  });

  it('the stream of guild export has the rules, and guild import stores them', async () => {
    await rules('--file', file(RULES));
    await store.client.zadd('gr:{g}:xp', 5, 'a');
    const { stdout } = await runCommand('guild', ['export', '--guild', 'g', '--paused'], env());
    await store.empty();
    const target = startCommand('guild', ['import'], { env: env() });
    target.stdin.end(stdout);
    expect(await target.ended).toMatchObject({ code: 0 });
    expect(await stored()).toBe(JSON.stringify(RULES));
  });
});
