import { type Command, Option } from 'commander';
import { commandLine } from '../config/command-line.ts';
import { type ApiKeyRecord, isExpired, type ListedKey } from '../core/access/api-key-record.ts';
import { type KeyUsage, readUsage } from '../core/access/usage-reader.ts';
import { utcMinute, withNoun } from '../core/format-numbers.ts';
import {
  type GuildOptions,
  guildCommands,
  parseKeyCap,
  parseKeyName,
  parseLifetime,
  parseOriginList,
} from './arguments.ts';
import type { CommandContext } from './context.ts';
import { parseDuration } from './duration.ts';
import { textTable } from './table.ts';
import { print } from './terminal.ts';
import { withCore } from './with-core.ts';

interface CreateOptions extends GuildOptions {
  readonly name: string;
  /** Lifetime in milliseconds. */
  readonly expires?: number;
  readonly origins?: readonly string[];
  /** Requests an hour. */
  readonly cap?: number;
}

interface RotateOptions extends GuildOptions {
  /** Milliseconds. */
  readonly overlap: number;
}

const DAY_MS = 86_400_000;

/** Defines `keys create`, `list`, `revoke` and `rotate`. An API key itself is shown once, when it is made. */
export function defineKeys(command: Command, context: CommandContext): void {
  const subcommand = (name: string, description: string, guild = 'guild that the API key belongs to') =>
    guildCommands(command, guild)(name, description).option('--json', 'print JSON');

  subcommand('create', 'Create an API key and print it; the key is shown only once')
    .option('--name <name>', 'what the key is for, to tell it from other keys', parseKeyName, '')
    .option(
      '--expires <duration>',
      'how long the key works: 30m, 24h, 90d, 2w; if left out, until you revoke it',
      parseLifetime,
    )
    .option(
      '--origins <list>',
      'web origins whose pages may use the key, such as https://a.example,https://b.example; if left out, any page may',
      parseOriginList,
    )
    .option(
      '--cap <requests>',
      'most requests an hour with this key; the quota of the guild applies as well',
      parseKeyCap,
    )
    .action((options: CreateOptions) => create(context, options));
  subcommand('list', "List a guild's API keys, oldest first", 'guild whose API keys to list').action(
    (options: GuildOptions) => list(context, options),
  );
  subcommand('revoke', 'End an API key at once')
    .argument('<key-id>', 'id of the key, as "list" shows it')
    .action((keyId: string, options: GuildOptions) => revoke(context, keyId, options));
  subcommand(
    'rotate',
    'Create an API key with the same name, lifetime, origins and cap, and let the old key work for a while',
  )
    .argument('<key-id>', 'id of the key to replace, as "list" shows it')
    .addOption(
      new Option('--overlap <duration>', 'how long the old key still works: 30m, 24h, 2w; 0m revokes the old key now')
        .argParser(parseDuration)
        .default(DAY_MS, '24h'),
    )
    .action((keyId: string, options: RotateOptions) => rotate(context, keyId, options));
}

async function create(
  context: CommandContext,
  { guild, name, expires, origins, cap, json }: CreateOptions,
): Promise<void> {
  const { key, record } = await withCore(context, ({ apiKeys }) =>
    apiKeys.create(guild, name, expires ?? null, origins, cap),
  );
  print(context, json, { guild, key, ...toJson(record) }, () => [...newKeyLines(key), describe(record)]);
}

async function list(context: CommandContext, { guild, json }: GuildOptions): Promise<void> {
  const keys = await withCore(context, async (core) => {
    const { ofKey } = await readUsage(core, guild, Date.now());
    const records = await core.apiKeys.list(guild);
    return records.map((record) => ({ record, usage: ofKey(record.id) }));
  });
  const listed = keys.map(({ record, usage }) => ({ ...toJson(record), ...usageJson(usage) }));
  print(context, json, { guild, keys: listed }, () =>
    keys.length === 0
      ? `Guild ${guild} has no API keys. Create an API key with: ${commandLine('keys', `create --guild ${guild}`)}`
      : textTable(
          context,
          ['ID', 'NAME', 'CREATED', 'EXPIRES', 'LAST USED', 'STATE', 'ORIGINS', 'CAP'],
          keys.map(toRow),
        ),
  );
}

async function revoke(context: CommandContext, keyId: string, { guild, json }: GuildOptions): Promise<void> {
  await withCore(context, ({ apiKeys }) => apiKeys.revoke(guild, keyId));
  print(
    context,
    json,
    { guild, revoked: keyId },
    () => `API key ${keyId} of guild ${guild} is revoked: the service refuses it from now on.`,
  );
}

async function rotate(context: CommandContext, keyId: string, { guild, overlap, json }: RotateOptions): Promise<void> {
  const { key, record, replaced } = await withCore(context, ({ apiKeys }) => apiKeys.rotate(guild, keyId, overlap));
  print(context, json, { guild, key, ...toJson(record), replaces: replaced ? toJson(replaced) : { id: keyId } }, () => [
    ...newKeyLines(key),
    describe(record),
    replaced?.expiresAt && stateOf(replaced) === 'active'
      ? `API key ${keyId} works until ${utcMinute(replaced.expiresAt)}.`
      : `The service refuses the API key ${keyId} from now on.`,
  ]);
}

function newKeyLines(key: string): string[] {
  return [key, 'Copy the API key now, because it will not be shown again.'];
}

function describe({ id, guildId, name, expiresAt, origins, cap }: ApiKeyRecord): string {
  const key = name ? `API key ${id} (${name})` : `API key ${id}`;
  const facts = [`${key} of guild ${guildId}`];
  facts.push(expiresAt === null ? 'does not expire' : `expires ${utcMinute(expiresAt)}`);
  if (origins.length > 0) facts.push(`for pages of ${origins.join(' ')} only`);
  if (cap !== null) facts.push(`at most ${withNoun(cap, 'request')} an hour`);
  return `${facts.join(', ')}.`;
}

function toRow({ record, usage: { lastUsed } }: { record: ListedKey; usage: KeyUsage }): string[] {
  const { id, name, createdAt, expiresAt, origins, cap } = record;
  if (record.isUnfinished) return [id, '-', '-', '-', '-', stateOf(record), '-', '-'];
  const end = expiresAt === null ? 'never' : utcMinute(expiresAt);
  const used = lastUsed === null ? '-' : utcMinute(lastUsed);
  return [
    id,
    name || '-',
    utcMinute(createdAt),
    end,
    used,
    stateOf(record),
    origins.join(' ') || 'any',
    String(cap ?? '-'),
  ];
}

function usageJson({ lastUsed: last_used, requests, refused }: KeyUsage) {
  return { last_used, requests_this_hour: requests, refused_this_hour: refused };
}

function toJson(record: ListedKey) {
  const { id, name, expiresAt: expires_at, origins, cap } = record;
  const created_at = record.createdAt || null;
  return { id, name, created_at, expires_at, state: stateOf(record), origins, cap };
}

function stateOf(key: ListedKey): 'active' | 'expired' | 'unfinished' | 'oversized' {
  if (key.isUnfinished) return 'unfinished';
  if (key.isOversized) return 'oversized';
  return isExpired(key, Date.now()) ? 'expired' : 'active';
}
