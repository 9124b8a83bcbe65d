import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Core, openCore } from '../../src/core/core.ts';
import { withNoun } from '../../src/core/format-numbers.ts';
import type { MoveLine } from '../../src/core/moves/move-lines.ts';
import { GuildMoveOut } from '../../src/core/moves/move-out.ts';
import { type RunningCommand, startCommand } from '../support/command.ts';
import { expectSameGuild, fillGuild, guildContent, startRandomBot } from '../support/guild-content.ts';
import { needs } from '../support/needs.ts';
import { realStore, type TestStore } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';

const MEMBERS = 1000;
const READY = { ...PATIENT, timeout: 60_000 };

describe('guild export and import', { ...needs('redis-server'), timeout: 180_000 }, () => {
  let stores: TestStore[];
  let from: Core;
  let to: Core;
  let bots: ReturnType<typeof startRandomBot>[];
  beforeAll(async () => {
    stores = await Promise.all([realStore.start(), realStore.start()]);
    [from, to] = stores.map(({ client }) => openCore(client, 'gr')) as [Core, Core];
  });
  afterAll(() => Promise.all(stores.map((store) => store.stop())));
  beforeEach(async ({ onTestFinished }) => {
    await Promise.all(stores.map((store) => store.empty()));
    bots = [];
    onTestFinished(async () => {
      await Promise.all(bots.map((stop) => stop()));
    });
  });

  /** Starts a command on the first or the second Redis. */
  const start = (store: 0 | 1, ...args: string[]): RunningCommand =>
    startCommand('guild', args, { env: { REDIS_URL: stores[store]?.url as string } });
  /** Starts both commands, the output of the first being the input of the second. */
  function startMove(...options: string[]): { source: RunningCommand; target: RunningCommand } {
    const source = start(0, 'export', '--guild', 'g', ...options);
    const target = start(1, 'import');
    source.stdout.forward(target.stdin);
    void source.ended.then(() => target.stdin.end());
    return { source, target };
  }
  async function import_(input: string): Promise<string> {
    const target = start(1, 'import');
    target.stdin.end(input);
    const { stdout, stderr } = await target.ended;
    return stdout + stderr;
  }

  const content = ({ client, counters }: Core) => guildContent(client, counters);
  const fill = (members = MEMBERS) => fillGuild(from, members);
  function startBot(client = from.client) {
    const stop = startRandomBot(client, MEMBERS);
    bots.push(stop);
    return stop;
  }

  /** Returns the ids of the members that whole lines of a stream hold more than once. */
  function writtenTwice(stream: string): string[] {
    const lines = stream.slice(0, stream.lastIndexOf('\n')).split('\n');
    const ids = lines.flatMap((line) => {
      const { members = [] } = JSON.parse(line) as { members?: [userId: string][] };
      return members.map(([userId]) => userId);
    });
    return ids.filter((userId, n) => ids.indexOf(userId) !== n);
  }

  it('export and import move all of a guild, beside a bot that writes until the command asks for the pause', async () => {
    await fill();
    const stop = startBot();
    const { source, target } = startMove();
    await source.waitForOutput(/press Enter/);
    expect(source.stderr.text).toMatch(
      /^Copied [\d,]+ members\. End the bot of guild g, .*: the rest takes \d+ to \d+ s\.$/m,
    );
    // What was copied may still be in the pipe.
    await expect.poll(() => to.client.hget('gr:{g}:stats', 'moving'), READY).toBe('1');
    // A later round of the copy writes a member again that the bot has changed since.
    await expect.poll(() => writtenTwice(source.stdout.text), READY).not.toEqual([]);
    await stop(50);
    source.stdin.write('\n');
    expect(await source.ended).toMatchObject({ code: 0 });
    expect(source.stderr.text).toMatch(
      /The ids of events are not moved: calls that the bot keeps on a disk .* count twice\.$/m,
    );
    expect(await target.ended).toMatchObject({ code: 0 });
    const moved = await content(to);
    expectSameGuild(moved, await content(from));
    expect(target.stdout.text).toContain(`Stored guild g: ${withNoun(moved.profiles.length, 'member')}, `);
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

  /** Makes a guild and moves the guild out, beside a bot that writes once, before the command with this number after the pause. */
  async function moveOutBeside(writeBefore: number) {
    const guild = `g${writeBefore}`;
    await fillGuild(from, 10, guild);
    await from.writer.remove(guild, ['u3', 'u4', 'u5']);
    let commands = Number.NaN;
    const client = new Proxy(from.client, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (name === 'pipeline') return value.bind(target);
        return async (...args: unknown[]) => {
          if (commands++ === writeBefore) await from.writer.record(guild, { userId: 'u1', add: 1000 });
          return value.apply(target, args);
        };
      },
    });
    const members = new Map<string, bigint>();
    let total = '';
    const write = async (line: MoveLine) => {
      if ('members' in line) for (const [id, , xp] of line.members) members.set(id, BigInt(xp ?? 0));
      if ('end' in line) total = line.end.stats[line.end.stats.indexOf('total_xp') + 1] as string;
    };
    const pause = async () => {
      commands = 0;
    };
    const { signal } = new AbortController();
    await new GuildMoveOut({ ...from, client }, guild, { write, pause, signal }).run();
    return { commands, total, sum: String([...members.values()].reduce((sum, xp) => sum + xp, 0n)) };
  }

  it('export and import write members and counters of one moment, whenever the last write of the bot comes', async () => {
    const { commands } = await moveOutBeside(Number.POSITIVE_INFINITY);
    expect(commands).toBeGreaterThan(10);
    // Each waits half a second after the write.
    await Promise.all(
      Array.from({ length: commands }, async (_, before) => {
        const { total, sum } = await moveOutBeside(before);
        expect([before, sum]).toEqual([before, total]);
      }),
    );
  });

  it('a move stores API keys that open the guild of the stream and no other, each in its list', async () => {
    await fill(10);
    const whole = start(0, 'export', '--guild', 'g', '--paused');
    await whole.ended;
    const lines = whole.stdout.text.trimEnd().split('\n');
    const last = JSON.parse(lines.pop() as string);
    const [{ sha256, record }] = last.end.keys;
    const forged = record.map((value: string) => (value === 'g' ? 'victim' : value));
    const streamWith = (key: object) =>
      [
        ...lines,
        JSON.stringify({ end: { ...last.end, keys: [{ id: 'k1', sha256, record: forged, ...key }] } }),
        '',
      ].join('\n');
    expect(await import_(streamWith({}))).toContain('Stored guild g: 10 members');
    expect((await to.apiKeys.list('g')).map(({ id, guildId }) => [id, guildId])).toEqual([['k1', 'g']]);
    expect(await to.apiKeys.find(sha256)).toMatchObject({ id: 'k1', guildId: 'g' });
    await stores[1]?.empty();
    for (const key of [{ sha256: `${sha256}:x` }, { id: 'a b' }, { record: ['guild_id'] }]) {
      expect(await import_(streamWith(key))).toContain('The stream ended before the guild was complete');
      expect(await to.client.keys('gr:key:*')).toEqual([]);
      await to.client.del('gr:{g}:next:xp:lock');
    }
  });

  it('export and import end with exit code 130 on Ctrl-C, and say what to do', async () => {
    await fill();
    const { source, target } = startMove();
    await source.waitForOutput(/press Enter/);
    await expect.poll(() => to.client.hget('gr:{g}:stats', 'moving'), READY).toBe('1');
    // The one waits for Enter, the other for the next line of the stream.
    for (const command of [target, source]) {
      command.stop();
      const { code, stderr } = await command.ended;
      expect([code, stderr]).toEqual([
        130,
        expect.stringMatching(/^Interrupted: run "guild export" and "guild import" again\n$/m),
      ]);
    }
  });

  it('export and import refuse what is not right, and say what to do', async () => {
    for (const input of ['', '{"format":"other"}\n', 'text'])
      expect(await import_(input)).toContain('There is no output of "guild export" of this version on standard input');
    const nothing = start(0, 'export', '--guild', 'g', '--paused');
    await nothing.ended;
    expect(nothing.stderr.text).toBe('error: Guild g has no members: there is nothing to export\n');

    await fill(10);
    const unasked = start(0, 'export', '--guild', 'g');
    unasked.stdin.end();
    await unasked.ended;
    expect(unasked.stderr.text).toContain('Standard input ended before you pressed Enter');

    await from.client.set('gr:{g}:next:xp:lock', 'other');
    const busy = start(0, 'export', '--guild', 'g', '--paused');
    await busy.ended;
    expect(busy.stderr.text).toContain('is not finished for guild');
    await from.client.del('gr:{g}:next:xp:lock');

    const whole = start(0, 'export', '--guild', 'g', '--paused');
    await whole.ended;
    const stream = whole.stdout.text;
    const lines = stream.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    const unfinished = `${lines.slice(0, -1).join('\n')}\n`;
    for (const input of [unfinished, unfinished.slice(0, -10)]) {
      expect(await import_(input)).toContain(
        'The stream ended before the guild was complete: run "guild export" and "guild import" again',
      );
      await to.client.del('gr:{g}:next:xp:lock');
    }
    await stores[1]?.empty();
    await to.writer.record('g', { userId: 'own', set: 5 });
    expect(await import_(stream)).toContain(
      'This Redis already has data of guild g: run "npm run -s guild -- delete --guild g" first',
    );
    expect(await to.client.zrange('gr:{g}:xp', 0, -1)).toEqual(['own']);
    await stores[1]?.empty();

    const slow = start(1, 'import');
    slow.stdin.write(`${lines.slice(0, 2).join('\n')}\n`);
    await expect.poll(() => to.client.zcard('gr:{g}:xp'), READY).toBeGreaterThan(0);
    expect(await import_(stream)).toContain('is running for guild g, or was killed a moment ago: try again in 10 s');
    await to.writer.record('g', { userId: 'early', set: 5 });
    slow.stdin.write(`${lines.slice(2).join('\n')}\n`);
    await slow.ended;
    expect(slow.stderr.text).toContain('Another program, such as the bot, wrote to guild g during the move');
    await to.client.del('gr:{g}:next:xp:lock');
    expect(await import_(stream)).toContain('run "npm run -s guild -- delete --guild g" first, if you do not need it');
    await stores[1]?.empty();
    expect(await import_(stream)).toContain('Stored guild g: 10 members, 3 of them hidden, and 1 API key.');
    expectSameGuild(await content(to), await content(from));
    await from.client.hset('gr:{g}:stats', 'model', '3');
    const newer = start(0, 'export', '--guild', 'g', '--paused');
    await newer.ended;
    await stores[1]?.empty();
    expect(await import_(newer.stdout.text)).toContain(
      'has data of version 3, this program knows version 1: update it',
    );
  });
});
