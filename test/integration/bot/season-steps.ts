import type { ScriptClient } from '../../../src/core/store/scripts.ts';
import type { GuildModel, ModelMember } from '../../model/guild-model.ts';

type Reasons = ModelMember['reasons'];

/** What a season's end has done so far, in a naive model that follows its script calls one by one. */
export class SeasonModel {
  private readonly marks = new Map<string, number>();
  /** Members that are marked, and not copied yet. */
  private marked: [id: string, member: ModelMember][] = [];
  private isCopied = false;

  constructor(
    private readonly guild: GuildModel,
    private readonly archive: GuildModel,
    private readonly keepMembers: boolean,
  ) {}

  /** Follows one call by its reply: `script` is its name, `args` are its arguments. */
  follow(script: string, [, ...rest]: readonly string[], reply: unknown): void {
    if (!Array.isArray(reply) || reply[0] !== 'OK') return;
    if (script === 'stage') for (const [id, member] of this.marked) this.archive.members.set(id, member);
    if (script === 'season-mark') {
      this.marked = [];
      for (const row of reply.slice(2)) this.mark(row.split('\n', 1)[0]);
    }
    if (script === 'season-place')
      for (let n = 0; n < rest.length; n += 2) this.place(rest[n], rest[n + 1]?.split(' ').filter(Boolean) as Reasons);
    if (script === 'season-reset') for (const id of this.firstMarks(Number(rest[0]))) this.reset(id);
    if (script !== 'season-end-copy' || this.isCopied) return;
    this.isCopied = true;
    this.guild.boards?.clear();
  }

  /** Forgets members that were erased meanwhile. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.marks.delete(id);
  }

  private mark(id: string): void {
    const member = this.guild.members.get(id);
    if (!member) return;
    this.marks.set(id, member.xp);
    this.marked.push([id, { ...member }]);
  }

  /** Gives a member of the archive its place before its copy. */
  private place(id = '', reasons: Reasons): void {
    const member = this.archive.members.get(id);
    if (member) Object.assign(member, { reasons, hidden: reasons.length > 0 });
  }

  /** The ids of tests are ASCII, which Redis orders as JavaScript does. */
  private firstMarks(count: number): string[] {
    const before = ([a, x]: [string, number], [b, y]: [string, number]) => x - y || (a < b ? -1 : 1);
    return [...this.marks]
      .sort(before)
      .slice(0, count)
      .map(([id]) => id);
  }

  private reset(id: string): void {
    const marked = this.marks.get(id);
    const member = this.guild.members.get(id);
    this.marks.delete(id);
    if (marked === undefined || !member) return;
    const xp = Math.max(member.xp - marked, 0);
    const stays = this.keepMembers || member.reasons.some((reason) => reason !== 'left');
    if (xp === 0 && !stays) this.guild.remove([id]);
    else Object.assign(member, { xp, level: undefined });
  }
}

/** A client whose calls wait until a test lets them go on one by one. */
export class SteppedClient implements ScriptClient {
  private waiting: { run(): Promise<void>; fail(error: Error): void } | undefined;
  private arrived: () => void = () => {};
  private isKilled = false;

  /** @param season is told of each call with its reply. */
  constructor(
    private readonly client: ScriptClient,
    private readonly season: SeasonModel,
  ) {}

  evalsha(): Promise<unknown> {
    return Promise.reject(new Error('NOSCRIPT each call is sent with its source, which names the script'));
  }

  eval(source: string, count: number, ...rest: (string | number)[]): Promise<unknown> {
    if (this.isKilled) return Promise.reject(new Error('killed'));
    return new Promise((resolve, reject) => {
      const run = async () => {
        const [script, args] = [/^-- (\S+):/.exec(source)?.[1] ?? '', rest.slice(count).map(String)];
        const reply = this.client.eval(source, count, ...rest);
        await reply.then((value) => this.season.follow(script, args, value)).catch(() => {});
        await reply.then(resolve, reject);
      };
      this.waiting = { run, fail: reject };
      this.arrived();
    });
  }

  /** Lets one call run, when there is one or comes one, or the work ends. */
  async step(work: Promise<unknown>): Promise<void> {
    await (await this.next(work))?.run();
  }

  /** Fails the next call, when there is one or comes one, and all after it. */
  async kill(work: Promise<unknown>): Promise<void> {
    const call = await this.next(work);
    this.isKilled = true;
    call?.fail(new Error('killed'));
    await work.catch(() => {});
  }

  private async next(work: Promise<unknown>) {
    if (!this.waiting) {
      const arrival = new Promise<void>((resolve) => {
        this.arrived = resolve;
      });
      await Promise.race([arrival, work.catch(() => {})]);
    }
    const call = this.waiting;
    this.waiting = undefined;
    return call;
  }
}
