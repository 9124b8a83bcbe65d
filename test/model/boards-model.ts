import type { BoardName, Boards } from './guild-model.ts';

/** The XP that members have gained in a week or a month, and in the one before: each by user id. */
interface Gains {
  period: string;
  present: Map<string, number>;
  last: Map<string, number>;
}

/** A naive model of the boards of a guild, by a clock that does not go back. */
export class BoardsModel implements Boards {
  private readonly gains: Record<'week' | 'month', Gains>;

  constructor(
    private readonly offsetMinutes: number,
    nowMs: number,
  ) {
    const begun = (kind: 'week' | 'month') => ({
      period: this.periodOf(kind, nowMs),
      present: new Map<string, number>(),
      last: new Map<string, number>(),
    });
    this.gains = { week: begun('week'), month: begun('month') };
  }

  gain(id: string, amount: number, nowMs: number): void {
    for (const kind of ['week', 'month'] as const) {
      this.gains[kind] = this.at(kind, nowMs);
      const { present } = this.gains[kind];
      present.set(id, Math.max((present.get(id) ?? 0) + amount, 0));
    }
  }

  forget(id: string): void {
    for (const { present, last } of Object.values(this.gains)) for (const board of [present, last]) board.delete(id);
  }

  clear(): void {
    for (const { present, last } of Object.values(this.gains)) for (const board of [present, last]) board.clear();
  }

  /** Returns who has gained something: user id and XP. */
  board(name: BoardName, nowMs: number): [string, number][] {
    const { present, last } = this.at(name.startsWith('week') ? 'week' : 'month', nowMs);
    return [...(name.endsWith('.prev') ? last : present)].filter(([, xp]) => xp > 0);
  }

  private at(kind: 'week' | 'month', nowMs: number): Gains {
    const gains = this.gains[kind];
    const period = this.periodOf(kind, nowMs);
    if (period === gains.period) return gains;
    const isNext = this.periodBefore(kind, nowMs) === gains.period;
    return { period, last: isNext ? gains.present : new Map(), present: new Map() };
  }

  private periodBefore(kind: 'week' | 'month', nowMs: number): string {
    const day = new Date(nowMs + this.offsetMinutes * 60_000);
    const before = kind === 'week' ? 7 : day.getUTCDate();
    return this.periodOf(kind, nowMs - before * 86_400_000);
  }

  /** Names the month, or the Monday of the week. */
  private periodOf(kind: 'week' | 'month', nowMs: number): string {
    const day = new Date(nowMs + this.offsetMinutes * 60_000);
    if (kind === 'month') return day.toISOString().slice(0, 7);
    day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
    return day.toISOString().slice(0, 10);
  }
}
