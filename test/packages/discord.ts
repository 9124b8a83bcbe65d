import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import { onTestFinished, vi } from 'vitest';
import { configureScript } from '../../src/core/settings/guild-config.ts';
import type { RedisClient } from '../../src/core/store/client.ts';
import { RedisKeys } from '../../src/core/store/redis-keys.ts';
import { Scripts } from '../../src/core/store/scripts.ts';
import { createReader } from '../../src/kit/reader.ts';
import { createWriter } from '../../src/kit/writer.ts';
import { repository } from '../support/run-command.ts';

/** Made-up events of Discord for the handlers of examples/discord-js. */

const load = (file: string) => import(pathToFileURL(`${repository}/examples/discord-js/${file}`).href);
const { createHandlers } = await load('handlers.js');
export const { commands } = await load('commands.js');
export const { msToTick } = await load('voice.js');

export const GUILD = '9';

/** An answer of the bot to a command. */
export interface Answer {
  readonly content?: string;
  readonly isHidden: boolean;
  readonly files?: object[];
}

/** Returns a member with its roles, what the bot says to it, and its messages and commands. */
export function madeUp(id = '7', displayName = 'A*nn') {
  const said: string[] = [];
  const answers: Answer[] = [];
  const roles = {
    cache: new Map<string, object>(),
    add: vi.fn(async (role: string) => void roles.cache.set(role, {})),
    remove: vi.fn(async (role: string) => void roles.cache.delete(role)),
  };
  const displayAvatarURL = ({ extension, size }: { extension: string; size: number }) =>
    `https://cdn.example.com/${id}.${extension}?size=${size}`;
  const user = { id, displayName, bot: false };
  const member = { id, displayName, user, guild: { id: GUILD }, roles, displayAvatarURL };
  const channel = {
    id: 'thread',
    parent: { id: 'channel', parent: { id: 'category', parent: null } },
    send: vi.fn(async (text: string) => void said.push(text)),
  };
  let messages = 0;
  const message = (content = '', more: object = {}) => ({
    ...{ id: `message-${id}-${messages++}`, inGuild: () => true, system: false, guildId: GUILD, author: user },
    ...{ member, channel, content, ...more },
  });
  const command = (commandName: string, given: Readonly<Record<string, unknown>> = {}) => {
    const option = (name: string) => given[name] ?? null;
    const interaction = {
      ...{ id: `command-${id}-${messages++}`, isChatInputCommand: () => true, inCachedGuild: () => true },
      ...{ commandName, guildId: GUILD, user, member, channel, locale: 'pt-BR', replied: false, deferred: false },
      guild: given.guild,
      options: {
        ...{ getSubcommand: () => option('verb'), getString: option, getInteger: option, getBoolean: option },
        ...{ getUser: option, getMember: () => given.present ?? null },
      },
      reply: vi.fn(async (answer: string | { content: string; flags?: number; files?: object[] }) => {
        const { content, flags, files } = typeof answer === 'string' ? { content: answer } : answer;
        interaction.replied = true;
        answers.push({ content, isHidden: flags === 64, ...(files && { files }) });
      }),
      deferReply: vi.fn(async () => {
        interaction.deferred = true;
      }),
      editReply: vi.fn(async ({ content }: { content: string }) => void answers.push({ content, isHidden: true })),
    };
    return interaction;
  };
  return { said, answers, roles, user, member, channel, message, command };
}

/** Returns the handlers on a connection, its writer and reader, and the lines of the log. @param options further ones of the handlers. */
export function madeUpBot(client: RedisClient, options: object = {}) {
  const lines: string[] = [];
  const waits: number[] = [];
  const writer = createWriter(client);
  const reader = createReader(client);
  const handlers = createHandlers({
    ...{ writer, reader, dashboardUrl: 'https://dash.example.com' },
    log: (line: string) => lines.push(line),
    wait: async (ms: number) => void waits.push(ms),
    ...options,
  });
  const store = (field: string, value: string) =>
    configureScript.run(new Scripts(client), new RedisKeys('gr').guild(GUILD), { [field]: value });
  const setRules = (rules: object | null) => store('rules', rules ? JSON.stringify(rules) : '');
  return { handlers, writer, reader, lines, waits, store, setRules };
}

/** Returns a connection that does each call, and loses the first replies. */
export function losing(client: RedisClient, losses: number) {
  let left = losses;
  return {
    scriptLoad: (source: string) => client.script('LOAD', source),
    async evalsha(sha: string, numberOfKeys: number, ...rest: (string | number)[]) {
      const reply = await client.evalsha(sha, numberOfKeys, ...rest);
      if (left-- > 0) throw new Error('Connection is closed.');
      return reply;
    },
  };
}

/** Returns a connection on which each call fails. It ends with the test. */
export function withoutRedis(): Redis {
  const client = new Redis({ host: '127.0.0.1', port: 1, lazyConnect: true, maxRetriesPerRequest: 0 });
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}
