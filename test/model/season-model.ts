import type { GuildModel, ModelMember } from './guild-model.ts';

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
