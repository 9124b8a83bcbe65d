import { messageOf, type StoreUnavailableError } from '../../core/errors.ts';
import { probeRequests } from '../../core/reads/request-probe.ts';
import { nodesOf } from '../../core/store/client.ts';
import { explainFailure } from '../../core/store/failures.ts';
import { timeProblem } from '../../core/store/inspection.ts';
import { boardKeys } from '../../core/store/redis-keys.ts';
import { type CheckContext, type Finding, firstThree, NO_GUILD, note, ok, problem } from './finding.ts';

type Command = readonly [name: string, ...args: string[]];

/** Errors of ACL DRYRUN itself: the server does not have the command, or the user may not run it. */
const CANNOT_ASK = /NOPERM|unknown (sub)?command|Unknown subcommand|syntax|not supported|unimplemented/i;
const NOT_ALLOWED = /NOPERM|no permissions? to|No permissions/;
const MISSING = /unknown command/i;

/**
 * Returns every right that deploy/redis/users.acl gives to the service, as a command. All but HSET change nothing when they are tried: their
 * keys do not exist, and Redis rejects "x" as an amount. A test compares it with the file.
 */
export function neededCommands({ redisKeys, config }: Pick<CheckContext, 'redisKeys' | 'config'>): Command[] {
  const { xp, stats, config: settings, members, apiKeys, apiKeysUsed, usage } = redisKeys.guild(NO_GUILD);
  const quota = redisKeys.quota(NO_GUILD);
  const keyQuota = redisKeys.keyQuota(NO_GUILD, 'x');
  const board = boardKeys(xp, 'week').xp;
  const sha = '0'.repeat(40);
  const commands: Command[] = [
    ['ping'],
    ['info', 'server'],
    ['role'],
    ['eval', 'return 1', '1', xp],
    ['evalsha', sha, '1', xp],
    ['eval', 'return 1', '1', quota],
    ['evalsha', sha, '1', quota],
    ['hget', stats, 'rev'],
    ['hmget', members, 'x'],
    ['hgetall', redisKeys.apiKey('0'.repeat(64))],
    ['hget', settings, 'plan'],
    ['zcard', xp],
    ['zcount', xp, '0', '0'],
    ['zscore', xp, 'x'],
    ['zrevrank', xp, 'x'],
    ['zrevrange', xp, '0', '0'],
    ['zmscore', xp, 'x'],
    ['time'],
    ['zcard', board],
    ['zscore', board, 'x'],
    ['zrevrank', board, 'x'],
    ['zrevrange', board, '0', '0'],
    ['incrby', quota, 'x'],
    ['pttl', quota],
    ['expire', quota, '1'],
    ['get', quota],
    ['eval', 'return 1', '1', keyQuota],
    ['evalsha', sha, '1', keyQuota],
    ['get', keyQuota],
    ['incrby', keyQuota, 'x'],
    ['pttl', keyQuota],
    ['expire', keyQuota, '1'],
    ['evalsha', sha, '5', usage, apiKeysUsed, apiKeys, stats, settings],
    ['hlen', apiKeys],
    ...[usage, apiKeysUsed].flatMap((key): Command[] => [
      ['hset', key, 'x', 'x'],
      ['hdel', key, 'x'],
      ['expire', key, '1'],
    ]),
    ['hincrby', usage, 'x', 'x'],
  ];
  return config.redis.mode === 'cluster' ? [...commands, ['cluster', 'slots'], ['cluster', 'info']] : commands;
}

/** Commands that the service never sends, each of which could do harm. They are asked about, and never tried. */
function harmfulCommands({ redisKeys }: CheckContext): Command[] {
  const { xp, config } = redisKeys.guild(NO_GUILD);
  return [
    ['flushall'],
    ['config', 'set', 'maxmemory', '1'],
    ['keys', '*'],
    ['zadd', xp, '1', 'x'],
    ['hset', config, 'plan', 'x'],
  ];
}

/** Tries the script of a readiness check: it reads, and attempts a count that Redis rejects. */
export async function checkScripts(context: CheckContext): Promise<readonly Finding[]> {
  const time = await Promise.all(nodesOf(context.client, 'master').map(timeProblem));
  const missing = time.find((wrong) => wrong !== undefined);
  const timeFinding = missing ? problem('TIME', missing, 'Allow TIME') : ok('TIME', 'the server has this command');
  const failure = await probeRequests(context.client, context.commands).then(
    () => undefined,
    ({ reason }: StoreUnavailableError) => reason,
  );
  const fix = 'Correct this, because every request gets 503 until then';
  const works = ok('EVAL', 'scripts run, and may count requests');
  return [failure ? problem('EVAL', explainFailure(failure), fix) : works, timeFinding];
}

/** Asks Redis whether its user has each right that the service needs, by ACL DRYRUN, or else tries each. */
export async function checkRights(context: CheckContext): Promise<readonly Finding[]> {
  const check = 'rights';
  const user = userOf(context.config.redis.url);
  const ask = (command: Command) => refusalOf(context, ['acl', 'dryrun', user, ...command]);
  const canAsk = !CANNOT_ASK.test((await ask(['ping'])) ?? '');
  const needed = neededCommands(context).filter(([name]) => canAsk || name !== 'hset');
  // All questions are sent at once, because Redis can be far away.
  const refusals = await Promise.all(needed.map((command) => (canAsk ? ask(command) : refusalOf(context, command))));
  const isLacking = (refusal = '') => NOT_ALLOWED.test(refusal) || MISSING.test(refusal);
  const lacking = needed.filter((_, at) => isLacking(refusals[at])).map(nameOf);
  const channel = context.redisKeys.invalidationChannel;
  const unheard = await context.subscriber.subscribe(channel).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (unheard) lacking.push(`subscribe ${channel}`);
  else await context.subscriber.unsubscribe(channel).catch(() => {});
  const fix = 'Compare the user with the user guildrank in deploy/redis/users.acl';
  if (lacking.length > 0) return [problem(check, `The user ${user} may not: ${[...new Set(lacking)].join(', ')}`, fix)];
  const how = `The user ${user} has all ${needed.length + 1} rights of the service`;
  if (!canAsk) return [ok(check, `${how}, as tried`)];
  const harms = harmfulCommands(context);
  const harmRefusals = await Promise.all(harms.map(ask));
  const harmful = harms.filter((_, at) => !harmRefusals[at]).map(nameOf);
  if (harmful.length === 0) return [ok(check, `${how}, and no right that could do harm`)];
  return [note(check, `${how}, and more: ${firstThree(harmful)}`, `Give the service a user of its own. ${fix}`)];
}

/** Returns why Redis refuses a command; undefined if it does not. ACL DRYRUN replies with the refusal, or with OK. */
async function refusalOf({ client }: CheckContext, [name, ...args]: Command): Promise<string | undefined> {
  try {
    const reply = await client.call(name, ...args);
    return name === 'acl' && reply !== 'OK' ? `NOPERM ${reply}` : undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function nameOf([name, ...args]: Command): string {
  const subcommand = name === 'cluster' || name === 'config' ? ` ${args[0]}` : '';
  const key = args.find((word) => word.includes('{') || word.includes(':key:'));
  return name + subcommand + (key ? ` ${key.replace(NO_GUILD, '*')}` : '');
}

function userOf(url: string): string {
  return (URL.canParse(url) && decodeURIComponent(new URL(url).username)) || 'default';
}
