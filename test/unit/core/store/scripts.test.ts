import { expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../../../src/core/errors.ts';
import { GUILD_KEYS, RedisKeys } from '../../../../src/core/store/redis-keys.ts';
import { type ScriptClient, Scripts } from '../../../../src/core/store/scripts.ts';

const keys = (guildId: string) => {
  const guild = new RedisKeys('gr').guild(guildId);
  return GUILD_KEYS.map((name) => guild[name]);
};
const record = { name: 'record', boards: true };

/** Returns scripts on a connection whose EVALSHA fails with a message, and the two functions of the connection. */
function failingWith(message: string) {
  const evalsha = vi.fn<ScriptClient['evalsha']>(() => Promise.reject(new Error(message)));
  const evaluate = vi.fn<ScriptClient['eval']>(async () => ['OK']);
  return { scripts: new Scripts({ evalsha, eval: evaluate }), evalsha, evaluate };
}

it.each([
  'BOARDS gr:{g}:xp has boards: give their keys too script: 9e1a, on @user_script:40.',
  'BOARDS gr:{CROSSSLOT}:xp has boards: give their keys too',
  'Error trying to loading or executing lua code string in VM: BOARDS gr:{g}:xp has boards: give their keys too',
  'Too many Cluster redirections. Last error: ReplyError: BOARDS gr:{g}:xp has boards: give their keys too',
  'ERR Error running script (call to f_9e1a): @user_script:40: BOARDS gr:{g}:xp has boards: give their keys too',
])('a script that wants the keys of boards gets them in a second call: "%s"', async (message) => {
  const { scripts, evalsha } = failingWith(message);
  await expect(scripts.run(record, keys('g'))).rejects.toThrow(StoreUnavailableError);
  expect(evalsha.mock.calls.map(([, numberOfKeys]) => numberOfKeys)).toEqual([5, 13]);
  expect(evalsha.mock.calls[1]?.slice(7, 9)).toEqual(['gr:{g}~week:xp', 'gr:{g}~week:hidden']);
});

it.each([
  'ERR the name BOARDS gr:{g}:xp is not allowed script: 9e1a, on @user_script:40.',
  'BOARDSHIP gr:{g}:xp is another code',
  'WRONGTYPE of gr:{BOARDS }:xp',
])('an error whose text merely contains BOARDS is not retried: "%s"', async (message) => {
  const { scripts, evalsha } = failingWith(message);
  await expect(scripts.run(record, keys('g'))).rejects.toMatchObject({ reason: message });
  expect(evalsha).toHaveBeenCalledOnce();
});

it('a script that does not work on boards is not retried for them', async () => {
  const { scripts, evalsha } = failingWith('BOARDS gr:{g}:xp has boards: give their keys too');
  await expect(scripts.run({ name: 'list' }, keys('g'))).rejects.toMatchObject({ code: 'BOARDS' });
  expect(evalsha).toHaveBeenCalledOnce();
});

it('a server that does not know a script gets its source', async () => {
  const { scripts, evaluate } = failingWith('NOSCRIPT No matching script. Please use EVAL.');
  await expect(scripts.run(record, keys('g'))).resolves.toEqual(['OK']);
  expect(evaluate).toHaveBeenCalledOnce();
});

it.each(['ERR no NOSCRIPT here', 'WRONGTYPE of gr:{NOSCRIPT}:xp'])(
  'an error whose text merely contains NOSCRIPT does not make the source be sent: "%s"',
  async (message) => {
    const { scripts, evaluate } = failingWith(message);
    await expect(scripts.run(record, keys('g'))).rejects.toMatchObject({ reason: message });
    expect(evaluate).not.toHaveBeenCalled();
  },
);
