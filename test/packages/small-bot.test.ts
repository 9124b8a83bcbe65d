import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { repository } from '../support/run-command.ts';
import { logAfterOutages } from './outages.ts';

const guide = readFileSync(join(repository, 'docs/bots.md'), 'utf8');
const [, source = ''] = /^## A whole small bot\n[\s\S]*?```js\n([\s\S]*?)^```/m.exec(guide) ?? [];

/** Stands for discord.js: it emits the messages that the test sends, and tells what the bot registers and writes. */
const DISCORD = `
import { EventEmitter } from 'node:events';
export const Events = { ClientReady: 'clientReady' };
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
    const create = async (command) => process.send({ registered: command });
    this.emit(Events.ClientReady, { application: { commands: { create } } });
  }
}
`;

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

  it('the small bot loses no award in an outage, a restart and a change of the master, and logs one line for each outage', async () => {
    const lines = await logAfterOutages(folder, async (url) => {
      const bot = fork(join(folder, 'bot.mjs'), { env: { ...process.env, REDIS_URL: url }, silent: true });
      let log = '';
      bot.stderr?.on('data', (chunk) => {
        log += String(chunk);
      });
      await new Promise((resolve) => bot.once('message', resolve));
      return {
        send: (message) => void bot.send(message),
        log: () => log,
        isRunning: () => bot.exitCode === null,
        stop: async () => void bot.kill('SIGKILL'),
      };
    });
    // An outage, a restart and a change of the master each close the connection, and a server that starts can close it once more.
    expect(lines.filter((line) => !line.startsWith('Redis is away: '))).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(4);
  });

  it('the small bot registers the command that it answers', async () => {
    const bot = fork(join(folder, 'bot.mjs'), {
      env: { ...process.env, REDIS_URL: 'redis://127.0.0.1:1' },
      silent: true,
    });
    const [first] = await once(bot, 'message');
    bot.kill('SIGKILL');
    expect(first).toEqual({ registered: { name: 'rank', description: 'Shows your rank' } });
    expect(source).toContain("interaction.commandName !== 'rank'");
  });
});
