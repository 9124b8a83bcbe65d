import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { createReader } from '../../src/kit/reader.ts';
import { createWriter } from '../../src/kit/writer.ts';
import { clientKinds, type OpenClient } from '../../tools/bot-clients.ts';
import { endBoards } from '../support/boards.ts';
import { needs } from '../support/needs.ts';
import { installPythonKit, PYTHON_KIT } from '../support/python-kit.ts';
import { runProgram } from '../support/run-command.ts';

const USERS = ['a', 'b', 'c', 'd'];
const step = fc.record({
  client: fc.nat(clientKinds.length - 1),
  kind: fc.constantFrom('award', 'award', 'record', 'hide', 'unhide', 'level', 'end of the week'),
  userId: fc.constantFrom(...USERS),
  amount: fc.integer({ min: 0, max: 900 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A bot that awards, records, hides and shows members 400 times, and prints what each has gained. */
const PYTHON_BOT = `
import asyncio, json, random, sys
from redis.asyncio import Redis
from guildrank import connection_options, create_writer
async def main():
    redis = Redis.from_url(sys.argv[1], **{**connection_options(), "socket_connect_timeout": 60, "socket_timeout": 60})
    writer, gained = create_writer(redis), dict.fromkeys("${USERS.join('')}", 0)
    for n in range(400):
        user = random.choice(list(gained))
        if n % 4 == 3:
            await random.choice([writer.hide, writer.unhide])("py", [user])
        elif n % 4 == 2:
            await writer.record("py", user, add=n)
            gained[user] += n
        else:
            gained[user] += (await writer.award("py", user, n)).awarded
    await redis.aclose() if hasattr(redis, "aclose") else await redis.close()
    print(json.dumps(gained))
asyncio.run(main())
`;

describe('all clients at once, on one guild with boards', needs('redis-server'), () => {
  let redis: EmbeddedRedis;
  let admin: Redis;
  let core: Core;
  let clients: readonly OpenClient[];
  beforeAll(async () => {
    redis = await startEmbeddedRedis();
    admin = new Redis(redis.url);
    core = openCore(admin, 'gr');
    clients = await Promise.all(clientKinds.map(({ open }) => open(redis.url)));
  });
  afterAll(async () => {
    for (const { close } of clients ?? []) close();
    admin?.disconnect();
    await redis?.stop();
  });

  async function take(guild: string, { client, kind, userId, amount }: Step): Promise<number> {
    const writer = createWriter((clients[client] as OpenClient).client);
    if (kind === 'award') return (await writer.award(guild, { userId, amount })).awarded;
    if (kind === 'record') {
      await writer.record(guild, { userId, add: amount });
      return amount;
    }
    if (kind === 'hide' || kind === 'unhide') await writer[kind](guild, [userId]);
    else if (kind === 'level') await writer.setProfiles(guild, [{ userId, level: amount }]);
    else await endBoards(admin, guild, ['week']);
    return 0;
  }

  it('all clients at once give each member what it gained on the board of the month, and the counters are exact', async () => {
    let guilds = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), async (steps) => {
        const guild = `g${guilds++}`;
        await core.guildConfig.update(guild, { boards: ['week', 'month'] });
        await core.writer.recordMany(
          guild,
          USERS.map((userId) => ({ userId, set: 0 })),
        );
        const gained = new Map<string, number>();
        await Promise.all(
          steps.map(async (each) => {
            const gain = await take(guild, each);
            gained.set(each.userId, (gained.get(each.userId) ?? 0) + gain);
          }),
        );
        const { stored, actual } = await core.counters.check(guild);
        expect(stored).toEqual(actual);
        await core.writer.unhide(guild, USERS);
        const { data } = await createReader((clients[0] as OpenClient).client).page(guild, 1, 10, { board: 'month' });
        expect(new Map(data.map(({ userId, xp }) => [userId, xp]))).toEqual(
          new Map([...gained].filter(([, xp]) => xp > 0)),
        );
        expect((await core.counters.check(guild)).exact).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('all clients at once count exactly beside a bot in Python too', needs(...PYTHON_KIT), async () => {
    await core.guildConfig.update('py', { boards: ['week', 'month'] });
    await core.writer.recordMany(
      'py',
      USERS.map((userId) => ({ userId, set: 0 })),
    );
    const folder = mkdtempSync(join(tmpdir(), 'guildrank-python-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { python } = await installPythonKit(join(folder, 'kit'));
    let isOver = false;
    const bot = runProgram(python, ['-c', PYTHON_BOT, redis.url]).finally(() => {
      isOver = true;
    });
    const gained = new Map(USERS.map((userId) => [userId, 0]));
    for (let n = 0; !isOver; n++) {
      const userId = USERS[n % USERS.length] as string;
      const kind =
        (['award', 'record', 'hide', 'award', 'unhide', 'level', 'end of the week'] as const)[n % 7] ?? 'award';
      const gain = await take('py', { client: n % clientKinds.length, kind, userId, amount: n % 90 });
      gained.set(userId, (gained.get(userId) ?? 0) + gain);
    }
    const { code, stdout, stderr } = await bot;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const [userId, gain] of Object.entries<number>(JSON.parse(stdout)))
      gained.set(userId, (gained.get(userId) ?? 0) + gain);
    await core.writer.unhide('py', USERS);
    const { data } = await createReader((clients[0] as OpenClient).client).page('py', 1, 10, { board: 'month' });
    expect(Object.fromEntries(data.map(({ userId, xp }) => [userId, xp]))).toEqual(Object.fromEntries(gained));
    const { stored, actual } = await core.counters.check('py');
    expect(stored).toEqual(actual);
  });
});
