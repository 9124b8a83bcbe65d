import type { Command } from 'commander';
import { commandLine } from '../../config/command-line.ts';
import { type Config, parseConfig } from '../../config/service.ts';
import { openCore } from '../../core/core.ts';
import { withNoun } from '../../core/format-numbers.ts';
import { connect, describeRedis } from '../../core/store/connection.ts';
import { connectionRefusal } from '../../core/store/connection-refusal.ts';
import { startFailure } from '../../core/store/failures.ts';
import { waitUntilReady } from '../../core/store/lifecycle.ts';
import { limitReplies } from '../../core/store/reply-limits.ts';
import { parseId, parseRate } from '../arguments.ts';
import type { CommandContext } from '../context.ts';
import { FAILED } from '../exit-codes.ts';
import { textTable } from '../table.ts';
import { PartialResult, print } from '../terminal.ts';
import { examine, within } from './examine.ts';
import { type Finding, ok, problem } from './finding.ts';

interface Options {
  readonly rate: number;
  readonly guild?: string;
  readonly json?: boolean;
}

/** Longest time for a reply. A slow reply is a finding; without any reply in this time, the check fails. */
const COMMAND_MS = 1000;
/** Far more than the replies to all checks. */
const MAX_REPLY_BYTES = 32 * 1024 * 1024;

/** Defines `doctor`, which examines the Redis of the environment and changes nothing there. */
export function defineDoctor(command: Command, context: CommandContext): void {
  command
    .option('--rate <n>', 'requests a second for which to estimate the cost', parseRate, 1000)
    .option('--guild <id>', 'check this guild, instead of a sample', parseId)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit code: 0 = no problem, 1 = there are problems, 2 = the options or settings are wrong.')
    .action((options: Options) => run(context, options));
}

async function run(context: CommandContext, { rate, guild, json }: Options): Promise<void> {
  const config = parseConfig(context.env);
  const where = describeRedis(config.redis);
  const findings = await examineStore(context, config, rate, guild);
  const amount = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  const problems = amount('problem');
  print(context, json, { redis: where, healthy: problems === 0, findings }, () => [
    where,
    ...textTable(context, ['CHECK', 'STATE', 'FINDING'], findings.flatMap(toRows)),
    `${withNoun(problems, 'problem')}, ${withNoun(amount('note'), 'note')}, ${amount('unknown')} not checked, ${amount('ok')} right`,
  ]);
  if (problems > 0)
    throw new PartialResult(`Correct the problems, then run it again: ${commandLine('doctor')}`, FAILED);
}

async function examineStore(
  { connectTimeoutMs }: CommandContext,
  config: Config,
  rate: number,
  guild?: string,
): Promise<readonly Finding[]> {
  const redis = { ...config.redis, timeoutMs: Math.max(COMMAND_MS, config.redis.timeoutMs) };
  const clients = [connect(redis, undefined, 'stay'), connect(redis, undefined, 'stay')] as const;
  const [client, subscriber] = clients;
  const flooded = new Promise<Error>((resolve) => {
    for (const each of clients) limitReplies(each, MAX_REPLY_BYTES, resolve);
  });
  // Each check reports its own failure.
  for (const each of clients) each.on('error', () => {});
  try {
    let waitingFor: Error | undefined;
    const onWait = (error: Error): void => {
      waitingFor = error;
    };
    const waits = clients.map((each) =>
      waitUntilReady(each, connectTimeoutMs, onWait, () => connectionRefusal(redis, each)),
    );
    const ready = Promise.all(waits).then(() => true);
    // Redis can load its data for minutes.
    const connected = within(connectTimeoutMs + COMMAND_MS, ready).then(
      (done) => (done ? undefined : (waitingFor ?? new Error('no answer'))),
      (error: Error) => error,
    );
    const failure = await Promise.race([connected, flooded]);
    if (failure) {
      const { problem: detail, fix } = startFailure(redis.mode, describeRedis(redis), failure);
      return [problem('reachable', detail, fix)];
    }
    const context = { ...openCore(client, config.keyPrefix), client, subscriber, config, rate };
    return [ok('reachable', describeRedis(redis)), ...(await examine(context, guild))];
  } finally {
    for (const each of clients) each.disconnect();
  }
}

/** Returns the row of a finding, and a row for its fix. */
function toRows({ check, state, detail, fix }: Finding): string[][] {
  const row = [check, state, detail];
  return fix ? [row, ['', '', `-> ${fix}`]] : [row];
}
