import { Counter, type Registry } from 'prom-client';

/** Registers the counter of connections that a limit refused or cut, by reason. @returns a function that counts one. */
export function registerCuts(registry: Registry): (reason: 'connections' | 'pipelined' | 'stalled') => void {
  const cuts = new Counter({
    name: 'guildrank_connections_cut_total',
    help: 'Connections that a limit refused or cut, by reason',
    labelNames: ['reason'],
    registers: [registry],
  });
  // A series that begins with its first event hides this event from a rate.
  for (const reason of ['connections', 'pipelined', 'stalled'] as const) cuts.inc({ reason }, 0);
  return (reason) => cuts.inc({ reason });
}
