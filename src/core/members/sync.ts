import { checkFields, checkGuildAndUsers } from '../check-fields.ts';
import { InvalidInputError, RefusedError, shownText } from '../errors.ts';
import { listScript } from '../reads/listed-members.ts';
import type { ScriptStore } from '../store/scripts.ts';
import { changeReason } from './hiding.ts';
import { inSlices } from './slices.ts';

/** The user ids of all members of the server: a Set, or a Map by user id. Each step looks into it anew, so keep it up to date. */
export interface PresentMembers {
  readonly size: number;
  has(userId: string): boolean;
}

/** The options of `syncMembers`. */
export interface SyncOptions {
  /** Only counts. */
  readonly dryRun?: boolean;
  /** The greatest share of the ranked members that may be hidden, 0 .. 1; 0.2 unless given. If a list would hide more, it is taken for incomplete. */
  readonly maxShare?: number;
}

/** What a sync has changed; with `dryRun`, what it would change. */
export interface SyncResult {
  /** Ranked members before. */
  readonly ranked: number;
  /** Ranked members that are not present: they get the reason "left". */
  readonly left: number;
  /** Hidden members with the reason "left" that are present: they lose it, and come back unless they have another reason. */
  readonly returned: number;
}

const MAX_SHARE = 0.2;

/** Compares a guild with its server. @throws as GuildWriter.syncMembers. */
export async function syncMembers(
  store: ScriptStore,
  guildId: string,
  presentIds: PresentMembers | readonly string[],
  options: SyncOptions = {},
): Promise<SyncResult> {
  checkFields(options, 'the options of syncMembers', ['dryRun', 'maxShare']);
  const { dryRun = false, maxShare = MAX_SHARE } = options;
  const present = (Array.isArray(presentIds) ? new Set(presentIds) : presentIds) as PresentMembers | null;
  checkGuildAndUsers(guildId, Array.isArray(presentIds) ? presentIds : []);
  if (!(typeof maxShare === 'number' && maxShare >= 0 && maxShare <= 1))
    throw new InvalidInputError(`maxShare must be a number from 0 to 1, not ${shownText(maxShare)}`);
  if (typeof present?.has !== 'function')
    throw new InvalidInputError(
      `The present members must be a list, a Set or a Map of user ids, not ${shownText(presentIds)}`,
    );
  if (present.size === 0)
    throw new InvalidInputError('The list of present members is empty: give all user ids of the server');

  const guild = store.redisKeys.guild(guildId);
  /** Returns the members of a kind that pass, each once, and the number of ranked members. */
  const listed = async (kind: 'ranked' | 'left', passes: (userId: string) => boolean) => {
    const found = new Set<string>();
    for (let cursor = '0'; ; ) {
      const step = await listScript.run(store.scripts, guild, { kind, cursor });
      for (const userId of step.userIds) if (passes(userId)) found.add(userId);
      cursor = step.cursor;
      if (cursor === '0') return { found, ranked: step.ranked };
    }
  };
  const absent = (userId: string) => !present.has(userId);
  const { found: left, ranked } = await listed('ranked', absent);
  const { found: returned } = await listed('left', (userId) => present.has(userId));
  const result = { ranked, left: left.size, returned: returned.size };
  if (dryRun) return result;
  if (left.size > maxShare * ranked) {
    const share = percent(left.size / ranked);
    throw new RefusedError('present_incomplete', { left: left.size, ranked, share, maxShare: percent(maxShare) });
  }

  const change = async (
    direction: 'hide' | 'unhide',
    all: ReadonlySet<string>,
    passes: (userId: string) => boolean,
  ) => {
    if (all.size === 0) return;
    await inSlices([...all], (userIds) =>
      changeReason(store, direction, guildId, userIds.filter(passes), { reason: 'left' }),
    );
  };
  await change('unhide', returned, (userId) => present.has(userId));
  await change('hide', left, absent);
  return result;
}

function percent(share: number): number {
  return Number((100 * share).toFixed(1));
}
