import { seedGuilds, sizesFor, startWrites, userIdOf, XP_WRITES_PER_S } from '../data.ts';
import { measure } from '../measure.ts';
import { DISTINCT_REQUESTS, mixOf, requestBytes } from '../mix.ts';
import { residentBytes } from '../processes.ts';
import { startContender } from '../start-contender.ts';
import { atMost, figure, median, tableLines } from '../table.ts';
import { logProgress } from '../terminal.ts';
import { openTestbed } from '../testbed.ts';
import { CONNECTIONS } from './mix-rounds.ts';
import type { SectionOptions, SectionResult } from './section.ts';

const REQUESTS = 1_000_000;
/** Largest ratio of the last third to the middle third that counts as flat: the size of a heap varies. */
const GROWTH_TOLERATED = 1.1;
/** Part of the requests after which growth is measured: caches and heap fill first. */
const SETTLED_AFTER = 1 / 3;

/** Measures the resident memory of the service over a million requests of the mix. */
export async function runMemory(options: SectionOptions): Promise<SectionResult> {
  const wanted = options.small ? REQUESTS / 10 : REQUESTS;
  const testbed = await openTestbed(options);
  const service = await startContender(testbed, 'guildrank');
  try {
    const guilds = await seedGuilds(testbed.store, sizesFor(options.small));
    const requests = mixOf(guilds, userIdOf, DISTINCT_REQUESTS, 2).map(requestBytes);
    const writes = startWrites(testbed.store, guilds, XP_WRITES_PER_S);
    const readings = [{ requests: 0, bytes: residentBytes(service.pid) }];
    let answered = 0;
    while (answered < wanted) {
      logProgress(`memory: ${answered.toLocaleString('en-US')} requests so far`);
      const sample = await measure(testbed, service, {
        requests,
        from: answered,
        connections: CONNECTIONS,
        seconds: 2,
      });
      if (sample.answered === 0) throw new Error(`The service answers nothing: ${JSON.stringify(sample.failures)}`);
      answered += sample.answered;
      readings.push({ requests: answered, bytes: residentBytes(service.pid) });
    }
    await writes.stop();
    return memoryResult(readings);
  } finally {
    await service.stop();
    await testbed.close();
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
