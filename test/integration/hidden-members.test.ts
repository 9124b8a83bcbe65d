import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Core, openCore } from '../../src/core/core.ts';
import { HIDE_REASONS, type HideReason, reasonsIn } from '../../src/core/ranking/model.ts';
import { runCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { realStore, type TestStore } from '../support/stores.ts';
import { randomRuns } from '../support/variants.ts';

const IDS = Array.from({ length: 6 }, (_, n) => `15998587045832${n}007`);

interface Row {
  readonly id: string;
  readonly xp: number;
  readonly hidden: boolean;
  /** None = by a moderator. */
  readonly reasons: readonly HideReason[];
}

/** The hidden members of a guild, with their reasons. */
type Hidden = Map<string, readonly HideReason[]>;

function add(hidden: Hidden, id: string, reasons: readonly HideReason[]): void {
  hidden.set(id, reasonsIn([...(hidden.get(id) ?? []), ...reasons].join(' ')));
}

interface File {
  readonly namesHidden: boolean;
  readonly namesReasons?: true;
  write(rows: readonly Row[]): string;
}

/** A file with these members, as each format has it; those that know hidden members name them. */
const FILES: Readonly<Record<string, File>> = {
  csv: {
    ...{ namesHidden: true, namesReasons: true },
    write: (rows) =>
      `user_id,xp,hidden,hidden_reasons\n${rows.map(({ id, xp, hidden, reasons }) => `${id},${xp},${hidden || ''},${hidden ? reasons.join(' ') : ''}\n`).join('')}`,
  },
  ndjson: {
    ...{ namesHidden: true, namesReasons: true },
    write: (rows) => rows.map((row) => `${JSON.stringify(plain(row))}\n`).join(''),
  },
  json: { ...{ namesHidden: true, namesReasons: true }, write: (rows) => JSON.stringify(rows.map(plain)) },
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

function plain({ id, xp, hidden, reasons }: Row) {
  const named = reasons.length > 0 && { hidden_reasons: reasons.join(' ') };
  return { user_id: id, xp, ...(hidden && { hidden, ...named }) };
}

const ids = fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1, maxLength: 4 });
const rows = ids.chain((chosen) =>
  fc.tuple(
    ...chosen.map((id) =>
      fc.record({
        id: fc.constant(id),
        xp: fc.integer({ min: 0, max: 9000 }),
        hidden: fc.boolean(),
        reasons: fc.subarray([...HIDE_REASONS]),
      }),
    ),
  ),
);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('hide', 'unhide', 'remove'),
      ids,
      reason: fc.constantFrom(...HIDE_REASONS),
    }),
  },
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
  | { readonly kind: 'hide' | 'unhide'; readonly ids: readonly string[]; readonly reason: HideReason }
  | { readonly kind: 'remove'; readonly ids: readonly string[] }
  | { readonly kind: 'award' | 'claim' | 'record' | 'keep' | 'rename' | 'set'; readonly ids: readonly string[] }
  | { readonly kind: 'import'; readonly format: string; readonly replace: boolean; readonly rows: readonly Row[] }
  | { readonly kind: 'curve' | 'rebuild' | 'season' | 'move' | 'export'; readonly ids?: undefined };

describe('a hidden member', needs('redis-server'), () => {
  let testStore: TestStore;
  let core: Core;
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-hidden-'));
  let guilds = 0;

  beforeAll(async () => {
    testStore = await realStore.start();
    core = openCore(testStore.client, 'gr');
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

  /** Returns the hidden members of a guild with their reasons, as they are stored. */
  async function hiddenIn(guild: string, prefix = 'gr'): Promise<Hidden> {
    const reasons = await testStore.client.hgetall(`${prefix}:{${guild}}:hidden:reasons`);
    const hidden = (await members(guild, 'hidden', prefix)).map((id) => [id, reasonsIn(reasons[id] ?? '')] as const);
    // A member that is not hidden has no reasons.
    expect(Object.keys(reasons).filter((id) => !new Map(hidden).has(id))).toEqual([]);
    return new Map(hidden);
  }

  /** Does a step, and changes the model: who must be hidden, and who is ranked. */
  async function take(guild: string, hidden: Hidden, step: Step): Promise<void> {
    const { writer } = core;
    if (step.kind === 'hide' || step.kind === 'unhide' || step.kind === 'remove') {
      const ranked = new Set(await members(guild, 'xp'));
      const known = step.ids.filter((id) => ranked.has(id) || hidden.has(id));
      if (known.length === 0) return;
      const option = step.kind === 'remove' ? ['--yes'] : ['--reason', step.reason];
      await run('member', [step.kind, '--guild', guild, ...known, ...option]);
      for (const id of known) {
        const left = step.kind === 'remove' ? [] : (hidden.get(id) ?? []).filter((each) => each !== step.reason);
        if (step.kind === 'hide') add(hidden, id, [step.reason]);
        else if (left.length === 0) hidden.delete(id);
        else hidden.set(id, left);
      }
    } else if (step.kind === 'import') {
      const path = join(folder, 'members');
      writeFileSync(path, FILES[step.format]?.write(step.rows) ?? '');
      const how = ['--format', step.format, '--curve', 'standard', '--levels', 'curve'];
      await run('seed', ['--guild', guild, '--file', path, ...how, ...(step.replace ? ['--replace'] : [])]);
      const { namesHidden, namesReasons } = FILES[step.format] as File;
      for (const { id, hidden: isHidden, reasons } of step.rows)
        if (namesHidden && isHidden) add(hidden, id, namesReasons && reasons.length > 0 ? reasons : ['moderator']);
    } else if (step.kind === 'curve') {
      await run('guild', ['set', '--guild', guild, '--xp-curve', 'amari']);
    } else if (step.kind === 'rebuild') {
      await run('stats', ['rebuild', '--guild', guild]);
    } else if (step.kind === 'season') {
      const archive = `${guild}.s${guilds++}`;
      await run('season', ['reset', '--guild', guild, '--archive', archive, '--yes']);
      expect(await hiddenIn(archive)).toEqual(hidden);
    } else if (step.kind === 'move') {
      const stream = await run('guild', ['export', '--guild', guild, '--paused']);
      await run('guild', ['import'], { prefix: 'other', input: stream });
      expect(await hiddenIn(guild, 'other')).toEqual(hidden);
      await run('guild', ['delete', '--guild', guild, '--yes'], { prefix: 'other' });
    } else if (step.kind === 'export') {
      // A guild without members has no line.
      const lines = (await run('export', ['--guild', guild, '--format', 'ndjson'])).split('\n').filter(Boolean);
      const named = lines.map((line) => JSON.parse(line)).filter((row) => row.hidden);
      expect(new Map(named.map((row) => [row.user_id, row.hidden_reasons.split(' ')]))).toEqual(hidden);
    } else {
      for (const userId of step.ids ?? []) {
        const isMember = hidden.has(userId) || (await members(guild, 'xp')).includes(userId);
        if (step.kind === 'award') await writer.award(guild, { userId, amount: 7 });
        else if (step.kind === 'claim') await writer.claimDaily(guild, { userId, reward: 5 });
        else if (step.kind === 'record') await writer.record(guild, { userId, add: 3, username: 'X' });
        else if (step.kind === 'keep') await writer.setProfiles(guild, [{ userId, level: 4 }]);
        else if (step.kind === 'rename') isMember && (await run('member', ['rename', '--guild', guild, userId, 'New']));
        else await run('member', ['set', '--guild', guild, userId, '--xp', '40']);
      }
    }
  }

  it('a hidden member is shown or forgotten by nothing but unhide and remove, whatever the bot, the commands and imports of any format do', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
        const guild = `g${guilds++}`;
        const hidden: Hidden = new Map(IDS.slice(0, 2).map((id) => [id, ['moderator']]));
        await core.writer.recordMany(
          guild,
          IDS.slice(0, 4).map((userId) => ({ userId, set: 50 })),
        );
        await core.writer.hide(guild, [...hidden.keys()]);
        for (const each of steps) {
          await take(guild, hidden, each);
          expect([each, await hiddenIn(guild)]).toEqual([each, hidden]);
          expect((await members(guild, 'xp')).filter((id) => hidden.has(id))).toEqual([]);
        }
        expect((await core.counters.check(guild)).exact).toBe(true);
      }),
      { numRuns: randomRuns(30), examples: [[[{ kind: 'remove', ids: IDS }, { kind: 'export' }]]] },
    );
  });

  it.each([[], ['--replace']])(
    'a member that any row of a file hides is hidden, whatever its other rows say (%s)',
    async (...how) => {
      const guild = `g${guilds++}`;
      const path = join(folder, 'rows.csv');
      writeFileSync(path, 'user_id,xp,hidden\nfirst,5,true\nfirst,7,false\nlast,5,false\nlast,7,true\nnever,1,\n');
      await run('seed', ['--guild', guild, '--file', path, ...how]);
      expect((await members(guild, 'hidden')).sort()).toEqual(['first', 'last']);
      expect(await members(guild, 'xp')).toEqual(['never']);
      expect((await core.counters.check(guild)).exact).toBe(true);
    },
  );

  it('a hidden member who is removed with a season is not shown by it', async () => {
    const guild = `g${guilds++}`;
    await core.writer.recordMany(
      guild,
      IDS.map((userId) => ({ userId, set: 50 })),
    );
    await core.writer.hide(guild, IDS.slice(0, 3));
    await run('season', ['reset', '--guild', guild, '--archive', `${guild}.s`, '--drop-members', '--yes']);
    expect(await members(guild, 'xp')).toEqual([]);
    expect((await members(`${guild}.s`, 'hidden')).sort()).toEqual(IDS.slice(0, 3));
    expect((await members(`${guild}.s`, 'xp')).sort()).toEqual(IDS.slice(3));
  });
});
