import { InvalidArgumentError, Option } from 'commander';
import type { ApiKeyRecord } from '../access/api-keys.ts';
import { parseOrigins } from '../access/origins.ts';
import { InvalidInputError } from '../errors.ts';
import { withStore } from './store.ts';
import { commandLine, duration, id, print, program, run, table } from './terminal.ts';

/** `keys create`, `list`, `revoke` and `rotate`: the API keys of a guild. A key itself is shown once, when it is made. */
const command = program('keys', "Create, list, revoke and rotate a guild's API keys");

interface Options {
  readonly guild: string;
  readonly json?: boolean;
}

interface CreateOptions {
  readonly name: string;
  readonly expires?: number;
  readonly origins?: readonly string[];
}

const DAY_MS = 86_400_000;

const sub = (name: string, description: string) =>
  command
    .command(name)
    .description(description)
    .requiredOption('--guild <id>', 'guild the key belongs to', id)
    .option('--json', 'print JSON');

sub('create', 'Create a key and print it, once')
  .option('--name <name>', 'what the key is for, to tell it from others', keyName, '')
  .option('--expires <duration>', 'how long it works: 30m, 24h, 90d, 2w; without it, until it is revoked', lifetime)
  .option(
    '--origins <list>',
    'web origins whose pages alone may use it, such as https://a.example,https://b.example',
    origins,
  )
  .action(async ({ guild, name, expires, origins: limit, json }: Options & CreateOptions) => {
    const { key, record } = await withStore(({ apiKeys }) => apiKeys.create(guild, name, expires ?? null, limit));
    print(json, { guild, key, ...fields(record) }, () => [...newKey(key), describe(record)]);
  });

sub('list', "List a guild's keys, oldest first").action(async ({ guild, json }: Options) => {
  const records = await withStore(({ apiKeys }) => apiKeys.list(guild));
  print(json, { guild, keys: records.map(fields) }, () =>
    records.length === 0
      ? `Guild ${guild} has no keys. Create one with: ${commandLine('keys')} create --guild ${guild}`
      : table(
          ['ID', 'NAME', 'CREATED', 'EXPIRES', 'STATE', 'ORIGINS'],
          records.map((record) => [
            record.id,
            record.name || '-',
            minute(record.createdAt),
            record.expiresAt === null ? 'never' : minute(record.expiresAt),
            stateOf(record),
            record.origins.join(' ') || 'any',
          ]),
        ),
  );
});

sub('revoke', 'End a key at once')
  .argument('<key-id>', 'id of the key, as "list" shows it')
  .action(async (keyId: string, { guild, json }: Options) => {
    await withStore(({ apiKeys }) => apiKeys.revoke(guild, keyId));
    print(
      json,
      { guild, revoked: keyId },
      () => `Key ${keyId} of guild ${guild} is revoked: it is refused from now on.`,
    );
  });

sub('rotate', 'Create a key with the same name, lifetime and origins, and let the old one go on for a while')
  .argument('<key-id>', 'id of the key to replace, as "list" shows it')
  .addOption(
    new Option('--overlap <duration>', 'how long the old key still works: 30m, 24h, 2w; 0m ends it now')
      .argParser(duration)
      .default(DAY_MS, '24h'),
  )
  .action(async (keyId: string, { guild, overlap, json }: Options & { overlap: number }) => {
    const { created, old } = await withStore(async ({ apiKeys }) => {
      const made = await apiKeys.rotate(guild, keyId, overlap);
      return { created: made, old: (await apiKeys.list(guild)).find((record) => record.id === keyId) };
    });
    const { key, record } = created;
    print(json, { guild, key, ...fields(record), replaces: old ? fields(old) : { id: keyId } }, () => [
      ...newKey(key),
      describe(record),
      old?.expiresAt && stateOf(old) === 'active'
        ? `Key ${keyId} goes on working until ${minute(old.expiresAt)}.`
        : `Key ${keyId} is refused from now on.`,
    ]);
  });

await run(command);

function newKey(key: string): string[] {
  return [key, 'Keep it now: it will not be shown again.'];
}

function describe({ id: keyId, guildId, name, expiresAt, origins: limit }: ApiKeyRecord): string {
  const end = expiresAt === null ? 'does not expire' : `expires ${minute(expiresAt)}`;
  const where = limit.length > 0 ? `, for pages of ${limit.join(' ')} only` : '';
  return `Key ${keyId}${name && ` (${name})`} of guild ${guildId}, ${end}${where}.`;
}

function fields(record: ApiKeyRecord) {
  const { id: keyId, name, createdAt: created_at, expiresAt: expires_at, origins: limit } = record;
  return { id: keyId, name, created_at, expires_at, state: stateOf(record), origins: limit };
}

/** As the service sees it: a date that cannot be read counts as past. */
function stateOf({ expiresAt }: ApiKeyRecord): 'active' | 'expired' {
  return expiresAt === null || Date.now() < Date.parse(expiresAt) ? 'active' : 'expired';
}

function minute(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, '$1 $2 UTC');
}

function keyName(text: string): string {
  if (!/^\P{Cc}{1,64}$/u.test(text)) {
    throw new InvalidArgumentError('It must be 1 to 64 characters, without line breaks or control characters.');
  }
  return text;
}

function lifetime(text: string): number {
  const ms = duration(text);
  if (ms === 0)
    throw new InvalidArgumentError('A key must live for a while: give at least 1m, or leave --expires out.');
  return ms;
}

function origins(text: string): string[] {
  let list: string[] = [];
  try {
    list = parseOrigins(text);
  } catch (error) {
    if (error instanceof InvalidInputError) throw new InvalidArgumentError(error.message);
    throw error;
  }
  // An empty list would make a key that works everywhere, which is not what was typed.
  if (list.length === 0) throw new InvalidArgumentError('Name at least one origin, or leave --origins out.');
  return list;
}
