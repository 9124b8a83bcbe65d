// Prints the tables of docs/scaling.md: `node --import tsx scripts/bench/scaling.ts`.
import { type Demand, planFor } from './scaling-model.ts';
import { figure, percent, tableLines } from './table.ts';

const DEMANDS: readonly Demand[] = [3, 4, 5, 6].map((power) => ({
  guilds: 10 ** power,
  members: 10 ** (power + 3),
  requestsPerS: 10 ** power,
  writesPerS: 10 ** (power - 1),
}));

/** Returns the tables of docs/scaling.md. */
export function scalingLines(): string[] {
  const plans = DEMANDS.map((demand) => ({ ...demand, ...planFor(demand) }));
  const machines = plans.map((plan) => [
    figure(plan.guilds),
    figure(plan.members),
    figure(plan.requestsPerS),
    figure(plan.dataBytes / 1e9),
    `${plan.masters} by ${plan.by}`,
    figure(plan.processes),
    figure(plan.connectionsPerMaster),
    figure(plan.price),
  ]);
  const pressure = plans.map((plan) => {
    const routed = planFor({ ...plan, isRouted: true });
    return [
      figure(plan.guilds),
      percent(plan.lookUps),
      `${percent(routed.lookUps)}, ${routed.masters}, ${routed.processes}`,
      figure(plan.guildsPerSlot),
      figure(plan.hottest),
      figure(plan.guildLimit),
    ];
  });
  return [
    ...tableLines(
      ['guilds', 'members', 'requests/s', 'data GB', 'masters', 'processes', 'connections of a master', 'price'],
      machines,
    ),
    '',
    ...tableLines(
      ['guilds', 'look-ups', 'routed by guild', 'guilds a slot', 'hottest guild/s', 'limit of a guild'],
      pressure,
    ),
  ];
}

if (process.argv[1] === import.meta.filename) process.stdout.write(`${scalingLines().join('\n')}\n`);
