import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { needs } from '../support/needs.ts';
import { runProgram } from '../support/run-command.ts';

describe('deploy/redis/restore.sh', needs('redis-server', 'redis-cli'), () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'guildrank-restore-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const withRedis = async <T>(
    options: readonly string[],
    act: (client: Redis, url: string) => Promise<T>,
  ): Promise<T> => {
    const redis = await startEmbeddedRedis(options);
    const client = new Redis(redis.url);
    try {
      return await act(client, redis.url);
    } finally {
      client.disconnect();
      await redis.stop();
    }
  };
  const inShell = (script: string) => runProgram('sh', ['-c', script]);
  const restore = () => inShell(`sh deploy/redis/restore.sh ${folder}/data < ${folder}/copy.rdb`);
  /** Makes a copy of a Redis with a key of the bot, after which the data change. @param how prints or writes the copy. */
  const prepare = (how: (url: string) => string, options: readonly string[] = []) =>
    withRedis([...options, '--dir', `${folder}/data`], async (client, url) => {
      await client.set('of-the-bot', 'before');
      expect(await inShell(how(url))).toMatchObject({ code: 0 });
      await client.set('of-the-bot', 'after');
    });
  const toFile = (url: string) => `redis-cli -u ${url} --rdb ${folder}/copy.rdb`;
  const toOutput = (url: string) => `redis-cli -u ${url} --rdb - > ${folder}/copy.rdb`;

  beforeEach(async () => {
    await inShell(`mkdir ${folder}/data`);
  });

  it.each([
    ['a file', 'yes', toFile],
    ['a file', 'no', toFile],
    ['the standard output', 'yes', toOutput],
    ['the standard output', 'no', toOutput],
  ])(
    'restore.sh goes back to a copy in %s, with appendonly %s, and Redis keeps later writes',
    async (_to, appendonly, how) => {
      // A busy disk must not keep a write from the file until the server is killed.
      const options = [
        '--dir',
        `${folder}/data`,
        '--appendonly',
        appendonly,
        '--save',
        '3600 1',
        '--appendfsync',
        'always',
      ];
      await prepare(how, ['--appendonly', appendonly]);
      expect(await restore()).toEqual({ code: 0, stdout: '', stderr: '' });
      await withRedis(options, async (client) => {
        expect(await client.get('of-the-bot')).toBe('before');
        await client.set('later', '1');
        if (appendonly === 'no') await client.save();
      });
      await withRedis(options, async (client) => {
        expect([await client.get('of-the-bot'), await client.get('later')]).toEqual(['before', '1']);
      });
      expect(existsSync(join(folder, 'data/before-restore/appendonlydir'))).toBe(appendonly === 'yes');
    },
  );

  it('restore.sh refuses a file that is no copy, and changes nothing', async () => {
    await prepare(toFile, ['--appendonly', 'yes']);
    const before = readdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'copy.rdb'), 'something else');
    const { code, stderr } = await restore();
    expect([code, stderr]).toEqual([1, 'restore.sh: standard input is not a copy made with redis-cli --rdb\n']);
    expect(readdirSync(join(folder, 'data'))).toEqual(before);
  });

  it('restore.sh refuses a copy that ends in the middle, and changes nothing', async () => {
    await prepare(toFile);
    const before = readdirSync(join(folder, 'data'));
    const copy = readFileSync(join(folder, 'copy.rdb'));
    writeFileSync(join(folder, 'copy.rdb'), copy.subarray(0, copy.length - 20));
    const { code, stderr } = await restore();
    expect(code).toBe(1);
    expect(stderr).toContain('the copy ends in the middle: make or transfer it again. Nothing was changed');
    expect(readdirSync(join(folder, 'data'))).toEqual(before);
  });

  it('restore.sh refuses to put a second copy over what the first restore kept', async () => {
    await prepare(toFile);
    await restore();
    const { code, stderr } = await restore();
    expect(code).toBe(1);
    expect(stderr).toContain('before-restore is left over from an earlier restore: move it away, or delete it');
  });
});
