import type { Corrected, Correction, Undone, UndoObstacle } from '../../src/core/members/correct.ts';
import { BoardsModel } from './boards-model.ts';
import { GuildModel, type ModelMember } from './guild-model.ts';

/** Returns the XP that a correction asks for, even less than none. */
function wantedXp(before: number, correction: NonNullable<Correction['xp']>): number {
  if ('set' in correction) return correction.set;
  return 'add' in correction ? before + correction.add : before - correction.take;
}

/** The model of a guild whose members are corrected, with the corrections that can be undone. */
export class CorrectionsModel {
  readonly guild = new GuildModel();
  private readonly corrections = new Map<string, { readonly of: Corrected; readonly isGain: boolean }>();
  private readonly undone = new Map<string, Undone>();

  constructor() {
    this.guild.boards = new BoardsModel(0, this.guild.nowMs);
  }

  correct(id: string, { userId, xp, level, username }: Correction): Corrected | null {
    const member = this.guild.members.get(userId);
    if (!member) return null;
    const before = { ...member };
    const levelBefore = this.guild.levelOf(before);
    const isGain = xp !== undefined && !('set' in xp);
    if (xp) this.changeXp(userId, member, wantedXp(before.xp, xp), isGain);
    if (level !== undefined) member.level = level ?? undefined;
    if (username !== undefined) member.username = username ?? undefined;
    const of = {
      userId,
      hidden: member.hidden,
      xpBefore: before.xp,
      levelBefore,
      xp: member.xp,
      level: this.guild.levelOf(member),
      explicitLevel: { before: before.level ?? null, after: member.level ?? null },
      username: { before: before.username ?? null, after: member.username ?? null },
    };
    this.corrections.set(id, { of, isGain });
    return of;
  }

  undo(id: string): Undone | UndoObstacle {
    const correction = this.corrections.get(id);
    if (!correction) return 'gone';
    const known = this.undone.get(id);
    if (known) return known;
    const { of, isGain } = correction;
    const member = this.guild.members.get(of.userId);
    if (!member) return 'missing';
    const xpBefore = member.xp;
    const levelBefore = this.guild.levelOf(member);
    this.changeXp(of.userId, member, member.xp - (of.xp - of.xpBefore), isGain);
    const restore = <T>(now: T | undefined, { before, after }: { before: T | null; after: T | null }) => {
      if (before === after) return ['unchanged', now] as const;
      return (now ?? null) === after ? (['back', before ?? undefined] as const) : (['left', now] as const);
    };
    const [explicitLevel, level] = restore(member.level, of.explicitLevel);
    const [username, name] = restore(member.username, of.username);
    Object.assign(member, { level, username: name });
    const undone = { xpBefore, levelBefore, xp: member.xp, level: this.guild.levelOf(member), explicitLevel, username };
    this.undone.set(id, undone);
    return undone;
  }

  private changeXp(userId: string, member: ModelMember, wanted: number, isGain: boolean): void {
    const xp = Math.max(wanted, 0);
    if (isGain) this.guild.boards?.gain(userId, xp - member.xp, this.guild.nowMs);
    member.xp = xp;
  }
}
