import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { Core } from '../../src/core/core.ts';
import { beginCountScript, commitCountScript } from '../../src/core/counters/recount-scripts.ts';
import { StoreUnavailableError } from '../../src/core/errors.ts';
import { deleteScript } from '../../src/core/guilds/delete.ts';
import { correctMember, correctMembers, undoCorrection } from '../../src/core/members/correct.ts';
import type { HideReason } from '../../src/core/ranking/model.ts';
import { CommandBatcher } from '../../src/core/reads/command-batcher.ts';
import {
  carryHiddenScript,
  clearStagedScript,
  endReplacementScript,
  hideStagedScript,
  noteChangesScript,
  replacementKeys,
  swapMembersScript,
} from '../../src/core/replace/replace-scripts.ts';
import { StagedMembers } from '../../src/core/replace/staged-members.ts';
import {
  beginSeasonScript,
  endCopyScript,
  markMembersScript,
  placeInArchiveScript,
  resetMembersScript,
} from '../../src/core/seasons/season-scripts.ts';
import type { LockedKeys } from '../../src/core/store/redis-keys.ts';
import type { Script } from '../../src/core/store/script.ts';
import { createWriter } from '../../src/kit/writer.ts';
import { endBoards } from '../support/boards.ts';
import { ALL_VARIANTS } from '../support/variants.ts';

export const GUILD = 'g';
/** Keys that every script of the guild names. */
export const GUILD_KEYS = ['gr:{g}:xp', 'gr:{g}:stats', 'gr:{g}:config', 'gr:{g}:hidden', 'gr:{g}:members'];
const STAGED = ['a', 'b', 'new'];
const AVATAR = '0123456789abcdef0123456789abcdef';
/** Members that the file of a replacement hides, with their reasons. */
const HIDDEN_BY_FILE = [
  ['a', 'self'],
  ['hidden', 'moderator'],
] as const;
/** The count that {@link prepare} has begun. */
const TOKEN = 'token';

/** The correction of a member that {@link prepare} has kept, as lib-event.lua keeps it. */
const KEPT = 'kept';
const KEPT_REPLY = ['correct sha', 'OK', '1', '0', '80 7 100 7 ranked', 'a', '', '-', '7', 'old', 'a', 'gain'];
const takeOne = (userId: string) => ({ userId, xp: { take: 1 } });

/** One script call on a guild that {@link prepare} has made. */
export interface ScriptCall {
  readonly script: string;
  /** Whether it begins with a deletion, which a full Redis allows. */
  readonly deletes?: true;
  run(core: Core, staged: StagedMembers): Promise<unknown>;
}

type LockedScript<Fields> = Script<keyof LockedKeys, Fields & { readonly token: string }, unknown>;

/** Returns the call of a step of a season's end with the lock of the replacement, which both share. */
const season = <Fields>(script: LockedScript<Fields>, fieldsOf: (staged: StagedMembers) => Fields): ScriptCall => ({
  script: script.name,
  run: ({ scripts, redisKeys }, staged) =>
    script.run(scripts, redisKeys.locked(GUILD), { ...fieldsOf(staged), token: staged.held.token }),
});
const placed = (userId: string, hiddenReasons: readonly HideReason[]) => {
  return { userId, hidden: hiddenReasons.length > 0, hiddenReasons };
};

type ReplacementScript<Fields> = Script<
  keyof ReturnType<typeof replacementKeys>,
  Fields & { readonly token: string },
  unknown
>;

/** Returns the call of a step of a replacement. */
const replace = <Fields>(
  script: ReplacementScript<Fields>,
  fieldsOf: (staged: StagedMembers) => Fields,
  deletes?: true,
): ScriptCall => ({
  script: script.name,
  ...(deletes && { deletes }),
  run: ({ scripts, redisKeys }, staged) => {
    const keys = replacementKeys(redisKeys.guild(GUILD), redisKeys.staging(GUILD));
    return script.run(scripts, keys, { ...fieldsOf(staged), token: staged.held.token });
  },
});

/** A call of every script; `batch` counts, and `page` reads. */
export const scriptCalls: readonly ScriptCall[] = [
  {
    script: 'record',
    run: ({ writer }) => writer.record(GUILD, { userId: 'a', add: 5, username: 'A', level: null }),
  },
  {
    script: 'record',
    run: ({ writer }) =>
      writer.recordMany(GUILD, [
        { userId: 'a', set: 5 },
        { userId: 'z', set: 9, level: 3 },
      ]),
  },
  {
    script: 'record',
    run: ({ writer }) => writer.record(GUILD, { userId: 'a', add: 5, avatar: AVATAR }),
  },
  { script: 'award', run: ({ writer }) => writer.award(GUILD, { userId: 'a', amount: 5, avatar: AVATAR }) },
  { script: 'remove', run: ({ writer }) => writer.remove(GUILD, ['a', 'b', 'hidden']) },
  {
    script: 'award',
    run: ({ client }) =>
      createWriter(client).award(GUILD, { userId: 'a', amount: 5, cooldownMs: 999, username: 'A', rank: true }),
  },
  { script: 'award', run: ({ client }) => createWriter(client).award(GUILD, { userId: 'hidden', amount: 5 }) },
  { script: 'claim', run: ({ client }) => createWriter(client).claimDaily(GUILD, { userId: 'a', reward: 5 }) },
  { script: 'record', run: ({ writer }) => writer.record(GUILD, { userId: 'hidden', add: 5 }) },
  { script: 'record', run: ({ writer }) => writer.record(GUILD, { userId: 'a', add: 5 }, { eventId: 'e' }) },
  {
    script: 'award',
    run: ({ client }) => createWriter(client).award(GUILD, { userId: 'a', amount: 5, cooldownMs: 999, eventId: 'e' }),
  },
  {
    script: 'claim',
    run: ({ client }) => createWriter(client).claimDaily(GUILD, { userId: 'a', reward: 5, eventId: 'e' }),
  },
  {
    script: 'correct',
    run: (core) => correctMember(core, GUILD, 'c', { userId: 'a', xp: { add: 5 }, level: 2, username: 'A' }),
  },
  {
    script: 'correct',
    run: (core) => correctMembers(core, GUILD, 'list', ['a', 'hidden'].map(takeOne), () => {}),
  },
  { script: 'undo', run: (core) => undoCorrection(core, GUILD, KEPT) },
  { script: 'hide', run: ({ client }) => createWriter(client).hide(GUILD, ['a', 'b']) },
  { script: 'hide', run: ({ client }) => createWriter(client).unhide(GUILD, ['hidden'], { reason: 'self' }) },
  { script: 'hide', run: ({ client }) => createWriter(client).hide(GUILD, ['a', 'hidden'], { reason: 'left' }) },
  season(markMembersScript, () => ({ size: 100, cursor: '0', place: 'ranked', onlyUnmarked: false })),
  season(resetMembersScript, () => ({ size: 9 })),
  season(placeInArchiveScript, () => ({ members: [placed('a', ['self']), placed('hidden', ['left'])] })),
  season(placeInArchiveScript, () => ({ members: [placed('a', []), placed('hidden', [])] })),
  season(beginSeasonScript, () => ({ guild: GUILD, archive: 'g.archive', keepsMembers: true })),
  season(endCopyScript, (staged) => ({ server: Reflect.get(staged, 'server'), requiresAll: false })),
  { script: 'describe', run: ({ writer }) => writer.describeGuild(GUILD, { name: 'Quiet Hours' }) },
  { script: 'configure', run: ({ guildConfig }) => guildConfig.update(GUILD, { plan: 'pro' }) },
  { script: 'configure', run: ({ guildConfig }) => guildConfig.update(GUILD, { boards: ['month'] }) },
  { script: 'configure', run: ({ guildConfig }) => guildConfig.update(GUILD, { boards: [], utcOffsetMinutes: 60 }) },
  {
    script: 'recount-commit',
    run: ({ scripts, redisKeys }) => {
      const fields = { token: TOKEN, size: 9, config: ['xp_curve', 'standard'] };
      return commitCountScript.run(scripts, redisKeys.guild(GUILD), fields);
    },
  },
  { script: 'stage', run: (_, staged) => staged.stage([{ userId: 'y', set: 1, username: 'Y' }]) },
  replace(noteChangesScript, () => ({})),
  replace(hideStagedScript, () => ({ members: HIDDEN_BY_FILE })),
  replace(carryHiddenScript, () => ({ userIds: ['a', 'b', 'hidden', 'shown'] })),
  replace(swapMembersScript, (staged) => ({
    ranked: STAGED.length,
    hidden: 1,
    server: Reflect.get(staged, 'server'),
    maxCarried: 9,
    curve: undefined,
  })),
  replace(clearStagedScript, () => ({ config: ['xp_curve', 'lurkr'] }), true),
  replace(endReplacementScript, () => ({}), true),
  {
    script: 'delete',
    deletes: true,
    run: ({ scripts, redisKeys }, { held }) =>
      deleteScript.run(scripts, { ...redisKeys.locked(GUILD), quota: redisKeys.quota(GUILD) }, { token: held.token }),
  },
  {
    script: 'usage',
    run: ({ scripts }) =>
      scripts.run(
        { name: 'usage' },
        ['gr:{g}:usage', 'gr:{g}:keys:used', 'gr:{g}:keys'],
        'process',
        2,
        500,
        192,
        '2026-01-16T12:00:00.000Z',
        1,
        '500:a',
        5,
        'a',
        '2026-01-15T12:00:00.000Z',
      ),
  },
  {
    script: 'batch',
    run: ({ client, scripts, redisKeys }) =>
      new CommandBatcher(scripts, redisKeys, { client }).run(GUILD, 'count 1 3600 100', (reply) => reply),
  },
  {
    script: 'batch',
    run: ({ client, scripts, redisKeys }) =>
      new CommandBatcher(scripts, redisKeys, { client }).run(GUILD, 'capped 1 3600 100 k1 5', (reply) => reply, 'k1'),
  },
];

const serverOf = async (server: Redis) => /run_id:(\w+)/.exec(await server.info('server'))?.[1];

/** Guilds that {@link prepare} makes. The week of the last one is over: its next write rolls that board over. */
const ALL_KINDS = ['without boards', 'with boards', 'with a board that rolls over'] as const;
export type GuildKind = (typeof ALL_KINDS)[number];
/** The last one has all that the second has. */
export const GUILD_KINDS = ALL_VARIANTS ? ALL_KINDS : ([ALL_KINDS[0], ALL_KINDS[2]] as const);

/** Makes a guild with a count and a replacement under way, on empty servers. @returns the replacement. */
export async function prepare(
  core: Core,
  servers: readonly Redis[],
  kind: GuildKind = 'without boards',
): Promise<StagedMembers> {
  await Promise.all(servers.map((server) => server.flushall()));
  // DUMP gives the fields of a small hash in their order, and those of a large one in any.
  await Promise.all(servers.map((server) => server.config('SET', 'hash-max-listpack-value', '1024')));
  if (kind !== 'without boards')
    await core.guildConfig.update(GUILD, { boards: ['week', 'month'], timeZone: 'Europe/Berlin' });
  const members = ['a', 'b', 'c'].map((userId, n) => ({
    userId,
    set: 100 * (n + 1),
    level: 7,
    username: userId,
    avatar: userId === 'a' ? null : AVATAR,
  }));
  await core.writer.recordMany(GUILD, members);
  await core.writer.record(GUILD, { userId: 'hidden', set: 50 });
  await createWriter(core.client).hide(GUILD, ['hidden'], { reason: 'self' });
  await core.guildConfig.update(GUILD, { plan: 'free' });
  if (kind !== 'without boards') await fillBoards(core, kind);
  await core.client.set('gr:quota:{g}', '3', 'EX', 3600);
  await core.client.set(`gr:{g}:event:${KEPT}`, KEPT_REPLY.join('\n'));
  await core.client.hset('gr:{g}:keys', 'a', 'sha');
  await core.client.hset('gr:{g}:usage', { '1:a': '1', 'w:process': '1 1' });
  const staged = await StagedMembers.lock(core, GUILD);
  await staged.stage(STAGED.map((userId) => ({ userId, set: 7, username: `new ${userId}`, avatar: AVATAR })));
  // A member that was hidden in the guild when the replacement carried it over, and one that changed since.
  await core.client.zadd('gr:{g}:next:hidden', 7, 'shown');
  await core.client.hset('gr:{g}:next:carried', 'shown', 's');
  await core.client.hset('gr:{g}:stats', 'replacing', ' hidden');
  await core.client.zadd('gr:{g}:season:xp', 60, 'a', 20, 'hidden');
  Reflect.set(staged, 'server', await serverOf(servers[0] as Redis));
  await beginCountScript.run(core.scripts, core.redisKeys.guild(GUILD), { token: TOKEN, curve: '' });
  // Refused calls leave the guild as it is, for many of them.
  await core.client.persist('gr:{g}:next:xp:lock');
  return staged;
}

/** Puts members on the present boards and on the last week, ranked and hidden. */
async function fillBoards({ client, writer }: Core, kind: GuildKind): Promise<void> {
  const gain = () =>
    writer.recordMany(
      GUILD,
      ['a', 'b', 'hidden'].map((userId) => ({ userId, add: 5 })),
    );
  await gain();
  await endBoards(client, GUILD, ['week']);
  await gain();
  if (kind === 'with a board that rolls over') await endBoards(client, GUILD, ['week']);
}

/** Returns all content of the guild, by key. A script that fails must leave it as it was. */
export async function contentOf(servers: readonly Redis[]): Promise<Record<string, string>> {
  const dumps = servers.map(async (server) => {
    const keys = (await server.keys('gr:*')).sort();
    return Promise.all(keys.map(async (key) => [key, (await server.dumpBuffer(key))?.toString('base64')]));
  });
  return Object.fromEntries((await Promise.all(dumps)).flat());
}

/** A call on a guild and its replacement. */
export interface BoundCall {
  readonly name: string;
  run(): Promise<unknown>;
}

/** Returns calls on what {@link prepare} has made. */
export const callsOn = (core: Core, staged: StagedMembers, calls = scriptCalls): BoundCall[] =>
  calls.map(({ script, run }) => ({ name: `${script}: ${run}`, run: () => run(core, staged) }));

/**
 * Expects that calls are refused by this name and change nothing. Returns their errors.
 * @param during brings Redis into the state that refuses, runs the work there, and ends the state. The last run counts.
 */
export async function expectRefusals(
  servers: readonly Redis[],
  calls: readonly BoundCall[],
  code: string | RegExp,
  during: (work: () => Promise<unknown>) => Promise<unknown> = (work) => work(),
): Promise<StoreUnavailableError[]> {
  const before = await contentOf(servers);
  let outcomes: unknown[] = [];
  await during(async () => {
    outcomes = await Promise.all(calls.map(({ run }) => run().catch((error: unknown) => error)));
  });
  const refusals = calls.map(({ name }, index) => {
    const refusal = outcomes[index] as StoreUnavailableError;
    expect(refusal, name).toBeInstanceOf(StoreUnavailableError);
    const wanted = typeof code === 'string' ? new RegExp(`^${code}$`) : code;
    expect(refusal.code, `${name}: ${refusal.reason}`).toMatch(wanted);
    return refusal;
  });
  expect(await contentOf(servers)).toEqual(before);
  return refusals;
}

/** The same for one call. */
export async function expectRefusal(
  servers: readonly Redis[],
  run: () => Promise<unknown>,
  code: string,
): Promise<StoreUnavailableError> {
  const [refusal] = await expectRefusals(servers, [{ name: `${run}`, run }], code);
  return refusal as StoreUnavailableError;
}
