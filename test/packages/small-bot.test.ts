import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { needs } from '../support/needs.ts';
import { repository } from '../support/run-command.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { PATIENT } from '../support/wait.ts';

const guide = readFileSync(join(repository, 'docs/bots.md'), 'utf8');
const [, source = ''] = /^## A whole small bot\n[\s\S]*?```js\n([\s\S]*?)^```/m.exec(guide) ?? [];

/** Stands for discord.js: it emits the messages that the test sends, and tells what the bot writes. */
const DISCORD = `
import { EventEmitter } from 'node:events';
export const GatewayIntentBits = { Guilds: 1, GuildMessages: 2, GuildVoiceStates: 4 };
export class Client extends EventEmitter {
  guilds = { cache: new Map() };
  async login() {
    process.on('message', ({ id, userId }) => {
      const member = {
        id: userId, displayName: userId, user: { bot: false }, guild: { id: 'guild' },
        roles: { cache: new Map(), set: async () => {} }, toString: () => '<@' + userId + '>',
      };
      const channel = { id: 'general', parentId: null, parent: null, send: async (text) => process.send({ said: text }) };
      this.emit('messageCreate', { id, author: { bot: false }, member, channel });
    });
    process.send({ ready: true });
  }
}
`;

/** A server that keeps its data and its port when it is stopped and started again. */
async function durableRedis(folder: string) {
  const port = await freePort();
  mkdirSync(folder);
  const start = () => startEmbeddedRedis(['--port', String(port), '--dir', folder, '--appendonly', 'yes']);
  return { port, start };
}

describe('the whole small bot of docs/bots.md', needs('redis-server'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-small-bot-'));
  beforeAll(() => {
    const modules = join(folder, 'node_modules');
    mkdirSync(join(modules, 'discord.js'), { recursive: true });
    writeFileSync(join(modules, 'discord.js/package.json'), '{"name":"discord.js","type":"module","main":"index.js"}');
    writeFileSync(join(modules, 'discord.js/index.js'), DISCORD);
    symlinkSync(join(repository, 'src/kit'), join(modules, 'guildrank-kit'));
    symlinkSync(join(repository, 'node_modules/ioredis'), join(modules, 'ioredis'));
    writeFileSync(join(folder, 'bot.mjs'), source);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('loses no award in an outage, a restart and a change of the master, and logs one line for each outage', async () => {
    const [first, second] = [await durableRedis(join(folder, 'first')), await durableRedis(join(folder, 'second'))];
    let master = await first.start();
    onTestFinished(() => master.stop());
    const replica = await second.start();
    onTestFinished(replica.stop);
    const address = await startTcpProxy(first.port);
    onTestFinished(address.stop);
    const errors: string[] = [];
    const bot: ChildProcess = fork(join(folder, 'bot.mjs'), {
      env: { ...process.env, REDIS_URL: `redis://127.0.0.1:${address.port}` },
      silent: true,
    });
    onTestFinished(() => void bot.kill('SIGKILL'));
    bot.stderr?.on('data', (chunk) => errors.push(String(chunk)));
    await new Promise((resolve) => bot.once('message', resolve));

    let sent = 0;
    const send = (count: number) => {
      for (let n = 0; n < count; n++) bot.send({ id: `message-${++sent}`, userId: `u${sent}` });
    };
    const admin = new Redis(master.url, { retryStrategy: () => 100 });
    admin.on('error', () => {});
    onTestFinished(() => admin.disconnect());
    const ranked = (client: Redis) => client.zcard('gr:{guild}:xp').catch(() => -1);

    send(5);
    await vi.waitFor(async () => expect(await ranked(admin)).toBe(5), PATIENT);
    await master.stop();
    send(5);
    await vi.waitFor(() => expect(errors.join('')).toContain('Redis is away'), PATIENT);
    master = await first.start();
    await vi.waitFor(async () => expect(await ranked(admin)).toBe(10), PATIENT);

    const follower = new Redis(replica.url);
    onTestFinished(() => follower.disconnect());
    await follower.replicaof('127.0.0.1', first.port);
    await vi.waitFor(
      async () => expect(await follower.info('replication')).toContain('master_link_status:up'),
      PATIENT,
    );
    await admin.wait(1, 5000);
    await follower.replicaof('NO', 'ONE');
    await admin.replicaof('127.0.0.1', second.port);
    address.leadTo(second.port);
    send(5);
    await vi.waitFor(async () => expect(await ranked(follower)).toBe(15), PATIENT);
    expect(bot.exitCode).toBeNull();
    expect(errors.join('').trim().split('\n')).toHaveLength(1);
  });
});
