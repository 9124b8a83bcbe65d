import type { ContenderName } from '../contenders.ts';
import { atMost, figure, type Goal, tableLines } from '../table.ts';
import type { SectionOptions, SectionResult } from './section.ts';

/** Redis memory of one guild, all its keys together. */
export interface Memory {
  /** Profile fields of each member. */
  readonly content: string;
  readonly members: number;
  readonly bytesPerMember: number;
}

/** Medians over the rounds for one page of one guild. */
export interface ScaleCell {
  readonly service: ContenderName;
  readonly members: number;
  readonly page: 'first' | 'last';
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
  readonly redisCpuUs: number;
  readonly failed: number;
}

const MEMORY_GOAL = 330;

/** Returns the table from the smallest guild to the largest, and the goals for how flat it is. */
export function scaleResult(
  cells: readonly ScaleCell[],
  memory: readonly Memory[],
  { seconds, rounds }: SectionOptions,
): SectionResult {
  return {
    data: { seconds, rounds, cells, memory },
    lines: [
      'one connection, one page requested again and again; CPU µs a request',
      ...tableLines(
        ['', 'members', 'page', 'p50 ms', 'p99 ms', 'CPU', 'CPU of Redis', 'failed'],
        cells.map(({ service, members, page, p50Ms, p99Ms, cpuUs, redisCpuUs, failed }) => [
          service,
          figure(members),
          page,
          figure(p50Ms),
          figure(p99Ms),
          figure(cpuUs),
          figure(redisCpuUs),
          String(failed),
        ]),
      ),
      '',
      ...tableLines(
        ['Redis memory', 'members', 'bytes a member'],
        memory.map(({ content, members, bytesPerMember }) => [content, figure(members), figure(bytesPerMember)]),
      ),
    ],
    goals: goalsOf(cells, memory),
  };
}

function goalsOf(cells: readonly ScaleCell[], memory: readonly Memory[]): Goal[] {
  const sizes = cells.map(({ members }) => members);
  const [smallest, largest] = [Math.min(...sizes), Math.max(...sizes)];
  const goals: Goal[] = [];
  for (const service of new Set(cells.map((cell) => cell.service))) {
    const of = (members: number, page: 'first' | 'last') =>
      cells.find((cell) => cell.service === service && cell.members === members && cell.page === page) as ScaleCell;
    const cost = ({ cpuUs, redisCpuUs }: ScaleCell) => cpuUs + redisCpuUs;
    const name = `(${service}, ${figure(largest)} members)`;
    goals.push(
      atMost(`last page over first page, p50 ${name}`, of(largest, 'last').p50Ms / of(largest, 'first').p50Ms, 1.3),
      atMost(
        `CPU over that of ${figure(smallest)} ${name}`,
        cost(of(largest, 'first')) / cost(of(smallest, 'first')),
        1.3,
      ),
    );
  }
  // The largest guild, where the fill of Redis's hash tables, which double, matters least.
  const ofLargest = memory.filter(({ members }) => members === largest);
  return [
    ...goals,
    ...ofLargest.map(({ content, bytesPerMember }) =>
      atMost(`bytes a member in Redis (${content}, ${figure(largest)} members)`, bytesPerMember, MEMORY_GOAL),
    ),
  ];
}
