import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { needs } from '../support/needs.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { type SentinelSet, startSentinelSet } from '../support/sentinel.ts';
import { PATIENT } from '../support/wait.ts';

const PASSWORD = 'of-the-failover';
/** The rights that deploy/redis/README.md gives the user. */
const RIGHTS = '+ping +info +wait +replicaof +client|pause +client|unpause +client|kill';

describe('the script of a planned failover', needs('redis-server', 'redis-cli'), () => {
  let set: SentinelSet;
  beforeAll(async () => {
    set = await startSentinelSet(1);
    await set.setDownAfter(10_000);
  });
  afterAll(() => set?.stop());
  const run = (env: Record<string, string>) =>
    runProgram('sh', [join(repository, 'deploy/redis/planned-failover.sh')], {
      env: { SENTINEL_URL: `redis://${set.addresses.split(',')[0]}`, ...env },
    });

  it('planned-failover.sh names a variable that is missing, and a master that the Sentinels do not know', async () => {
    expect((await run({})).stderr).toContain('NAME: must be the name');
    expect(await run({ NAME: 'other' })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/knows no master other\n$/),
    });
  });

  it('planned-failover.sh makes a replica the master as a user who may do no more', async () => {
    for (const { url } of set.servers) {
      const admin = new Redis(url);
      const rights = ['resetkeys', 'resetchannels', 'nocommands', ...RIGHTS.split(' ')];
      await admin.call('ACL', 'SETUSER', 'failover', 'on', `>${PASSWORD}`, ...rights).finally(() => admin.disconnect());
    }
    const before = await set.master();
    const env = { NAME: set.name, REDIS_USER: 'failover', REDISCLI_AUTH: PASSWORD };
    const ended = await vi.waitFor(async () => {
      const result = await run(env);
      // The Sentinels take no replica that a busy machine holds up. Then nothing has changed.
      expect(result.stderr).not.toContain('NOGOODSLAVE');
      return result;
    }, PATIENT);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(await set.master()).not.toBe(before);
    await vi.waitFor(async () => expect(await set.isReplica(before)).toBe(true), PATIENT);
  });

  it('planned-failover.sh says when the master has no replica', async () => {
    const master = await set.master();
    for (const server of set.servers) if (server !== master) await server.stop();
    await vi.waitFor(async () => {
      expect(await run({ NAME: set.name })).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/has no replica\n$/),
      });
    }, PATIENT);
  });
});
