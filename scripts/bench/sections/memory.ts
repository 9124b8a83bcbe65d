import { startContender } from '../contenders.ts';
import { seedGuild, sizesFor, startWrites, userIdOf } from '../data.ts';
import { measure } from '../measure.ts';
import { type LoadedGuild, mixOf, requestBytes } from '../mix.ts';
import { residentBytes } from '../processes.ts';
import { openStage } from '../stage.ts';
import { atMost, figure, median, tableLines } from '../table.ts';
import { logProgress } from '../terminal.ts';
import type { SectionOptions, SectionResult } from './section.ts';

const REQUESTS = 1_000_000;
const CONNECTIONS = 64;
const XP_WRITES_PER_S = 500;
const DISTINCT_REQUESTS = 200_000;
/** A garbage-collected heap breathes: flat is when the last third does not stand above the middle one. */
const GROWTH_TOLERATED = 1.1;
/** The cache and the heap's own sizing fill up first; growth is looked for after this many requests. */
const SETTLED_AFTER = 1 / 3;

/** Resident memory of the service over a million requests of the mix. */
export async function runMemory(options: SectionOptions): Promise<SectionResult> {
  const wanted = options.small ? REQUESTS / 10 : REQUESTS;
  const stage = await openStage(options.pinning);
  const service = await startContender(stage, 'guildrank');
  try {
    const guilds: LoadedGuild[] = [];
    for (const [index, members] of sizesFor(options.small).entries()) {
      guilds.push(await seedGuild(stage.store, index, members));
    }
    const requests = mixOf(guilds, userIdOf, DISTINCT_REQUESTS, 2).map(requestBytes);
    const writes = startWrites(stage.store, guilds, XP_WRITES_PER_S);
    const readings = [{ requests: 0, bytes: residentBytes(service.pid) }];
    let answered = 0;
    while (answered < wanted) {
      logProgress(`memory: ${answered.toLocaleString('en-US')} requests so far`);
      const sample = await measure(stage, service, { requests, from: answered, connections: CONNECTIONS, seconds: 2 });
      if (sample.answered === 0) throw new Error(`The service answers nothing: ${JSON.stringify(sample.failures)}`);
      answered += sample.answered;
      readings.push({ requests: answered, bytes: residentBytes(service.pid) });
    }
    await writes.stop();
    return memoryResult(readings);
  } finally {
    await service.stop();
    await stage.close();
  }
}

function memoryResult(readings: readonly { readonly requests: number; readonly bytes: number }[]): SectionResult {
  const total = readings.at(-1)?.requests ?? 0;
  const between = (from: number, to: number) =>
    median(
      readings.filter(({ requests }) => requests > from * total && requests <= to * total).map(({ bytes }) => bytes),
    );
  const parts = {
    start: readings[0]?.bytes ?? Number.NaN,
    middle: between(SETTLED_AFTER, 2 / 3),
    end: between(2 / 3, 1),
  };
  return {
    data: { requests: total, ...parts, readings },
    lines: tableLines(
      ['resident memory', 'MB'],
      [
        ['before the first request', figure(parts.start / 1e6)],
        [`median of the middle third of ${figure(total)} requests`, figure(parts.middle / 1e6)],
        ['median of the last third', figure(parts.end / 1e6)],
      ],
    ),
    goals: [atMost('memory of the last third over the middle third', parts.end / parts.middle, GROWTH_TOLERATED)],
  };
}
