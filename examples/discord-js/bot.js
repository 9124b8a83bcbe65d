import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Events, GatewayIntentBits } from 'discord.js';
import { createReader } from 'guildrank-kit/reader';
import { connectionOptions, createWriter } from 'guildrank-kit/writer';
import { Redis } from 'ioredis';
import { cardDrawer } from './card.js';
import { commands } from './commands.js';
import { attempts, lineOf } from './failures.js';
import { createHandlers } from './handlers.js';
import { msToTick } from './voice.js';

const { DISCORD_TOKEN, REDIS_URL = 'redis://127.0.0.1:6379', DASHBOARD_URL = '', ARCHIVES = '' } = process.env;
const log = (/** @type {string} */ line) => console.error(line);
if (!DISCORD_TOKEN) {
  log('Set DISCORD_TOKEN to the token of your bot.');
  process.exit(1);
}

// The handlers send a call again, with the same event. Twice a second and a pause are less than the three that Discord waits for an answer.
const redis = new Redis(REDIS_URL, { ...connectionOptions(), commandTimeout: 1000 });
// One line for each outage.
let isAway = false;
redis.on('error', (error) => {
  if (!isAway) log(`Redis: ${lineOf(error)}`);
  isAway = true;
});
redis.on('ready', () => {
  isAway = false;
});

const handlers = createHandlers({
  writer: createWriter(redis),
  reader: createReader(redis),
  drawCard: cardDrawer(),
  dashboardUrl: DASHBOARD_URL,
  archives: ARCHIVES.split(',').filter(Boolean),
  log,
});

const { Guilds, GuildMessages, GuildMembers, GuildVoiceStates } = GatewayIntentBits;
const client = new Client({ intents: [Guilds, GuildMessages, GuildMembers, GuildVoiceStates] });

/** @param {import('discord.js').Guild} guild */
async function begin(guild) {
  await handlers.describe(guild);
  await handlers.ready(guild);
}

client.once(Events.ClientReady, async ({ application, user, guilds }) => {
  await attempts(log)('Commands', () => application.commands.set(commands));
  for (const guild of guilds.cache.values()) await begin(guild);
  console.log(`${user.tag} is ready`);
  for (;;) {
    await sleep(msToTick(Date.now()));
    await handlers.voice(guilds.cache.values(), Date.now());
  }
});
client.on(Events.Error, (error) => log(`Discord: ${lineOf(error)}`));
client.on(Events.GuildCreate, begin);
client.on(Events.GuildUpdate, (_, guild) => handlers.describeChange(guild));
client.on(Events.GuildRoleCreate, ({ guild }) => handlers.describeChange(guild));
client.on(Events.GuildRoleUpdate, (_, { guild }) => handlers.describeChange(guild));
client.on(Events.GuildRoleDelete, ({ guild }) => handlers.describeChange(guild));
client.on(Events.ChannelCreate, ({ guild }) => handlers.describeChange(guild));
client.on(Events.ChannelUpdate, (_, channel) => 'guild' in channel && handlers.describeChange(channel.guild));
client.on(Events.ChannelDelete, (channel) => 'guild' in channel && handlers.describeChange(channel.guild));
client.on(Events.MessageCreate, handlers.message);
client.on(Events.InteractionCreate, handlers.interaction);
client.on(Events.GuildMemberRemove, handlers.memberLeft);
client.on(Events.GuildMemberAdd, handlers.memberJoined);
await client.login(DISCORD_TOKEN).catch((error) => {
  log(`Discord: ${lineOf(error)}`);
  process.exit(1);
});
