import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startChild } from '../../scripts/dev/child-process.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { generateMembers } from '../../src/imports/generate.ts';
import { byRank } from '../../src/imports/top-members.ts';
import { createWriter } from '../../src/kit/writer.ts';
import { runCommand } from '../support/command.ts';
import { nodeArguments } from '../support/entry.ts';
import { expectSameGuild, fillGuild, guildContent, startRandomBot } from '../support/guild-content.ts';
import { needs } from '../support/needs.ts';
import { repository } from '../support/run-command.ts';
import { realStore, type TestStore } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';

const READY = { ...PATIENT, timeout: 60_000 };
const MEMBERS = 3000;
/** No command of an export or an import may take longer in Redis. */
const BLOCKED_MS = 20;
const MOST_ROUNDS = 20;
const XP = 'gr:{g}:xp';
const STAGED = 'gr:{g}:next:xp';

describe('a command that is killed or suspended', { ...needs('redis-server'), timeout: 180_000 }, () => {
  let stores: TestStore[];
  let from: Core;
  let to: Core;
  const cleanUps: (() => unknown)[] = [];
  beforeEach(async () => {
    stores = await Promise.all([realStore.start(), realStore.start()]);
    [from, to] = stores.map(({ client }) => openCore(client, 'gr')) as [Core, Core];
  });
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
    await Promise.all(stores.map((store) => store.stop()));
  });

  const urlOf = (store: 0 | 1) => stores[store]?.url as string;
  /** Starts a command as a process, on the first or the second Redis. */
  function start(store: 0 | 1, ...args: string[]) {
    const child = startChild(process.execPath, nodeArguments(['src/cli/main.ts', ...args]), {
      cwd: repository,
      env: { ...process.env, REDIS_URL: urlOf(store) },
      stdin: 'pipe',
    });
    child.child.stdin?.on('error', () => {}); // It can end before it has read everything.
    cleanUps.push(child.stop);
    return child;
  }
  const seed = (...args: string[]) => runCommand('seed', ['--guild', 'g', ...args], { REDIS_URL: urlOf(0) });
  const count = (key: string) => from.client.zcard(key);
  const exact = async (store = from) => (await store.counters.check('g')).exact;
  const leftovers = () => from.client.keys('gr:{g}:next:*');

  it('a suspended seed --replace is refused after another seed took over, and changes nothing', async () => {
    await seed('--generate', '100');
    const suspended = start(0, 'seed', '--guild', 'g', '--generate', '2000000', '--replace');
    await expect.poll(() => count(STAGED), READY).toBeGreaterThan(2000);
    suspended.kill('SIGSTOP');
    // Redis has done all that it sent before. Its lock runs out now.
    await from.client.del('gr:{g}:next:xp:lock');
    expect(await seed('--generate', '3000', '--random-seed', 'second', '--replace')).toMatchObject({ code: 0 });
    suspended.kill('SIGCONT');
    expect(await suspended.waitForEnd(60_000)).toMatchObject({ code: 1 });
    expect(suspended.stderr()).toContain('Another command has taken over the guild');
    const rows = [...generateMembers(3000, 'second')].sort(byRank).flatMap(({ userId, xp }) => [userId, String(xp)]);
    expect(await from.client.zrevrange(XP, 0, -1, 'WITHSCORES')).toEqual(rows);
    expect(await exact()).toBe(true);
    expect(await leftovers()).toEqual([]);
  });

  it('a killed seed leaves exact counters, and the next --replace clears its staged members', async () => {
    await seed('--generate', '100');
    for (const [mode, key] of [
      ['--strict', XP],
      ['--replace', STAGED],
    ] as const) {
      const killed = start(0, 'seed', '--guild', 'g', '--generate', '5000000', mode);
      await expect.poll(() => count(key), READY).toBeGreaterThan(1500);
      await killed.stop();
      // The lock of a killed --replace is still there, as if it were running. It would expire after ten seconds.
      await from.client.persist('gr:{g}:next:xp:lock');
      expect(await exact()).toBe(true);
    }
    expect(await count(STAGED)).toBeGreaterThan(1500);
    expect(await seed('--generate', '50', '--replace')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(
        'error: An import, a deletion or the end of a season is running for guild g, or was killed',
      ),
    });
    await from.client.del('gr:{g}:next:xp:lock');
    expect(await seed('--generate', '50', '--replace')).toMatchObject({ code: 0 });
    expect(await count(XP)).toBe(50);
    expect(await leftovers()).toEqual([]);
    expect(await exact()).toBe(true);
  });

  /** Starts `guild export` and `guild import`, the output of the first being the input of the second, as in a shell. */
  function startMove(...options: string[]) {
    const source = start(0, 'guild', 'export', '--guild', 'g', ...options);
    const target = start(1, 'guild', 'import');
    source.child.stdout?.pipe(target.child.stdin as NodeJS.WritableStream);
    // In a shell both share one pipe.
    void target.ended.then(() => source.child.stdout?.destroy());
    return { source, target };
  }
  const content = ({ client, counters }: Core) => guildContent(client, counters);

  it('a killed guild export or import leaves no half guild behind: both run again, and all is exact', async () => {
    await fillGuild(from, MEMBERS);
    const stop = startRandomBot(from.client, MEMBERS);
    cleanUps.push(stop);
    for (const killed of ['target', 'source'] as const) {
      const both = startMove();
      // An import clears from the lowest XP on. Without `last`, all members are of this round.
      await expect.poll(() => to.client.zscore(XP, 'last'), READY).toBeNull();
      await expect.poll(() => to.client.zcard(XP), READY).toBeGreaterThan(500);
      both[killed].kill('SIGKILL');
      const other = both[killed === 'target' ? 'source' : 'target'];
      expect(await other.waitForEnd(60_000)).toMatchObject({ code: 1 });
      expect(other.stderr()).toContain(
        killed === 'target'
          ? 'The program that reads the stream has ended'
          : 'The stream ended before the guild was complete',
      );
      expect(other.stderr()).toContain(': run "guild export" and "guild import" again');
      await to.client.zadd(XP, '+inf', 'last');
      await createWriter(from.client).remove('g', await from.client.zrange(XP, 0, 9));
      // It would expire after ten seconds.
      await to.client.del('gr:{g}:next:xp:lock');
    }
    await stop();
    const { source, target } = startMove('--paused');
    expect(await target.waitForEnd(60_000), target.stderr()).toMatchObject({ code: 0 });
    expect(await source.waitForEnd(60_000), source.stderr()).toMatchObject({ code: 0 });
    expectSameGuild(await content(to), await content(from));
  });

  it(`guild export and import hold up neither Redis for ${BLOCKED_MS} ms`, async () => {
    await fillGuild(from, 5000);
    let slow: unknown[][] = [];
    // The machine only adds to the time of a command: a command that takes too long by itself does so in every round.
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const clients = [from.client, to.client] as Redis[];
      await stores[1]?.empty();
      for (const client of clients) {
        await client.config('SET', 'slowlog-log-slower-than', String(BLOCKED_MS * 1000));
        await client.slowlog('RESET');
      }
      const { target } = startMove('--paused');
      expect(await target.waitForEnd(60_000), target.stderr()).toMatchObject({ code: 0 });
      slow = (await Promise.all(clients.map((client) => client.slowlog('GET', 10)))).flat() as unknown[][];
      if (slow.length === 0) break;
    }
    expect(slow.map(([, , micros, command]) => `${String(micros)} µs: ${String(command).slice(0, 60)}`)).toEqual([]);
  });
});
