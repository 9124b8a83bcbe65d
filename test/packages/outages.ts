import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, vi } from 'vitest';
import { freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { PATIENT } from '../support/wait.ts';

/** A running bot that takes the messages of members of the guild "guild". */
export interface MessagedBot {
  send(message: { readonly id: string; readonly userId: string }): void;
  /** What the bot wrote to its log, which is standard error. */
  log(): string;
  isRunning(): boolean;
  stop(): Promise<void>;
}

/** A server that keeps its data and its port when it is stopped and started again. */
async function durableRedis(folder: string) {
  const port = await freePort();
  mkdirSync(folder);
  const start = () =>
    startEmbeddedRedis(['--port', String(port), '--dir', folder, '--appendonly', 'yes', '--appendfsync', 'always']);
  return { port, start };
}

/**
 * Puts a bot through an outage of Redis, a restart, and a change of the master behind an address, while members write messages. Each message
 * gives XP once, also when the bot gets it twice.
 * @param folder where the servers keep their data.
 * @param start starts the bot on the address of Redis. It settles when the bot takes messages.
 * @returns the lines of the bot's log.
 */
export async function logAfterOutages(folder: string, start: (url: string) => Promise<MessagedBot>): Promise<string[]> {
  const first = await durableRedis(join(folder, 'first'));
  const second = await durableRedis(join(folder, 'second'));
  let master = await first.start();
  onTestFinished(() => master.stop());
  const replica = await second.start();
  onTestFinished(replica.stop);
  const address = await startTcpProxy(first.port);
  onTestFinished(address.stop);
  const bot = await start(`redis://127.0.0.1:${address.port}`);
  onTestFinished(bot.stop);

  let sent = 0;
  const send = (count: number) => {
    for (let n = 0; n < count; n++) bot.send({ id: `${++sent}`, userId: `${sent}` });
  };
  const admin = new Redis(master.url, { retryStrategy: () => 100 });
  admin.on('error', () => {});
  onTestFinished(() => admin.disconnect());
  await admin.hset('gr:{guild}:config', 'rules', JSON.stringify({ message: { xp: 20, cooldown_ms: 0 } }));
  const ranked = (client: Redis) => client.zcard('gr:{guild}:xp').catch(() => -1);

  send(5);
  await vi.waitFor(async () => expect(await ranked(admin)).toBe(5), PATIENT);
  await master.stop();
  send(5);
  await vi.waitFor(() => expect(bot.log()).toContain('Redis'), PATIENT);
  master = await first.start();
  await vi.waitFor(async () => expect(await ranked(admin)).toBe(10), PATIENT);

  const follower = new Redis(replica.url);
  onTestFinished(() => follower.disconnect());
  await follower.replicaof('127.0.0.1', first.port);
  await vi.waitFor(async () => expect(await follower.info('replication')).toContain('master_link_status:up'), PATIENT);
  await admin.wait(1, 60_000);
  await follower.replicaof('NO', 'ONE');
  await admin.replicaof('127.0.0.1', second.port);
  address.leadTo(second.port);
  send(5);
  await vi.waitFor(async () => expect(await ranked(follower)).toBe(15), PATIENT);

  // The bot gets a message again, as after a reconnection to Discord, and then a new one.
  bot.send({ id: '1', userId: '1' });
  bot.send({ id: 'new', userId: '1' });
  const scores = ['40', ...Array.from({ length: 14 }, () => '20')];
  const ranking = async () =>
    (await follower.zrange('gr:{guild}:xp', 0, -1, 'REV', 'WITHSCORES')).filter((_, n) => n % 2 === 1);
  await vi.waitFor(async () => expect(await ranking()).toEqual(scores), PATIENT);
  expect(bot.isRunning()).toBe(true);
  return bot.log().trim().split('\n');
}
