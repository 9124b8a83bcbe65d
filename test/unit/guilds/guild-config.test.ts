import { expect, it } from 'vitest';
import { InvalidInputError, StoreUnavailableError } from '../../../src/errors.ts';
import { GuildConfig } from '../../../src/guilds/guild-config.ts';
import { CounterAudit } from '../../../src/leaderboard/counters.ts';
import { CURVE_TABLE } from '../../../src/leaderboard/curves.ts';
import { RedisKeys } from '../../../src/redis/redis-keys.ts';
import type { RedisClient } from '../../../src/redis/scripts.ts';
import { scripted } from '../../support/scripted.ts';

const RECOUNT = ['recount', 'gr:{g}:xp', 'gr:{g}:stats', 'gr:{g}:config', 'gr:{g}:member:', CURVE_TABLE];
const CONFIGURE = ['configure', 'gr:{g}:stats', 'gr:{g}:config'];
const PUBLISH = ['publish', 'gr:changed', 'g'];
/** Reply of recount.lua for a guild of three members at revision r1. */
const COUNTED = ['r1', '3', '3', '600', '9', 3, '3', '300000600', '9'];

function setup(...replies: Parameters<typeof scripted>) {
  const { scripts, sent } = scripted(...replies);
  const redisKeys = new RedisKeys('gr');
  const publish = async (channel: string, message: string) => sent.push(['publish', channel, message]);
  const client = { publish } as unknown as RedisClient;
  return { guildConfig: new GuildConfig(client, scripts, redisKeys, new CounterAudit(scripts, redisKeys)), sent };
}

it('stores plan and multiplier at any revision, leaves the counters alone, and publishes the invalidation', async () => {
  const { guildConfig, sent } = setup('r2');
  await guildConfig.update('g', { plan: 'pro', xpMultiplier: 1.5 });
  expect(sent).toEqual([[...CONFIGURE, 'any', 0, 'plan', 'pro', 'xp_multiplier', '1.5'], PUBLISH]);
});

it('stores a curve and its counters in one step, then publishes the invalidation', async () => {
  const { guildConfig, sent } = setup(COUNTED, 'r2');
  await guildConfig.update('g', { xpCurve: 'lurkr' });
  const counters = ['members', '3', 'total_xp', '300000600', 'level_sum', '9'];
  expect(sent).toEqual([
    [...RECOUNT, 'lurkr', 0, 1999, ''],
    [...CONFIGURE, 'r1', 3, ...counters, 'xp_curve', 'lurkr'],
    PUBLISH,
  ]);
});

it('counts and stores a curve in one script call when the guild changes meanwhile', async () => {
  const { guildConfig, sent } = setup(COUNTED, '', COUNTED);
  await guildConfig.update('g', { xpCurve: 'lurkr', plan: 'pro' });
  expect(sent.slice(2)).toEqual([[...RECOUNT, 'lurkr', 0, -1, 'commit', 'plan', 'pro', 'xp_curve', 'lurkr'], PUBLISH]);
});

it('refuses an empty change', async () => {
  const { guildConfig, sent } = setup();
  const refusal = guildConfig.update('g', {});
  await expect(refusal).rejects.toThrow(InvalidInputError);
  await expect(refusal).rejects.toThrow('Nothing to set: give a plan, a curve or a multiplier');
  expect(sent).toEqual([]);
});

it('fails when the invalidation cannot be published', async () => {
  const redisKeys = new RedisKeys('gr');
  const { scripts } = scripted('r2');
  const client = { publish: () => Promise.reject(new Error('down')) } as unknown as RedisClient;
  const guildConfig = new GuildConfig(client, scripts, redisKeys, new CounterAudit(scripts, redisKeys));
  await expect(guildConfig.update('g', { plan: 'pro' })).rejects.toThrow(StoreUnavailableError);
});
