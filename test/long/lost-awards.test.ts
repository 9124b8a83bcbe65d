import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { openCore } from '../../src/core/core.ts';
import { type Award, createWriter, StoreUnavailableError } from '../../src/kit/writer.ts';
import { clientKinds } from '../../tools/bot-clients.ts';
import { recordFigure } from '../support/figures.ts';
import { needs } from '../support/needs.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const AWARDS = Number(process.env.LOST_AWARDS ?? 10_000);
const MEMBERS = 50;
const AT_ONCE = 20;
/** Calls between two replies that are lost with their connection. ioredis waits longer after each. */
const LOSE_EVERY = AWARDS / 40;
const XP = 100;

describe('a bot that sends an award again until it has a reply', needs('redis-server'), () => {
  it.each(clientKinds)(
    'a bot gets each level-up once and no XP twice, with $name',
    { timeout: 600_000 },
    async (kind) => {
      const redis = await startEmbeddedRedis();
      onTestFinished(redis.stop);
      const direct = new Redis(redis.url);
      onTestFinished(() => direct.disconnect());
      const core = openCore(direct, 'gr');
      // Each award is a level.
      await core.guildConfig.update('g', { xpCurve: `custom=0,0,${XP},0,1,1` });
      const proxy = await startTcpProxy(redis.port);
      onTestFinished(proxy.stop);
      const { client, close } = await kind.open(`redis://127.0.0.1:${proxy.port}`);
      onTestFinished(() => void close());
      const writer = createWriter(client);

      let sent = 0;
      let lost = 0;
      const awardUntilReplied = async (n: number): Promise<Award> => {
        for (;;) {
          if (++sent % LOSE_EVERY === 0) proxy.dropNextReply();
          try {
            return await writer.award('g', { userId: String(n % MEMBERS), amount: XP, eventId: `message ${n}` });
          } catch (error) {
            expect(error).toBeInstanceOf(StoreUnavailableError);
            lost++;
            await delay(1);
          }
        }
      };
      const levels = new Map<string, number[]>();
      let next = 0;
      const work = async () => {
        while (next < AWARDS) {
          const n = next++;
          const { level, levelBefore } = await awardUntilReplied(n);
          expect(level).toBe(levelBefore + 1);
          levels.set(String(n % MEMBERS), [...(levels.get(String(n % MEMBERS)) ?? []), level]);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      proxy.behave();

      const each = Array.from({ length: AWARDS / MEMBERS }, (_, index) => index + 1);
      for (const told of levels.values()) expect(told.sort((a, b) => a - b)).toEqual(each);
      const { stored, actual } = await core.counters.check('g');
      expect(stored).toEqual(actual);
      expect(stored).toMatchObject({ members: BigInt(MEMBERS), totalXp: BigInt(AWARDS * XP) });
      expect(lost).toBeGreaterThan(10);
      recordFigure('awards sent again after a lost reply', { client: kind.name, awards: AWARDS, lost });
    },
  );
});
