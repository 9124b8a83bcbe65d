import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore } from '../../src/core/core.ts';
import { permissionsOf } from '../fault/acl.ts';
import { runCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { realStore, type TestStore } from '../support/stores.ts';

describe('guild list', needs('redis-server'), () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await realStore.start();
  });
  afterAll(() => store.stop());
  beforeEach(() => store.empty());

  const list = (args: string[] = [], env: Record<string, string> = {}) =>
    runCommand('guild', ['list', ...args], { REDIS_URL: store.url as string, NO_COLOR: '1', ...env });

  /** Stores a guild with members and a plan, one with an API key and a title, and one whose members are all hidden. */
  async function fill(): Promise<void> {
    const core = openCore(store.client, 'gr');
    await core.writer.recordMany('2', [
      { userId: 'a', set: 5 },
      { userId: 'b', set: 0 },
    ]);
    await core.guildConfig.update('2', { plan: 'pro' });
    await core.guildConfig.update('1', { publicPage: true, pageTitle: 'The first' });
    await core.apiKeys.create('1', 'widget', null);
    await core.writer.record('3', { userId: 'c', set: 5 });
    await core.writer.hide('3', ['c']);
  }

  it('guild list prints the guilds in the order of their ids', async () => {
    await fill();
    const lines = [
      'GUILD\tPLAN\tMEMBERS\tAPI KEYS\tPUBLIC PAGE',
      '1\tfree\t0\t1\tThe first',
      '2\tpro\t2\t0\toff',
      '3\tfree\t0\t0\toff',
    ];
    expect(await list()).toEqual({ code: 0, stderr: '', stdout: `${lines.join('\n')}\n` });
  });

  it('guild list finds all of 1,234 guilds among other keys, however many steps that takes', async () => {
    const { client } = store;
    await Promise.all(Array.from({ length: 5000 }, (_, n) => client.set(`other:${n}`, 'x')));
    const ids = Array.from({ length: 1234 }, (_, n) => `guild-${n}`);
    await Promise.all(ids.map((id) => client.zadd(`gr:{${id}}:xp`, 1, 'a')));
    const { guilds } = JSON.parse((await list(['--json'])).stdout) as { guilds: { guild: string; ranked: number }[] };
    expect(guilds.map(({ guild }) => guild)).toEqual([...ids].sort());
    expect(guilds.every(({ ranked }) => ranked === 1)).toBe(true);
  });

  it('guild list says that there is no guild, and where it looked', async () => {
    const { code, stdout } = await list();
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'There is no guild: no Redis key looks like gr:{ID}:xp. Check REDIS_URL and KEY_PREFIX.\n',
    });
    expect((await list(['--json'])).stdout).toBe('{"guilds":[]}\n');
  });

  it('guild list shows a guild whose data another program has written as unreadable, and the other guilds as they are', async () => {
    await fill();
    await store.client.set('gr:{0}:xp', 'text');
    const { code, stdout } = await list();
    expect({ code, lines: stdout.split('\n').slice(1, 3) }).toEqual({
      code: 0,
      lines: ['0\t?\t?\t?\tits data cannot be read: run doctor', '1\tfree\t0\t1\tThe first'],
    });
    expect(JSON.parse((await list(['--json'])).stdout).guilds[0]).toEqual({ guild: '0', unreadable: true });
  });

  it('guild list needs no more rights than the operator of users.acl has', async () => {
    await fill();
    await store.client.call('ACL', 'SETUSER', 'operator', 'on', '>secret', ...permissionsOf('operator'));
    const url = new URL(store.url as string);
    const { code, stdout } = await list(['--json'], { REDIS_URL: `redis://operator:secret@${url.host}` });
    expect({ code, found: JSON.parse(stdout).guilds.length }).toEqual({ code: 0, found: 3 });
    await store.client.call('ACL', 'DELUSER', 'operator');
  });
});
