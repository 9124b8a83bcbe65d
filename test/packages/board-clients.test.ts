import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { createReader } from '../../src/bot/reader.ts';
import { createWriter } from '../../src/bot/writer.ts';
import { type Services, servicesOn } from '../../src/cli/services.ts';
import { clientKinds, type OpenClient } from '../../tools/bot-clients.ts';
import { endBoards } from '../support/boards.ts';
import { needs } from '../support/needs.ts';

const USERS = ['a', 'b', 'c', 'd'];
const step = fc.record({
  client: fc.nat(clientKinds.length - 1),
  kind: fc.constantFrom('award', 'award', 'record', 'hide', 'unhide', 'level', 'end of the week'),
  userId: fc.constantFrom(...USERS),
  amount: fc.integer({ min: 0, max: 900 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

describe('all clients at once, on one guild with boards', needs('redis-server'), () => {
  let redis: EmbeddedRedis;
  let admin: Redis;
  let services: Services;
  let clients: readonly OpenClient[];
  beforeAll(async () => {
    redis = await startEmbeddedRedis();
    admin = new Redis(redis.url);
    services = servicesOn(admin, 'gr', ['free']);
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
    else if (kind === 'level') await writer.setProfiles(guild, [{ userId, profile: { level: amount } }]);
    else await endBoards(admin, guild, ['week']);
    return 0;
  }

  it('give each member what it gained on the board of the month, and counters as a count finds them', async () => {
    let guilds = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), async (steps) => {
        const guild = `g${guilds++}`;
        await services.guildConfig.update(guild, { boards: ['week', 'month'] });
        await services.writer.recordMany(
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
        const { stored, actual } = await services.audit.check(guild);
        expect(stored).toEqual(actual);
        await services.writer.unhide(guild, USERS);
        const { data } = await createReader((clients[0] as OpenClient).client).page(guild, 1, 10, { board: 'month' });
        expect(new Map(data.map(({ userId, xp }) => [userId, xp]))).toEqual(
          new Map([...gained].filter(([, xp]) => xp > 0)),
        );
        expect((await services.audit.check(guild)).exact).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});
