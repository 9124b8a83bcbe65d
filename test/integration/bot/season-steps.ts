import type { ScriptClient } from '../../../src/store/scripts.ts';
import type { BotModel } from '../../support/bot-model.ts';

/** What a season's end has done so far, in a naive model that follows its script calls one by one. */
export class SeasonModel {
  private readonly marks = new Map<string, number>();
  private isCopied = false;

  constructor(
    private readonly guild: BotModel,
    private readonly archive: BotModel,
    private readonly keepMembers: boolean,
  ) {}

  /** Follows one call by its reply: `script` is its name, `args` are its arguments. */
  follow(script: string, [mode, , count]: readonly string[], reply: unknown): void {
    if (script !== 'season' || !Array.isArray(reply) || reply[0] !== 'OK') return;
    if (mode === 'mark') for (const row of reply.slice(2)) this.mark(row.split('\n', 1)[0]);
    if (mode === 'reset') for (const id of this.firstMarks(Number(count))) this.reset(id);
    if (mode !== 'copied' || this.isCopied) return;
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
    this.archive.members.set(id, { ...member });
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
  private waiting: (() => Promise<void>) | undefined;
  private arrived: () => void = () => {};

  /** @param season is told of each call with its reply. */
  constructor(
    private readonly client: ScriptClient,
    private readonly season: () => SeasonModel | undefined,
  ) {}

  evalsha(): Promise<unknown> {
    return Promise.reject(new Error('NOSCRIPT each call is sent with its source, which names the script'));
  }

  eval(source: string, count: number, ...rest: (string | number)[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.waiting = async () => {
        const [script, args] = [/^-- (\S+):/.exec(source)?.[1] ?? '', rest.slice(count).map(String)];
        const reply = this.client.eval(source, count, ...rest);
        await reply.then((value) => this.season()?.follow(script, args, value)).catch(() => {});
        await reply.then(resolve, reject);
      };
      this.arrived();
    });
  }

  /** Lets one call run, when there is one or comes one, or the work ends. */
  async step(work: Promise<unknown>): Promise<void> {
    if (!this.waiting) {
      const arrival = new Promise<void>((resolve) => {
        this.arrived = resolve;
      });
      await Promise.race([arrival, work.catch(() => {})]);
    }
    const run = this.waiting;
    this.waiting = undefined;
    await run?.();
  }
}
