import { describe, expect, it } from 'vitest';
import { openCore } from '../../src/core/core.ts';
import { startCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { redisForTest } from '../support/stores.ts';

const HEAD = 'rank,user_id,username,xp_gained,level';

describe('npm run export of a board', needs('redis-server'), () => {
  /** Makes a guild with 600 ranked members on its boards, and a hidden one. */
  const start = async () => {
    const { url, client } = await redisForTest();
    const { guildConfig, writer } = openCore(client, 'gr');
    const others = Array.from({ length: 599 }, (_, n) => ({ userId: `m${n}`, add: 2 + n }));
    await guildConfig.update('g', { boards: ['week'] });
    await writer.record('g', { userId: 'a', set: 4674, username: 'Ann, "A"' });
    await writer.recordMany('g', [{ userId: 'a', add: 1 }, ...others, { userId: 'gone', add: 9000 }]);
    await writer.hide('g', ['gone']);
    const run = async (name: string, args: readonly string[], input = '') => {
      const ended = await startCommand(name, args, { env: { REDIS_URL: url }, input }).ended;
      return { code: ended.code, out: ended.stdout, err: ended.stderr };
    };
    return { client, run };
  };

  it('the export of a board has the ranked members with the XP gained and their level in the guild, by rank', async () => {
    const { run } = await start();
    const csv = await run('export', ['--guild', 'g~week']);
    expect(csv.err).toMatch(/^board g~week: exported 600 members; all from the same moment, revision \d{16}\n$/);
    const lines = csv.out.trimEnd().split('\n');
    expect([lines[0], lines[1], lines[600]]).toEqual([HEAD, '1,m598,m598,600,3', '600,a,"Ann, ""A""",1,10']);
    expect(new Set(lines).size).toBe(601);
    const { code, out } = await run('export', ['--guild', 'g~week', '--format', 'ndjson']);
    const last = { rank: 600, user_id: 'a', username: 'Ann, "A"', xp_gained: 1, level: 10 };
    expect([code, JSON.parse(out.split('\n')[599] as string)]).toEqual([0, last]);
    expect((await run('export', ['--guild', 'g~week.prev'])).out).toBe(`${HEAD}\n`);
  });

  it.each(['csv', 'ndjson'])(
    'seed refuses the export of a board to %s, so that nobody loses XP by it',
    async (format) => {
      const { client, run } = await start();
      const { out } = await run('export', ['--guild', 'g~week', '--format', format]);
      const before = await client.zrange('gr:{g}:xp', 0, -1, 'WITHSCORES');
      for (const options of [[], ['--replace'], ['--strict']]) {
        const seeded = await run('seed', ['--guild', 'g', '--file', '-', ...options], out);
        expect(seeded.code).not.toBe(0);
        expect(seeded.out + seeded.err).toMatch(/xp/);
        expect(await client.zrange('gr:{g}:xp', 0, -1, 'WITHSCORES')).toEqual(before);
      }
    },
  );

  it('the export of a board is refused for a board that the guild does not have, for an unknown board, and for Polaris', async () => {
    const { run } = await start();
    const errorOf = async (...args: string[]) => (await run('export', args)).err;
    expect(await errorOf('--guild', 'g~month')).toBe(
      'error: Guild g has no board for the month: start one with "npm run -s guild -- set --guild g --boards week,month"\n',
    );
    expect(await errorOf('--guild', 'h~week')).toContain('Guild h does not exist');
    expect(await errorOf('--guild', 'g~day')).toContain(
      'for a board end with ~week, ~week.prev, ~month or ~month.prev',
    );
    expect(await errorOf('--guild', 'g~week', '--format', 'polaris')).toContain('use --format csv or ndjson');
  });
});
