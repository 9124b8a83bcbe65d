import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningChild, startChild } from '../../scripts/dev/child-process.ts';
import { type Services, servicesOn } from '../../src/cli/services.ts';
import { createWriter } from '../../src/writer.ts';
import { CONCLUSIVE, untilConclusive } from '../support/conclusive.ts';
import { expectSameGuild, fillGuild, guildContent, startRandomBot } from '../support/guild-content.ts';
import { watchLag } from '../support/lag.ts';
import { scriptArguments } from '../support/npm-script.ts';
import { repository } from '../support/run-command.ts';
import { hasRedis, realStore, type TestStore } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';

const MEMBERS = 3000;
const READY = { ...PATIENT, timeout: 60_000 };
const BLOCKED_MS = 20;

describe.skipIf(!hasRedis)('guild export and import', { timeout: 180_000 }, () => {
  let stores: TestStore[];
  let from: Services;
  let to: Services;
  let children: RunningChild[];
  let bots: (() => Promise<number>)[];
  beforeAll(async () => {
    stores = await Promise.all([realStore.start(), realStore.start()]);
    [from, to] = stores.map(({ client }) => servicesOn(client, 'gr', ['free', 'pro'])) as [Services, Services];
  });
  afterAll(() => Promise.all(stores.map((store) => store.stop())));
  beforeEach(async ({ onTestFinished }) => {
    await Promise.all(stores.map((store) => store.empty()));
    children = [];
    bots = [];
    onTestFinished(async () => {
      await Promise.all([...children.map((child) => child.stop()), ...bots.map((stop) => stop())]);
    });
  });

  /** Starts a command on the first or the second Redis. */
  function start(store: 0 | 1, ...args: string[]): RunningChild {
    const env = { ...process.env, REDIS_URL: stores[store]?.url };
    const child = startChild(process.execPath, [...scriptArguments('guild'), ...args], {
      ...{ cwd: repository, env, stdin: 'pipe' },
    });
    child.child.stdin?.on('error', () => {}); // It can end before it has read everything.
    children.push(child);
    return child;
  }
  /** Starts both commands, the output of the first being the input of the second. */
  function startMove(...options: string[]): { source: RunningChild; target: RunningChild } {
    const [source, target] = [start(0, 'export', 'g', ...options), start(1, 'import')];
    source.child.stdout?.pipe(target.child.stdin as NodeJS.WritableStream);
    // In a shell both share one pipe.
    void target.ended.then(() => source.child.stdout?.destroy());
    return { source, target };
  }
  async function import_(input: string): Promise<string> {
    const target = start(1, 'import');
    target.child.stdin?.end(input);
    await target.waitForEnd(60_000);
    return target.output();
  }

  const content = ({ client, audit }: Services) => guildContent(client, audit);
  const fill = (members = MEMBERS) => fillGuild(from, members);
  function startBot(client = from.client): () => Promise<number> {
    const stop = startRandomBot(client, MEMBERS);
    bots.push(stop);
    return stop;
  }

  it('move all of a guild, beside a bot that writes until the command asks for the pause', async () => {
    await fill();
    const stop = startBot();
    const { source, target } = startMove();
    await source.waitForOutput('the pause', () => source.stderr().includes('press Enter'), 60_000);
    expect(source.stderr()).toMatch(
      /^Copied \d+ members\. Stop the bot of guild g, .*: the rest takes \d+ to \d+ s\.$/m,
    );
    // What was copied may still be in the pipe.
    await expect.poll(() => to.client.hget('gr:{g}:stats', 'importing'), READY).toBe('1');
    const writes = await stop();
    source.child.stdin?.write('\n');
    expect(await source.waitForEnd(60_000), source.stderr()).toMatchObject({ code: 0 });
    expect(await target.waitForEnd(60_000), target.stderr()).toMatchObject({ code: 0 });
    expect(writes).toBeGreaterThan(50);
    const moved = await content(to);
    expectSameGuild(moved, await content(from));
    expect(target.stdout()).toContain(`Stored guild g: ${moved.profiles.length} members, `);
    const revs = await Promise.all([from, to].map(({ client }) => client.hget('gr:{g}:stats', 'rev')));
    expect(Number(revs[1])).toBeGreaterThan(Number(revs[0]));
    // The bot goes on with the other Redis.
    const stopAgain = startBot(to.client);
    await expect
      .poll(async () => Number(await to.client.hget('gr:{g}:stats', 'rev')), READY)
      .toBeGreaterThan(Number(revs[1]));
    await stopAgain();
    expect((await content(to)).exact).toBe(true);
  });

  it('leave no half guild behind when either is killed: both run again, and all is exact', async () => {
    await fill();
    const stop = startBot();
    for (const killed of ['target', 'source'] as const) {
      const both = startMove();
      // An import clears from the lowest XP on. Without `last`, all members are of this round.
      await expect.poll(() => to.client.zscore('gr:{g}:xp', 'last'), READY).toBeNull();
      await expect.poll(() => to.client.zcard('gr:{g}:xp'), READY).toBeGreaterThan(500);
      both[killed].kill('SIGKILL');
      const other = both[killed === 'target' ? 'source' : 'target'];
      expect(await other.waitForEnd(60_000)).toMatchObject({ code: 1 });
      expect(other.stderr()).toContain(
        killed === 'target' ? 'The reader of the stream is gone' : 'The stream ended before the guild was complete',
      );
      expect(other.stderr()).toContain(': run export and import again');
      await to.client.zadd('gr:{g}:xp', '+inf', 'last');
      const members = await from.client.zrange('gr:{g}:xp', 0, 9);
      await createWriter(from.client).remove('g', members);
      // It would expire after ten seconds.
      await to.client.del('gr:{g}:next:xp:lock');
    }
    await stop();
    const { source, target } = startMove('--paused');
    expect(await target.waitForEnd(60_000), target.stderr()).toMatchObject({ code: 0 });
    expect(await source.waitForEnd(60_000), source.stderr()).toMatchObject({ code: 0 });
    expectSameGuild(await content(to), await content(from));
  });

  it('refuse what is not right, and say what to do', async () => {
    for (const input of ['', '{"format":"other"}\n', 'text'])
      expect(await import_(input)).toContain('There is no output of "guild export" of this version on standard input');
    const nothing = start(0, 'export', 'g', '--paused');
    await nothing.waitForEnd(60_000);
    expect(nothing.stderr()).toBe('error: Nothing is stored of guild g\n');

    await fill(10);
    const unasked = start(0, 'export', 'g');
    unasked.child.stdin?.end();
    await unasked.waitForEnd(60_000);
    expect(unasked.stderr()).toContain('Nothing says on standard input that the bot is stopped');

    await from.client.set('gr:{g}:next:xp:lock', 'other', 'PX', 60_000);
    const busy = start(0, 'export', 'g', '--paused');
    await busy.waitForEnd(60_000);
    expect(busy.stderr()).toContain('is not done: finish it first');
    await from.client.del('gr:{g}:next:xp:lock');

    const whole = start(0, 'export', 'g', '--paused');
    await whole.waitForEnd(60_000);
    const stream = whole.stdout();
    const lines = stream.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    const unfinished = `${lines.slice(0, -1).join('\n')}\n`;
    for (const input of [unfinished, unfinished.slice(0, -10)]) {
      expect(await import_(input)).toContain(
        'The stream ended before the guild was complete: run export and import again',
      );
      await to.client.del('gr:{g}:next:xp:lock');
    }
    await stores[1]?.empty();
    await to.writer.record('g', { userId: 'own', set: 5 });
    expect(await import_(stream)).toContain('this Redis has data of the guild already');
    expect(await to.client.zrange('gr:{g}:xp', 0, -1)).toEqual(['own']);
    await stores[1]?.empty();

    const slow = start(1, 'import');
    slow.child.stdin?.write(`${lines.slice(0, 2).join('\n')}\n`);
    await expect.poll(() => to.client.zcard('gr:{g}:xp'), READY).toBeGreaterThan(0);
    expect(await import_(stream)).toContain('is running, or was killed a moment ago: try again in 10 s');
    await to.writer.record('g', { userId: 'early', set: 5 });
    slow.child.stdin?.write(`${lines.slice(2).join('\n')}\n`);
    await slow.waitForEnd(60_000);
    expect(slow.stderr()).toContain('something else wrote to the guild during the import');
    await to.client.del('gr:{g}:next:xp:lock');
    expect(await import_(stream)).toContain('Stored guild g: 10 members, 3 of them hidden, and 1 API keys.');
    expectSameGuild(await content(to), await content(from));
    await from.client.hset('gr:{g}:stats', 'model', '3');
    const newer = start(0, 'export', 'g', '--paused');
    await newer.waitForEnd(60_000);
    await stores[1]?.empty();
    expect(await import_(newer.stdout())).toContain('has data of version 3, this program knows version 2: update it');
  });

  it(`hold up neither Redis for ${BLOCKED_MS} ms`, CONCLUSIVE, async () => {
    await fill(5000);
    await untilConclusive('guild export and import', async () => {
      const clients = [from.client, to.client] as Redis[];
      await stores[1]?.empty();
      for (const client of clients) {
        await client.config('SET', 'slowlog-log-slower-than', String(BLOCKED_MS * 1000));
        await client.slowlog('RESET');
      }
      const lag = watchLag();
      const { target } = startMove('--paused');
      expect(await target.waitForEnd(60_000), target.stderr()).toMatchObject({ code: 0 });
      const worst = lag.take();
      lag.stop();
      const slow = (await Promise.all(clients.map((client) => client.slowlog('GET', 10)))).flat() as unknown[][];
      const broken = slow.map(([, , micros, command]) => `${String(micros)} µs: ${String(command).slice(0, 60)}`);
      return { broken, noise: worst > BLOCKED_MS ? `this process waited ${Math.round(worst)} ms` : undefined };
    });
  });
});
