import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scalingLines } from '../../../scripts/bench/scaling.ts';
import { dataBytes, FIGURES, LIMITS, lookUpShare, planFor } from '../../../scripts/bench/scaling-model.ts';

describe('the model of docs/scaling.md', () => {
  const demand = { guilds: 1000, members: 1_000_000, requestsPerS: 1000, writesPerS: 100 };

  it('prints the tables that the document has', () => {
    const text = readFileSync(new URL('../../../docs/scaling.md', import.meta.url), 'utf8');
    expect(text).toContain(`\`\`\`\n${scalingLines().join('\n')}\n\`\`\``);
  });

  it('counts the memory of guilds and members', () => {
    expect(dataBytes(demand)).toBe(1000 * FIGURES.guildBytes + 1_000_000 * FIGURES.memberBytes);
    expect(dataBytes({ guilds: 1000, members: 10_000 })).toBe(
      1000 * FIGURES.guildBytes + 10_000 * FIGURES.smallMemberBytes,
    );
  });

  it('needs as many masters as memory or CPU asks for', () => {
    expect(planFor(demand)).toMatchObject({ masters: 1, processes: expect.any(Number) });
    const much = planFor({ ...demand, members: 1e9 });
    expect(much).toMatchObject({ masters: Math.ceil(much.dataBytes / LIMITS.masterBytes), by: 'memory' });
    const busy = planFor({ ...demand, requestsPerS: 1e6 });
    expect(busy.by).toBe('CPU');
    expect(busy.masters).toBeGreaterThanOrEqual(Math.ceil((1e6 * FIGURES.redisUs.request) / 1e6 / LIMITS.busy));
  });

  it('looks an API key up more often with more processes and fewer requests', () => {
    const share = lookUpShare(1000, 1000, 1);
    expect(share).toBeGreaterThan(0);
    expect(lookUpShare(1000, 1000, 10)).toBeGreaterThan(share);
    expect(lookUpShare(1000, 10_000, 1)).toBeLessThan(share);
    // One guild, one request in five seconds: each second request on average finds it.
    expect(lookUpShare(1, 0.2, 1)).toBeCloseTo(0.5);
  });
});
