import { setTimeout as delay } from 'node:timers/promises';
import type { Services } from '../../../src/cli/services.ts';
import { deleteGuild } from '../../../src/guilds/delete.ts';
import { StagedMembers } from '../../../src/leaderboard/staged-members.ts';
import { seedGuild, userIdOf } from '../data.ts';
import type { LoadedGuild } from '../mix.ts';

/** Guilds that live at a time. Each second the oldest goes and a new one comes. */
const LIVING = 60;
const STEP_MS = 1000;
const MEMBERS = 300;
/** Members that come and go in one guild in a step. */
const CHANGED = 20;

/** Data that changes as it does in years of a deployment: guilds, keys, members and whole seasons come and go. */
export class Churn {
  /** Oldest first. */
  private readonly guilds: LoadedGuild[] = [];
  readonly done = { guilds: 0, keys: 0, members: 0, seasons: 0 };
  private created = 0;
  private isOver = false;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly store: Services) {}

  async start(): Promise<void> {
    while (this.guilds.length < LIVING) await this.addGuild();
    this.running = this.run();
    // A failure is thrown by stop().
    this.running.catch(() => {});
  }

  /** Returns the guilds of this moment, with their keys. The oldest are deleted soon. */
  youngestFirst(): LoadedGuild[] {
    return this.guilds.toReversed();
  }

  /** Stops, and deletes all guilds. @throws the first failure. */
  async stop(): Promise<void> {
    this.isOver = true;
    await this.running;
    for (const { id } of this.guilds.splice(0)) await deleteGuild(this.store, id);
  }

  private async run(): Promise<void> {
    for (let step = 0; !this.isOver; step++) {
      const next = delay(STEP_MS);
      await this.addGuild();
      const oldest = this.guilds.shift() as LoadedGuild;
      await deleteGuild(this.store, oldest.id);
      this.done.guilds++;
      await this.changeKey(step % LIVING);
      await this.changeMembers(this.guilds[(step * 7) % LIVING] as LoadedGuild, step);
      if (step % 10 === 0) await this.startSeason(this.guilds[(step * 13) % LIVING] as LoadedGuild);
      await next;
    }
  }

  private async addGuild(): Promise<void> {
    this.guilds.push(await seedGuild(this.store, this.created++, MEMBERS));
  }

  /** Gives a guild a new key and revokes all its others. */
  private async changeKey(index: number): Promise<void> {
    const guild = this.guilds[index] as LoadedGuild;
    const { key, record } = await this.store.apiKeys.create(guild.id, 'soak', null);
    this.guilds[index] = { ...guild, key };
    for (const { id } of await this.store.apiKeys.list(guild.id)) {
      if (id !== record.id) await this.store.apiKeys.revoke(guild.id, id);
    }
    this.done.keys++;
  }

  private async changeMembers({ id }: LoadedGuild, step: number): Promise<void> {
    const idOf = (round: number, n: number) => userIdOf(1_000_000 + round * CHANGED + n);
    const round = (wanted: number) => Array.from({ length: CHANGED }, (_, n) => idOf(wanted, n));
    await this.store.writer.recordMany(
      id,
      round(step).map((userId) => ({ userId, set: step, profile: { username: `m${step}` } })),
    );
    await this.store.writer.remove(id, round(step));
    await this.store.writer.record(id, { userId: userIdOf(step % MEMBERS), add: 15 });
    this.done.members += CHANGED;
  }

  /** Replaces all members at once, as `seed --replace` does. */
  private async startSeason({ id }: LoadedGuild): Promise<void> {
    const staged = await StagedMembers.lock(this.store, id);
    await staged.stage(Array.from({ length: MEMBERS }, (_, n) => ({ userId: userIdOf(n), set: n })));
    await staged.listUnstaged();
    while ((await staged.putInPlace()) > 0);
    while ((await staged.sweep()).listed > 0);
    await staged.clear({ unlock: true });
    this.done.seasons++;
  }
}
