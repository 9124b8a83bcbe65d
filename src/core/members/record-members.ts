import { checkFields, checkGuildAndUsers, checkList, wholeText } from '../check-fields.ts';
import { MAX_XP } from '../ranking/curves.ts';
import type { ScriptStore } from '../store/scripts.ts';
import { type EventCall, eventCall, NO_EVENT, type OnceOptions } from './event.ts';
import { type MemberChange, recordKeys, recordScript, type XpChange } from './record-script.ts';
import { ENTRIES_A_CALL, inSlices, sumOf } from './slices.ts';
import {
  avatarChange,
  changesOf,
  checkProfile,
  checkRecords,
  FILE_FIELDS,
  type FileRecord,
  type MemberChangeText,
  PROFILE_FIELDS,
  type ProfileChange,
  pathIn,
  profileChange,
  type XpRecord,
} from './xp-record.ts';

/** The result of a write. The change is the change of the last member recorded. */
export interface RecordResult extends XpChange {
  /** The guild's new revision. */
  readonly revision: string;
  /** Members that were not in the ranking before. */
  readonly created: number;
  /** A change for each record, in the same order. */
  readonly members: readonly MemberChange[];
  /** Whether the event had this reply before, in all its parts. Then nothing was changed. */
  readonly repeated: boolean;
}

/** New fields of the profile of one member. */
export interface ProfileUpdate extends ProfileChange {
  readonly userId: string;
}

/** A new level of one member. */
export interface LevelChange extends OnceOptions {
  readonly userId: string;
  /** A whole number from 0. */
  readonly level: number;
}

/** A new level of one member, and new fields of its profile. */
export interface LevelAndProfile extends Omit<ProfileUpdate, 'level'>, Pick<LevelChange, 'level'> {}

/** The clock and the times to live that a writer needs beside its store. */
export interface WriterContext {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds that an event keeps its reply. */
  readonly eventTtlMs: number;
}

const LEVEL_FIELDS: readonly (keyof LevelChange)[] = ['userId', 'level', 'eventId'];
const UPDATE_FIELDS: readonly (keyof ProfileUpdate)[] = ['userId', ...PROFILE_FIELDS];
/** Of a call without records. */
const NO_CHANGE: XpChange = { xpBefore: 0, levelBefore: 0, xp: 0, level: 0 };

/** Records members. @throws as GuildWriter.recordMany. */
export async function recordMembers(
  store: ScriptStore,
  { now, eventTtlMs }: WriterContext,
  guildId: string,
  records: readonly XpRecord[],
  options: OnceOptions,
): Promise<RecordResult> {
  checkFields(options, 'the options of record', ['eventId']);
  checkGuildAndUsers(guildId, checkRecords(records, now()));
  // This check comes before the first call, so that a value that Redis cannot take stops all calls.
  if (records.length > ENTRIES_A_CALL) changesOf(records);
  const guild = store.redisKeys.guild(guildId);
  const parts = await inSlices(records, async (slice, part) =>
    sendChanges(store, guildId, changesOf(slice), eventCall(guild, options.eventId, eventTtlMs, part)),
  );
  const members = parts.flatMap((part) => part.members);
  const { xpBefore, levelBefore, xp, level } = members.at(-1) ?? NO_CHANGE;
  return {
    revision: (parts.at(-1) ?? parts[0]).revision,
    created: sumOf(parts.map(({ created }) => created)),
    xpBefore,
    levelBefore,
    xp,
    level,
    members,
    repeated: parts.every(({ repeated }) => repeated),
  };
}

/**
 * Records the members of a file as {@link recordMembers} does, in less time, because it does not return what each member had before. O(n log m).
 * @param now milliseconds since 1970.
 * @returns the number of members that were not in the ranking before.
 * @throws as GuildWriter.recordMany.
 */
export async function importRecords(
  store: ScriptStore,
  guildId: string,
  records: readonly FileRecord[],
  now: number,
): Promise<{ readonly created: number }> {
  checkGuildAndUsers(guildId, checkRecords(records, now, FILE_FIELDS));
  const created = await inSlices(records, async (slice) => {
    const guild = store.redisKeys.guild(guildId);
    const changes = changesOf(slice);
    const further = recordKeys(guild, changes, NO_EVENT);
    const recorded = await recordScript.run(
      store.scripts,
      guild,
      { event: NO_EVENT, changes, namesEach: false },
      further,
    );
    return recorded.created;
  });
  return { created: sumOf(created) };
}

/** Sets the level of a member. @throws as GuildWriter.setLevel. */
export async function setMemberLevel(
  store: ScriptStore,
  { eventTtlMs }: WriterContext,
  guildId: string,
  change: LevelChange,
): Promise<RecordResult> {
  checkFields(change, 'a level', LEVEL_FIELDS);
  const { userId, level, eventId } = change;
  checkGuildAndUsers(guildId, [userId]);
  const changes = [levelChange({ userId, level })];
  const event = eventCall(store.redisKeys.guild(guildId), eventId, eventTtlMs, 0);
  const { revision, created, members, repeated } = await sendChanges(store, guildId, changes, event);
  const { xpBefore, levelBefore, xp, level: now } = members[0] ?? NO_CHANGE;
  return { revision, created, xpBefore, levelBefore, xp, level: now, members, repeated };
}

/**
 * Sets the level of a member as {@link setMemberLevel} does, and other fields of its profile in the same script. O(log m).
 * @param now milliseconds since 1970.
 * @throws as GuildWriter.setLevel.
 */
export async function setLevelAndProfile(
  store: ScriptStore,
  guildId: string,
  change: LevelAndProfile,
  now: number,
): Promise<void> {
  checkGuildAndUsers(guildId, [change.userId]);
  checkProfile(change, '', now);
  await sendChanges(store, guildId, [levelChange(change)], NO_EVENT);
}

/** Returns the change of a level as record.lua takes it. */
function levelChange({ userId, level, ...profile }: LevelAndProfile): MemberChangeText {
  return {
    userId,
    xp: `level ${wholeText('level', level, 0, MAX_XP)}`,
    profile: profileChange({ ...profile, level: null }, 0),
    avatar: avatarChange(profile.avatar),
  };
}

/** Changes profiles. @throws as GuildWriter.setProfiles. */
export async function setMemberProfiles(
  store: ScriptStore,
  { now }: WriterContext,
  guildId: string,
  updates: readonly ProfileUpdate[],
): Promise<string[]> {
  checkList(updates, 'The updates');
  const time = now();
  for (const [index, update] of updates.entries()) {
    const path = pathIn('updates', updates, index);
    checkFields(update, 'an update', UPDATE_FIELDS, path);
    checkProfile(update, path, time);
  }
  checkGuildAndUsers(
    guildId,
    updates.map(({ userId }) => userId),
  );
  const changes = updates.map(({ userId, ...profile }, index) => {
    return { userId, xp: 'keep', profile: profileChange(profile, index), avatar: avatarChange(profile.avatar) };
  });
  const found = await inSlices(changes, async (slice) => {
    const { passedOver } = await sendChanges(store, guildId, slice, NO_EVENT);
    return slice.filter(({ userId }) => !passedOver.has(userId));
  });
  return found.flat().map(({ userId }) => userId);
}

function sendChanges(
  { scripts, redisKeys }: ScriptStore,
  guildId: string,
  changes: readonly MemberChangeText[],
  event: EventCall,
) {
  const guild = redisKeys.guild(guildId);
  return recordScript.run(scripts, guild, { event, changes, namesEach: true }, recordKeys(guild, changes, event));
}
