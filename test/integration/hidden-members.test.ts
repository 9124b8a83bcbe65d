import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Services, servicesOn } from '../../src/cli/services.ts';
import { runCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { realStore, type TestStore } from '../support/stores.ts';

const IDS = Array.from({ length: 6 }, (_, n) => `10000000000000000${n}`);

interface Row {
  readonly id: string;
  readonly xp: number;
  readonly hidden: boolean;
}

/** A file with these members, as each format has it; those that know hidden members name them. */
const FILES: Readonly<Record<string, { readonly namesHidden: boolean; write(rows: readonly Row[]): string }>> = {
  csv: {
    namesHidden: true,
    write: (rows) => `user_id,xp,hidden\n${rows.map(({ id, xp, hidden }) => `${id},${xp},${hidden || ''}\n`).join('')}`,
  },
  ndjson: { namesHidden: true, write: (rows) => rows.map((row) => `${JSON.stringify(plain(row))}\n`).join('') },
  json: { namesHidden: true, write: (rows) => JSON.stringify(rows.map(plain)) },
  mee6: {
    namesHidden: false,
    write: (rows) => JSON.stringify({ players: rows.map(({ id, xp }) => ({ id, xp, username: id })) }),
  },
  amari: {
    namesHidden: false,
    write: (rows) => JSON.stringify({ data: rows.map(({ id, xp }) => ({ id, exp: String(xp), username: id })) }),
  },
  lurkr: {
    namesHidden: false,
    write: (rows) => JSON.stringify({ levels: rows.map(({ id, xp }) => ({ userId: id, xp, user: { username: id } })) }),
  },
  polaris: {
    namesHidden: true,
    write: (rows) =>
      JSON.stringify({
        settings: {},
        users: Object.fromEntries(rows.map(({ id, xp, hidden }) => [id, { xp, hidden }])),
      }),
  },
  tatsu: {
    namesHidden: false,
    write: (rows) => JSON.stringify({ rankings: rows.map(({ id, xp }) => ({ user_id: id, score: xp })) }),
  },
};

function plain({ id, xp, hidden }: Row) {
  return { user_id: id, xp, ...(hidden && { hidden }) };
}

const ids = fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1, maxLength: 4 });
const rows = ids.chain((chosen) =>
  fc.tuple(
    ...chosen.map((id) =>
      fc.record({ id: fc.constant(id), xp: fc.integer({ min: 0, max: 9000 }), hidden: fc.boolean() }),
    ),
  ),
);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('hide', 'unhide', 'remove'), ids }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('award', 'claim', 'record', 'keep', 'rename', 'set'), ids }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('import'),
      format: fc.constantFrom(...Object.keys(FILES)),
      replace: fc.boolean(),
      rows,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('curve', 'rebuild', 'season', 'move', 'export') }) },
) as fc.Arbitrary<Step>;

type Step =
  | { readonly kind: 'hide' | 'unhide' | 'remove'; readonly ids: readonly string[] }
  | { readonly kind: 'award' | 'claim' | 'record' | 'keep' | 'rename' | 'set'; readonly ids: readonly string[] }
  | { readonly kind: 'import'; readonly format: string; readonly replace: boolean; readonly rows: readonly Row[] }
  | { readonly kind: 'curve' | 'rebuild' | 'season' | 'move' | 'export'; readonly ids?: undefined };

describe('a hidden member', needs('redis-server'), () => {
  let testStore: TestStore;
  let services: Services;
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-hidden-'));
  let guilds = 0;

  beforeAll(async () => {
    testStore = await realStore.start();
    services = servicesOn(testStore.client, 'gr', ['free']);
  });
  afterAll(async () => {
    await testStore.stop();
    rmSync(folder, { recursive: true });
  });

  /** Runs a command that must do its work. @returns its output. */
  async function run(name: string, args: readonly string[], options: { prefix?: string; input?: string } = {}) {
    const env = { REDIS_URL: testStore.url ?? '', KEY_PREFIX: options.prefix ?? 'gr' };
    const { code, stdout, stderr } = await runCommand(name, args, env, { input: options.input ?? '' });
    expect([name, ...args, code], stderr).toEqual([name, ...args, 0]);
    return stdout;
  }

  const members = (guild: string, key: 'xp' | 'hidden', prefix = 'gr') =>
    testStore.client.zrange(`${prefix}:{${guild}}:${key}`, 0, -1);

  /** Does a step, and changes the model: who must be hidden, and who is ranked. */
  async function take(guild: string, hidden: Set<string>, step: Step): Promise<void> {
    const { writer } = services;
    if (step.kind === 'hide' || step.kind === 'unhide' || step.kind === 'remove') {
      const ranked = new Set(await members(guild, 'xp'));
      const known = step.ids.filter((id) => ranked.has(id) || hidden.has(id));
      if (known.length === 0) return;
      await run('member', [step.kind, '--guild', guild, ...known, ...(step.kind === 'remove' ? ['--yes'] : [])]);
      for (const id of known) hidden[step.kind === 'hide' ? 'add' : 'delete'](id);
    } else if (step.kind === 'import') {
      const path = join(folder, 'members');
      writeFileSync(path, FILES[step.format]?.write(step.rows) ?? '');
      const how = ['--format', step.format, '--curve', 'standard', '--levels', 'curve'];
      await run('seed', ['--guild', guild, '--file', path, ...how, ...(step.replace ? ['--replace'] : [])]);
      if (FILES[step.format]?.namesHidden)
        for (const { id, hidden: isHidden } of step.rows) if (isHidden) hidden.add(id);
    } else if (step.kind === 'curve') {
      await run('guild', ['set', '--guild', guild, '--xp-curve', 'amari']);
    } else if (step.kind === 'rebuild') {
      await run('stats', ['rebuild', '--guild', guild]);
    } else if (step.kind === 'season') {
      const archive = `${guild}.s${guilds++}`;
      await run('season', ['reset', '--guild', guild, '--archive', archive, '--yes']);
      expect(new Set(await members(archive, 'hidden'))).toEqual(hidden);
    } else if (step.kind === 'move') {
      const stream = await run('guild', ['export', '--guild', guild, '--paused']);
      await run('guild', ['import'], { prefix: 'other', input: stream });
      expect(new Set(await members(guild, 'hidden', 'other'))).toEqual(hidden);
      await run('guild', ['delete', '--guild', guild, '--yes'], { prefix: 'other' });
    } else if (step.kind === 'export') {
      // A guild without members has no line.
      const lines = (await run('export', ['--guild', guild, '--format', 'ndjson'])).split('\n').filter(Boolean);
      const named = lines.map((line) => JSON.parse(line)).filter((row) => row.hidden);
      expect(new Set(named.map((row) => row.user_id))).toEqual(hidden);
    } else {
      for (const userId of step.ids ?? []) {
        const isMember = hidden.has(userId) || (await members(guild, 'xp')).includes(userId);
        if (step.kind === 'award') await writer.award(guild, { userId, amount: 7 });
        else if (step.kind === 'claim') await writer.claimDaily(guild, { userId, reward: 5 });
        else if (step.kind === 'record') await writer.record(guild, { userId, add: 3, profile: { username: 'X' } });
        else if (step.kind === 'keep') await writer.setProfiles(guild, [{ userId, profile: { level: 4 } }]);
        else if (step.kind === 'rename') isMember && (await run('member', ['rename', '--guild', guild, userId, 'New']));
        else await run('member', ['set', '--guild', guild, userId, '--xp', '40']);
      }
    }
  }

  it('is shown or forgotten by nothing but unhide and remove, whatever the bot, the commands and imports of any format do', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
        const guild = `g${guilds++}`;
        const hidden = new Set(IDS.slice(0, 2));
        await services.writer.recordMany(
          guild,
          IDS.slice(0, 4).map((userId) => ({ userId, set: 50 })),
        );
        await services.writer.hide(guild, [...hidden]);
        for (const each of steps) {
          await take(guild, hidden, each);
          expect([each, new Set(await members(guild, 'hidden'))]).toEqual([each, hidden]);
          expect((await members(guild, 'xp')).filter((id) => hidden.has(id))).toEqual([]);
        }
        expect((await services.audit.check(guild)).exact).toBe(true);
      }),
      { numRuns: 25, examples: [[[{ kind: 'remove', ids: IDS }, { kind: 'export' }]]] },
    );
  });

  it.each([[], ['--replace']])(
    'that any row of a file hides is hidden, whatever its other rows say (%s)',
    async (...how) => {
      const guild = `g${guilds++}`;
      const path = join(folder, 'rows.csv');
      writeFileSync(path, 'user_id,xp,hidden\nfirst,5,true\nfirst,7,false\nlast,5,false\nlast,7,true\nnever,1,\n');
      await run('seed', ['--guild', guild, '--file', path, ...how]);
      expect((await members(guild, 'hidden')).sort()).toEqual(['first', 'last']);
      expect(await members(guild, 'xp')).toEqual(['never']);
      expect((await services.audit.check(guild)).exact).toBe(true);
    },
  );

  it('who is dropped with a season is not shown by it', async () => {
    const guild = `g${guilds++}`;
    await services.writer.recordMany(
      guild,
      IDS.map((userId) => ({ userId, set: 50 })),
    );
    await services.writer.hide(guild, IDS.slice(0, 3));
    await run('season', ['reset', '--guild', guild, '--archive', `${guild}.s`, '--drop-members', '--yes']);
    expect(await members(guild, 'xp')).toEqual([]);
    expect((await members(`${guild}.s`, 'hidden')).sort()).toEqual(IDS.slice(0, 3));
    expect((await members(`${guild}.s`, 'xp')).sort()).toEqual(IDS.slice(3));
  });
});
