import { contextOf } from '../../src/cli/context.ts';
import { withCore } from '../../src/cli/with-core.ts';
import { DomainError } from '../../src/core/errors.ts';
import type { XpRecord } from '../../src/core/members/xp-record.ts';
import { StagedMembers } from '../../src/core/replace/staged-members.ts';
import { endBoards } from '../support/boards.ts';

/**
 * A process that writes to a guild until it is killed, as importers and bots do: sets and adds, one and many, explicit levels,
 * removals, swaps of the whole guild, and every call of the bot kit. Arguments: Redis URL, guild, seed.
 */
const [url, guild, seed] = process.argv.slice(2) as [string, string, string];
process.env.REDIS_URL = url;

let state = Number(seed) * 2_654_435_761;
/** Returns the next number of a linear congruential generator: the same writes for the same seed. */
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

const userId = (): string => `m${random(500)}`;
const level = (): number | null => (random(4) === 0 ? random(90) : null);
const record = (): XpRecord =>
  random(2) === 0
    ? { userId: userId(), set: random(2_000_000), level: level() }
    : { userId: userId(), add: random(5000), username: `name ${random(1000)}` };
const many = (): XpRecord[] => Array.from({ length: 1 + random(200) }, record);

/** A test kills it long before. */
const LONGEST_MS = 300_000;

await withCore(contextOf(process), async (core) => {
  const { writer, client, redisKeys } = core;
  const replace = async (): Promise<void> => {
    const staged = await StagedMembers.lock(core, guild);
    await staged.stage(many());
    await staged.putInPlace();
    await staged.end();
  };
  // The predecessor was killed with the lock in its hands, or in the middle of a season's end.
  await client.del(redisKeys.staging(guild).lock);
  const endSeason = async (): Promise<void> => {
    const unfinished = (await client.hget(redisKeys.guild(guild).season, 'phase')) !== 'done';
    const name = unfinished ? await client.hget(redisKeys.guild(guild).season, 'archive') : null;
    const archiveAs = name ?? `${guild}.${process.pid}-${random(1_000_000)}`;
    await client.del(redisKeys.staging(archiveAs).lock);
    await writer.resetSeason(guild, { archiveAs });
  };
  const users = () => Array.from({ length: 1 + random(20) }, userId);
  const botCalls = [
    () => writer.award(guild, { userId: userId(), amount: { min: 0, max: 500 }, cooldownMs: random(2) * 20 }),
    () => writer.claimDaily(guild, { userId: userId(), reward: [5, 10], username: `name ${random(9)}` }),
    () => writer.setProfiles(guild, [{ userId: userId(), level: random(3) === 0 ? null : random(90) }]),
    () => writer.hide(guild, users()),
    () => writer.unhide(guild, users()),
  ];
  while (performance.now() < LONGEST_MS) {
    const dice = random(20);
    if (random(10) === 0) await endBoards(client, guild);
    if (dice === 0) await writer.remove(guild, Array.from({ length: 20 }, userId));
    else if (dice === 1) {
      await replace().catch((error: unknown) => {
        // Another process of the test replaces the guild.
        if (!(error instanceof DomainError)) throw error;
      });
    } else if (dice === 2) {
      await endSeason().catch((error: unknown) => {
        if (!(error instanceof DomainError)) throw error;
      });
    } else if (dice < 14) {
      await Promise.all(Array.from({ length: 20 }, () => botCalls[random(botCalls.length)]?.()));
    } else await writer.recordMany(guild, many());
  }
  throw new Error(`Nobody killed this process within ${LONGEST_MS} ms`);
});
