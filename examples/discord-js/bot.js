import { Client, Events, GatewayIntentBits } from 'discord.js';
import { createWriter } from 'guildrank-writer';
import { createReader } from 'guildrank-writer/reader';
import { Redis } from 'ioredis';
import { cardDrawer } from './card.js';
import { commands, createHandlers } from './handlers.js';

const {
  DISCORD_TOKEN,
  REDIS_URL = 'redis://127.0.0.1:6379',
  DASHBOARD_URL = '',
  LEVEL_ROLES = '',
  ARCHIVES = '',
} = process.env;
if (!DISCORD_TOKEN) {
  console.error('Set DISCORD_TOKEN to the token of your bot.');
  process.exit(1);
}

// A call whose reply was lost is not sent again: it could count twice.
const redis = new Redis(REDIS_URL, { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 });
redis.on('error', (error) => console.error(`Redis: ${error.message}`));

// LEVEL_ROLES=5=ROLE_ID,10=ROLE_ID
const roles = new Map(
  LEVEL_ROLES.split(',')
    .filter(Boolean)
    .map((entry) => {
      const [level = '', role = ''] = entry.split('=');
      return [Number(level), role];
    }),
);
const handlers = createHandlers({
  writer: createWriter(redis),
  reader: createReader(redis),
  drawCard: cardDrawer(),
  roles,
  dashboardUrl: DASHBOARD_URL,
  archives: ARCHIVES.split(',').filter(Boolean),
});

const client = new Client({
  intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.GuildMembers],
});

/**
 * Returns a listener that logs a failure: one lost message must not end the bot.
 * @template T
 * @param {(event: T) => Promise<void>} handler
 */
const logged = (handler) => (/** @type {T} */ event) =>
  handler(event).catch((error) => console.error(error instanceof Error ? error.message : error));

client.once(Events.ClientReady, async ({ application, user, guilds }) => {
  await application.commands.set(commands);
  for (const guild of guilds.cache.values()) await logged(handlers.ready)(guild);
  console.log(`${user.tag} is ready`);
});
client.on(Events.MessageCreate, logged(handlers.message));
client.on(Events.InteractionCreate, logged(handlers.interaction));
client.on(Events.GuildMemberRemove, logged(handlers.memberLeft));
client.on(Events.GuildMemberAdd, logged(handlers.memberJoined));
await client.login(DISCORD_TOKEN);
