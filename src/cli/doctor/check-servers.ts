import { withNoun } from '../../core/format-numbers.ts';
import { nodesOf } from '../../core/store/client.ts';
import { infoFields, policyProblem, versionProblem } from '../../core/store/inspection.ts';
import { type CheckContext, type Finding, note, ok, problem, unknown } from './finding.ts';

/** Bytes of Redis for each member, as docs/operations.md measured them. */
const MEMBER_BYTES = 239;
/** A larger difference of clocks makes the expiry of API keys wrong by more than people expect. */
const MAX_CLOCK_DIFFERENCE_MS = 5000;

/** One server: its INFO, what it saves by itself ("" = nothing; undefined = this user may not ask), and the clock difference. */
export interface ServerFacts {
  readonly info: ReadonlyMap<string, string>;
  readonly save: string | undefined;
  /** Milliseconds that the server's clock is ahead of this machine's, and half of the round trip; undefined = not told. */
  readonly clock: { readonly ahead: number; readonly uncertain: number } | undefined;
  readonly mode: CheckContext['config']['redis']['mode'];
}

/** Returns what the masters say of themselves. Three commands each. */
export async function checkServers({ client, config }: CheckContext): Promise<readonly Finding[]> {
  const nodes = nodesOf(client, 'master');
  const perNode = await Promise.all(
    nodes.map(async (node) => {
      const saved = node.config('GET', 'save').then(
        (reply) => (reply as string[])[1] ?? '',
        () => undefined,
      );
      const from = Date.now();
      const text = await node.info().catch((error: Error) => error);
      const to = Date.now();
      if (text instanceof Error) {
        return [unknown('server', text.message, 'Give the user of REDIS_URL the permission +info')];
      }
      const info = infoFields(text);
      const save = await saved;
      const serverTime = Number(info.get('server_time_usec')) / 1000;
      const clock = serverTime ? { ahead: serverTime - (from + to) / 2, uncertain: (to - from) / 2 } : undefined;
      const findings = findingsOf({ info, save, clock, mode: config.redis.mode });
      if (nodes.length === 1) return findings;
      const { host, port } = node.options;
      return findings.map((finding) => ({ ...finding, detail: `${host}:${port}: ${finding.detail}` }));
    }),
  );
  return perNode.flat();
}

/** Returns the findings on one server. Pure. */
export function findingsOf(facts: ServerFacts): Finding[] {
  return [versionOf(facts), kindOf(facts), persistenceOf(facts), evictionOf(facts), memoryOf(facts), clockOf(facts)];
}

function versionOf({ info }: ServerFacts): Finding {
  const name = nameOfServer(info);
  const version = info.get(`${name.toLowerCase()}_version`) ?? 'of an unknown version';
  const wrong = versionProblem(info);
  return wrong ? problem('version', wrong, 'Update the server') : ok('version', `${name} ${version}`);
}

function nameOfServer(info: ServerFacts['info']): string {
  if (info.get('valkey_version')) return 'Valkey';
  return info.get('dragonfly_version') ? 'Dragonfly' : 'Redis';
}

function kindOf({ info, mode }: ServerFacts): Finding {
  const actual = info.get('server_mode') ?? info.get('redis_mode') ?? 'standalone';
  if (actual === 'sentinel') {
    return problem('kind', 'this is a Sentinel, which holds no data', 'Set REDIS_MODE=sentinel and REDIS_NODES');
  }
  if ((actual === 'cluster') !== (mode === 'cluster')) {
    const right = actual === 'cluster' ? 'cluster' : 'standalone';
    return problem('kind', `the server is ${actual}, REDIS_MODE is ${mode}`, `Set REDIS_MODE=${right}`);
  }
  if (info.get('role') === 'slave') {
    return problem('kind', 'this is a replica, which takes no writes', 'Connect to its master, or use Sentinel');
  }
  return ok('kind', `${mode}, a master with ${info.get('connected_slaves') ?? 0} replicas`);
}

function persistenceOf({ info, save }: ServerFacts): Finding {
  const check = 'persistence';
  const broken = [
    ['aof_last_write_status', 'the append-only file'],
    ['aof_last_bgrewrite_status', 'the rewrite of the append-only file'],
    ['rdb_last_bgsave_status', 'the last snapshot'],
  ].find(([field = '']) => info.get(field) === 'err');
  if (broken) return problem(check, `${broken[1]} failed`, "Read Redis's log, and make room on the disk");
  if (info.get('aof_enabled') === '1') return ok(check, 'an append-only file');
  const fix =
    'Run CONFIG SET appendonly yes, and set it in the configuration file too, unless the bot can write all XP again';
  if (save === '') return problem(check, 'none: a restart loses all members and API keys', fix);
  const since = `${info.get('rdb_changes_since_last_save')} changes are in no snapshot`;
  if (save) return note(check, `snapshots only (${save}): ${since}`, fix);
  return note(check, `no append-only file; this user may not ask for snapshots; ${since}`, fix);
}

function evictionOf({ info }: ServerFacts): Finding {
  const check = 'eviction';
  const policy = info.get('maxmemory_policy');
  if (!policy)
    return unknown(check, 'the server does not tell its policy', 'Make sure that the server never evicts keys');
  const wrong = policyProblem(info);
  if (!wrong) return ok(check, policy);
  return problem(check, wrong, 'Run CONFIG SET maxmemory-policy noeviction, and set it in the configuration file too');
}

function memoryOf({ info }: ServerFacts): Finding {
  const number = (name: string) => Number(info.get(name) ?? 0);
  const used = number('used_memory');
  const limit = number('maxmemory');
  const total = limit || number('total_system_memory');
  if (!used || !total)
    return unknown('memory', 'the server does not tell its memory', 'Compare the memory that it uses with its limit');
  const left = Math.max(0, total - used);
  const members = withNoun(Math.floor(left / MEMBER_BYTES), 'member');
  const bound = limit ? 'of maxmemory' : "of the machine's memory, which other programs use too";
  const text = `${megabytes(used)} used, ${megabytes(left)} left ${bound}: about ${members}`;
  if (left < total / 10) return problem('memory', text, 'Raise maxmemory, or move Redis to a larger machine');
  return limit
    ? ok('memory', text)
    : note('memory', `${text}; no maxmemory`, 'Set maxmemory below the memory of the machine');
}

function clockOf({ clock }: ServerFacts): Finding {
  if (!clock) return unknown('clock', 'the server does not tell its time', 'Compare the clocks yourself');
  const text = `Redis is ${Math.abs(clock.ahead / 1000).toFixed(2)} s ${clock.ahead < 0 ? 'behind' : 'ahead of'} this machine`;
  // The reply may have taken any part of the round trip.
  if (Math.abs(clock.ahead) - clock.uncertain <= MAX_CLOCK_DIFFERENCE_MS) return ok('clock', text);
  return problem('clock', `${text}: API keys expire early or late`, 'Run NTP on both machines');
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;
}
