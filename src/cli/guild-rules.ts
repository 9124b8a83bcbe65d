import { type Command, Option } from 'commander';
import { commandLine } from '../config/command-line.ts';
import { InvalidInputError } from '../core/errors.ts';
import { requireGuild } from '../core/guilds/overview.ts';
import { parseRules } from '../core/rules/parse-rules.ts';
import { RULE_SOURCES, type RuleSource, rulesOfExport, sourceOfRules } from '../imports/export-rules.ts';
import type { GuildOptions } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { CommandRefused, print, UsageError } from './terminal.ts';
import { withCore, withGuild } from './with-core.ts';

interface Options extends GuildOptions {
  readonly file?: string;
  readonly from?: RuleSource;
  readonly clear?: boolean;
}

/** Defines `guild rules`, which stores, prints and removes the rules of a guild. */
export function defineRules(command: Command, context: CommandContext): void {
  command
    .option('--file <path>', 'JSON file with the rules to check and store; - is standard input')
    .addOption(
      new Option(
        '--from <bot>',
        '--file is a file of this bot: the export of Polaris, or a leaderboard page of Lurkr or MEE6',
      ).choices(RULE_SOURCES),
    )
    .option('--clear', 'remove the rules')
    .option('--json', 'print JSON')
    .action((options: Options) => rules(context, options));
}

async function rules(context: CommandContext, { guild, file, from, clear, json }: Options): Promise<void> {
  if (clear && file !== undefined)
    throw new UsageError('--clear removes the rules, and --file stores rules: give only one of them');
  if (from && file === undefined) throw new UsageError(`--from ${from} needs --file with the export`);
  if (file === undefined && !clear) return show(context, guild, json);
  const document = file === undefined ? null : await documentOf(context, guild, file, from);
  await withCore(context, async (core) => {
    if (clear) await requireGuild(core, guild);
    await core.guildConfig.setRules(guild, document === null ? null : JSON.stringify(document));
  });
  print(context, json, { guild, rules: document }, () =>
    document === null ? `Guild ${guild} has no rules now.` : `Stored the rules of guild ${guild}.`,
  );
}

async function show(context: CommandContext, guild: string, json: boolean | undefined): Promise<void> {
  const text = await withGuild(context, guild, ({ client, redisKeys }) =>
    client.hget(redisKeys.guild(guild).config, 'rules'),
  );
  if (text === null && !json) throw new CommandRefused(`Guild ${guild} has no rules: store rules with --file`);
  const stored = text === null ? null : storedRules(guild, text);
  print(context, json, { guild, rules: stored }, () => JSON.stringify(stored, null, 2));
}

function storedRules(guild: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInputError(`The stored rules of guild ${guild} are not valid JSON: store other rules with --file`);
  }
}

/** Returns the checked rules of a file. @throws InvalidInputError which names the file and the wrong field. */
async function documentOf(
  context: CommandContext,
  guild: string,
  file: string,
  from: RuleSource | undefined,
): Promise<unknown> {
  // The parsers of the formats would slow the start of all commands.
  const { readRulesFile } = await import('../imports/read-rules-file.ts');
  const name = file === '-' ? 'stdin' : file;
  const document = await readRulesFile(file === '-' ? context.stdin : file);
  if (!from && sourceOfRules(document))
    throw new InvalidInputError(
      `${name} looks like the export of a bot: add --from ${RULE_SOURCES.join(' or --from ')}`,
    );
  const exported = from && rulesOfExport(from, document, name);
  const { rules = document, notices = [], multiplier } = exported ?? {};
  try {
    parseRules(rules);
  } catch (error) {
    throw error instanceof InvalidInputError ? new InvalidInputError(`${name}: ${error.message}`) : error;
  }
  for (const notice of notices) context.stderr.write(`${name}: ${notice}\n`);
  if (multiplier !== undefined)
    context.stderr.write(
      `${name}: the multiplier of all XP is no part of the rules: set it with ${commandLine('guild', `set --guild ${guild} --xp-multiplier ${multiplier}`)}\n`,
    );
  return rules;
}
